// Draws the blocks of src/Report/Page, with one function for each kind.

import { element, JOINTS, wrappable } from '../words.js';
import { bars } from './bars.js';
import { boxes } from './boxes.js';
import { Figure } from './figure.js';
import { lines } from './lines.js';
import { ranges } from './ranges.js';

const CHARTS = { lines, bars, boxes, ranges };
// A cell of at most this many characters stays on one line.
const SHORT = 24;
const NUMBER = /^([-+<>~] ?)?\d[\d.,]*( ?[^\s\d]{1,3}| of \d[\d,]*)?$/;
// A longer table of figures stays a table on a narrow screen, because a list of its cells would fill many screens.
const FEW_ROWS = 7;
const FIGURE = 10;
// More columns need a smaller type on paper.
const MANY_COLUMNS = 9;

/** Text in backticks is code. */
const words = (text) => text.split(/`([^`]+)`/).flatMap((part, at) => (at % 2 === 1 ? [element('code', {}, ...wrappable(part))] : wrappable(part)));

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

/** Colours a line that a fix removes or adds. */
const diffed = (line) => (/^[-+] /.test(line) ? element('span', { class: line.startsWith('+') ? 'added' : 'removed' }, line) : line);

function copied({ text }) {
    const made = element('pre', { class: 'copied', tabindex: '0' }, element('code', {}, ...text.split('\n').flatMap((line, at) => [at === 0 ? '' : '\n', diffed(line)])));

    if (navigator.clipboard) {
        const button = element('button', { type: 'button' }, 'Copy');
        const told = (word) => () => { button.textContent = word; };
        button.addEventListener('click', () => navigator.clipboard.writeText(text).then(told('Copied'), told('Select it')));

        return element('div', { class: 'code' }, made, button);
    }

    return element('div', { class: 'code' }, made);
}

const isFigures = (rows) => rows.length > FEW_ROWS && rows.every(([, ...cells]) => cells.every((one) => (one.text ?? one).length <= FIGURE && !one.note && !one.link));

const MAKERS = {
    words: ({ text, weight, tone }) => element('p', { class: weight, 'data-tone': tone }, ...words(text)),
    bullets: ({ items }) => element('ul', {}, ...items.map((item) => element('li', {}, ...words(item)))),
    facts: ({ facts: pairs, small }) => facts(pairs, small),
    grid: ({ headings, rows, caption }) => table(headings, rows, { caption, isStacked: headings.length > 2 && !isFigures(rows) }),
    code: copied,
};

/** @param section of the block; a chart with the same title does not repeat it */
export function draw(block, place, section) {
    if (block.kind === 'details' || block.kind === 'side') {
        const made = block.kind === 'side' ? element('div', { class: 'side' }) : element('details', {}, element('summary', {}, ...words(block.summary)));
        place.append(made);
        block.blocks.forEach((one) => draw(one, made, section));
    } else if (CHARTS[block.kind]) {
        chart(block, place, section);
    } else {
        place.append(MAKERS[block.kind](block));
    }
}

function chart(block, place, section) {
    const { id, title, note, label, numbers, banded } = block;
    const isEmpty = CHARTS[block.kind].isEmpty?.(block) ?? false;
    const canvas = isEmpty ? element('p', { class: 'note' }, 'Not measured.') : element('div', { class: 'chart', role: 'img', 'aria-label': label });
    const legend = element('ul', { class: 'legend' });
    const above = banded ? [...words(note), ` Above the bands: ${banded}.`] : words(note);
    const made = element('figure', { id },
        element('figcaption', {}, ...(title === section.title ? [] : [element('h3', {}, title)]), ...(above.join('').trim() === '' ? [] : [element('p', { class: 'note' }, ...above)])),
        legend,
        canvas,
        element('details', { class: 'numbers' }, element('summary', {}, 'The numbers'), table(numbers.headings, numbers.rows, { label: `The numbers: ${title}` })),
    );
    place.append(made);
    isEmpty || new Figure(canvas, legend, CHARTS[block.kind], block);
}
