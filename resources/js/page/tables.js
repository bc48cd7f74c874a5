// Text, facts and tables.

import { element, JOINTS, wrappable } from '../words.js';

// A cell of at most this many characters stays on one line.
const SHORT = 24;
const NUMBER = /^([-+<>~] ?)?\d[\d.,]*( ?[^\s\d]{1,3}| of \d[\d,]*)?$/;
// More columns need a smaller type on paper.
const MANY_COLUMNS = 9;

/** Text in backticks is code. */
export const words = (text) => text.split(/`([^`]+)`/).flatMap((part, at) => (at % 2 === 1 ? [element('code', {}, ...wrappable(part))] : wrappable(part)));

// A value with a longer word, or that is longer itself, takes a row of its own.
const FACT_WORD = 10;
const FACT = 40;

const isLong = (value) => value.length > FACT || value.split(/\s+/).flatMap((word) => word.split(JOINTS)).some((part) => part.length > FACT_WORD);

export const facts = (pairs, isSmall = false) => element('dl', { class: isSmall ? 'facts small' : 'facts' }, ...pairs.map(([name, value]) => element('div', isLong(value) ? { class: 'long' } : {}, element('dt', {}, name), element('dd', {}, ...wrappable(value)))));

/**
 * @param {(string|{text, note, tone, link})[][]} rows the first cell of each is its heading
 * @param {{caption?: string, label?: string, isStacked?: boolean}} options stacked: on a narrow screen a row is a list of its cells
 */
export function table(headings, rows, { caption = '', label = caption, isStacked = false } = {}) {
    const textOf = (cell) => cell.text ?? cell;
    const isNumber = (cell) => NUMBER.test(textOf(cell));
    const isEmpty = (cell) => ['', '–'].includes(textOf(cell));
    // A word in place of a figure, such as "not valid", does not change the alignment of its column.
    const isInstead = (cell) => ['alert', 'quiet'].includes(cell.tone) && !/\d/.test(cell.text);
    // Without a figure, only quiet words such as "not measured" stand where figures would.
    const isFigureColumn = (cells) => cells.every((cell) => isEmpty(cell) || isNumber(cell) || isInstead(cell))
        && (cells.some(isNumber) || cells.every((cell) => isEmpty(cell) || cell.tone === 'quiet'));
    const isNumbers = headings.map((_, at) => at > 0 && isFigureColumn(rows.map((row) => row[at])));
    const longest = (at) => Math.max(0, ...rows.map((row) => textOf(row[at]).length));
    const kind = (at) => (isNumbers[at] ? {} : { class: longest(at) > SHORT ? 'text long' : 'text' });
    // Without roles, browsers do not announce a table whose display is not that of a table.
    const role = (name) => (isStacked ? { role: name } : {});
    const parts = [
        element('thead', role('rowgroup'), element('tr', role('row'), ...headings.map((heading, at) => element('th', { scope: 'col', ...role('columnheader'), ...kind(at) }, ...words(heading))))),
        element('tbody', role('rowgroup'), ...rows.map(([first, ...cells]) => element('tr', role('row'),
            element('th', { scope: 'row', ...role('rowheader') }, ...cell(first)),
            ...cells.map((one, at) => element('td', { ...role('cell'), 'data-heading': headings[at + 1].replaceAll('`', ''), ...kind(at + 1), ...(one.tone ? { 'data-tone': one.tone } : {}) }, ...cell(one))),
        ))),
    ];
    const made = element('table', { ...role('table'), ...(headings.length > MANY_COLUMNS ? { class: 'many' } : {}) }, ...(caption === '' ? [] : [element('caption', {}, element('span', {}, ...words(caption)))]), ...parts);

    // A box that scrolls takes the keyboard's focus, so it needs a name.
    return element('div', { class: isStacked ? 'wide stacked' : 'wide', tabindex: '0', role: 'region', 'aria-label': label || headings.filter(Boolean).join(', ') }, made);
}

function cell(one) {
    if (typeof one === 'string') {
        return wrappable(one);
    }

    return [
        one.link === '' ? element('span', {}, ...wrappable(one.text)) : element('a', { href: one.link }, ...wrappable(one.text)),
        ...(one.note === '' ? [] : [' ', element('small', one.note.length <= SHORT ? { class: 'short' } : {}, ...wrappable(one.note))]),
    ];
}
