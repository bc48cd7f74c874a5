// The doctor's report, the most urgent finding first, each with its fix.

import { element, show } from './dom.js';
import { copied } from '../page/copied.js';
import { table, words } from '../page/tables.js';
import { many } from './format.js';
import { wrappable } from '../words.js';

const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'];
const FOUND = ['fail', 'warn'];
const UNKNOWN = ['unknown', 'crashed'];

const rank = ({ severity }) => (SEVERITIES.indexOf(severity) + SEVERITIES.length + 1) % (SEVERITIES.length + 1);

export class Findings {
    #key = '';
    node = element('div', { class: 'findings' });

    /** Draws a report once, so that what the reader has unfolded stays. */
    update(report, key) {
        show(this.node, report !== null);

        if (report === null || key === this.#key) {
            return;
        }

        this.#key = key;
        const of = (statuses) => report.findings.filter(({ status }) => statuses.includes(status)).sort((one, other) => rank(one) - rank(other));
        const [found, unknown] = [of(FOUND), of(UNKNOWN)];
        const absent = (report.looked_for ?? []).filter(({ status }) => status !== 'found');
        this.node.replaceChildren(
            ...found.map(finding),
            ...(found.length === 0 ? [element('p', { class: 'empty' }, 'Nothing was found to fix.')] : []),
            ...(unknown.length === 0 ? [] : [element('details', {}, element('summary', {}, `${many(unknown.length, 'check')} without an answer`), ...unknown.map(finding))]),
            ...(absent.length === 0 ? [] : [element('details', {}, element('summary', {}, `${many(absent.length, 'part')} that the doctor did not see`), table(['part', 'status', 'reason', 'looked at'], absent.map((part) => [part.what, part.status, part.why ?? '', part.where ?? '']), { caption: 'Parts that the doctor did not see', isStacked: true }))]),
        );
    }
}

/** The lines to change and the commands to run, as the doctor's own report has them. */
function lines({ edits = [], commands = [] }) {
    const parts = edits.map(({ file, line, old, new: after }) => [
        `${file}${line ? `:${line}` : ''}`,
        ...(old === null ? [] : old.split('\n').map((text) => `- ${text}`)),
        ...(after === null ? [] : after.split('\n').map((text) => `+ ${text}`)),
    ].join('\n'));

    return [...parts, ...commands].join('\n');
}

function finding({ id, title, severity, status, subject, message, evidence, consequence, fix, minutes }) {
    const isUrgent = FOUND.includes(status) && ['critical', 'high'].includes(severity);
    const changes = fix ? lines(fix) : '';

    return element('article', { class: isUrgent ? 'finding alert' : 'finding' },
        element('h3', {}, ...wrappable(`${id} ${title}`)),
        element('p', { class: 'note', 'data-tone': isUrgent ? 'alert' : 'quiet' }, ...wrappable([FOUND.includes(status) ? severity : status, subject].filter(Boolean).join(', '))),
        element('p', {}, ...words(message)),
        ...(consequence ? [element('p', {}, ...words(consequence))] : []),
        ...(fix ? [element('p', {}, element('strong', {}, 'Fix: '), ...words(fix.text), ...(minutes > 0 ? [` About ${many(minutes, 'minute')}.`] : []))] : []),
        ...(changes === '' ? [] : [copied({ text: changes })]),
        ...(fix?.rollback ? [element('p', { class: 'note' }, 'Undo: ', ...words(fix.rollback))] : []),
        ...(fix?.verify ? [element('p', { class: 'note' }, 'Check: ', element('code', {}, ...wrappable(fix.verify)))] : []),
        ...(evidence.length === 0 ? [] : [element('details', {}, element('summary', {}, 'Evidence'), table(['evidence', 'value', 'source'], evidence.map(({ what, value, source }) => [what, String(value), source ?? '']), { caption: `Evidence of ${id}`, isStacked: true }))]),
    );
}
