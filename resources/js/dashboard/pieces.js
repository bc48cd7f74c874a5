// Small parts that several views have.

import { button, element, keyed, say, sayLong, sayWords, set, show } from './dom.js';
import { count, rate, span } from './format.js';
import { address } from './route.js';

/** A state in a word, with the tone and the shape of its sign, so that it needs no colour. */
const STATES = {
    idle: ['idle', 'quiet'],
    ok: ['delivers', 'good'],
    waiting: ['waits', 'quiet'],
    paused: ['paused', 'pause'],
    late: ['late', 'warn'],
    failing: ['fails', 'alert'],
    stopped: ['stopped', 'alert'],
    forked: ['forked', 'alert'],
    error: ['unreadable', 'alert'],
    undeclared: ['not declared', 'warn'],
};

/** A bucket without an event delivers none. */
export const stateOf = ({ state, accepted }) => (state === 'ok' && accepted === 0 ? 'idle' : state);

export const wordOf = (state) => (STATES[state] ?? [state])[0];

export const badge = () => element('span', { class: 'badge' });

export function sayState(node, state) {
    set(node, 'data-state', (STATES[state] ?? ['', 'quiet'])[1]);
    say(node, wordOf(state));
}

/** Writes to the clipboard, also where the page has no secure context. */
async function copy(text, node) {
    if (navigator.clipboard) {
        return navigator.clipboard.writeText(text);
    }

    getSelection().selectAllChildren(node);

    if (!document.execCommand('copy')) {
        throw new Error('no clipboard');
    }
}

/** @param {Element} node has the text, for a page that may only select it */
function copyButton(text, node) {
    const word = element('span', {}, 'Copy');
    const told = (now) => {
        word.textContent = now;
        clearTimeout(timer);
        timer = setTimeout(() => { word.textContent = 'Copy'; }, 2_000);
    };
    let timer = 0;
    const made = button('', () => copy(text, node).then(() => told('Copied'), () => told('Select it')), { class: 'small' });
    made.append(word, element('span', { class: 'unseen' }, ` ${text}`));

    return made;
}

/** A sentence; each command in it has a button that copies it. */
class Advice {
    #text = null;
    node = element('p', { class: 'advice' });

    say(text) {
        show(this.node, (text ?? '') !== '');

        if (text === this.#text || !text) {
            return;
        }

        this.#text = text;
        sayWords(this.node, text);
        // A word such as `rate` is code, but no command.
        [...this.node.querySelectorAll('code')].filter((code) => code.textContent.includes(' ')).forEach((code) => code.after('\u00a0', copyButton(code.textContent, code)));
    }
}

/** Items with a sentence and the advice for it, which change in place. */
export class Sentences {
    #keyOf;
    #hasTitle;
    node;

    constructor(name, keyOf, hasTitle = false) {
        this.#keyOf = keyOf;
        this.#hasTitle = hasTitle;
        this.node = element('ul', { class: name });
    }

    update(items) {
        keyed(this.node, items, this.#keyOf, () => {
            const advice = new Advice();
            const item = element('li', {}, ...(this.#hasTitle ? [element('h3')] : []), element('p'), advice.node);
            item.advice = advice;

            return item;
        }, (item, { title, subject, message, fix, severity }) => {
            this.#hasTitle && sayLong(item.firstChild, subject === '' ? title : `${title}: ${subject}`);
            sayWords(item.querySelector('p'), message);
            item.advice.say(fix);
            set(item, 'data-severity', severity ?? null);
        });
    }
}

/** Figures with their names, which change in place. */
export class Facts {
    node;

    constructor(name) {
        this.node = element('dl', { class: name });
    }

    /** @param {[string, string, ?string][]} facts name, value and tone */
    update(facts) {
        keyed(this.node, facts, ([name]) => name, ([name]) => element('div', {}, element('dt', {}, name), element('dd')), (item, [, value, tone = null]) => {
            sayLong(item.lastChild, String(value));
            set(item, 'class', String(value).length > LONG_FACT ? 'long' : null);
            set(item.lastChild, 'data-tone', tone);
        });
    }
}

const LONG_FACT = 22;
const ALARMING = ['letters', 'missing'];
const TOTALS = [
    ['accepted', 'accepted', count],
    ['delivered', 'delivered', count],
    ['waiting', 'pending', count],
    ['oldest', 'oldest_seconds', span],
    ['dead letters', 'letters', count],
    ['dropped', 'dropped', count],
    ['missing', 'missing', count],
    ['in', 'in_per_second', rate],
    ['out', 'out_per_second', rate],
];

/** The figures of a bucket, or of all. Missing events are named only if there are any. */
export const totals = (counts) => TOTALS.filter(([, member]) => member !== 'missing' || counts.missing > 0)
    .map(([name, member, text]) => [name, text(counts[member]), ALARMING.includes(member) && counts[member] > 0 ? 'alert' : null]);

/** A cell of a figure or a word. */
export const figure = (heading, text) => ({ heading, update: (cell, row) => say(cell, text(row)) });

/** Radio buttons in a row. @param {[string, string][]} choices value and label */
export function choice(legend, name, choices, onChange) {
    const inputs = choices.map(([value, label]) => {
        const input = element('input', { type: 'radio', name, value });
        input.addEventListener('change', () => onChange(value));

        return element('label', {}, input, element('span', {}, label));
    });

    return element('fieldset', { class: 'ranges' }, element('legend', { class: 'unseen' }, legend), element('div', {}, ...inputs));
}

/** The buckets to choose from. It changes its options only when the list has changed. */
export class BucketChoice {
    #select = element('select');
    node = element('label', {}, 'Bucket ', this.#select);

    constructor(onChange) {
        this.#select.addEventListener('change', () => onChange(this.#select.value));
    }

    /** @param {(bucket: object) => string} textOf */
    update(buckets, chosen, textOf) {
        keyed(this.#select, buckets, ({ bucket }) => bucket, ({ bucket }) => element('option', { value: bucket }), (option, bucket) => say(option, textOf(bucket)));

        if (chosen !== null && this.#select.value !== chosen) {
            this.#select.value = chosen;
        }
    }
}

export const card = (title, ...children) => element('section', {}, element('h2', {}, title), ...children);

export const link = (text, view, bucket, query) => element('a', { href: address(view, bucket, query) }, text);
