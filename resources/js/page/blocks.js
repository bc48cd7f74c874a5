// Draws the blocks of src/Report/Page, with one function for each kind.

import { element } from '../words.js';
import { bars } from './bars.js';
import { boxes } from './boxes.js';
import { Figure } from './figure.js';
import { lines } from './lines.js';
import { ranges } from './ranges.js';
import { copied } from './copied.js';
import { facts, table, words } from './tables.js';

const CHARTS = { lines, bars, boxes, ranges };
// A longer table of figures stays a table on a narrow screen, because a list of its cells would fill many screens.
const FEW_ROWS = 7;
const FIGURE = 10;
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
