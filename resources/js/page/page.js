// Draws the sections of src/Report/Page/Page.php.

import { element, wrappable } from '../words.js';
import { draw } from './blocks.js';

// A reader sees fewer sections without a list.
const LISTED = 5;
// A longer list would fill the first screen.
const MOST_LISTED = 30;

export function section({ id, title, tone = 'plain' }, ...children) {
    // An id of a page never contains a _, so this one is unique.
    return element('section', { id, class: tone, 'aria-labelledby': `${id}_title` }, element('h2', { id: `${id}_title` }, ...wrappable(title)), ...children);
}

const contents = (sections) => element('nav', { 'aria-label': 'Sections' }, element('ul', {}, ...sections.map(({ id, title }) => element('li', {}, element('a', { href: `#${id}` }, title)))));

export function drawPage({ what, sections }) {
    document.getElementById('page_what').append(...wrappable(what));
    const main = document.getElementById('page_report');

    if (sections.length >= LISTED && sections.length <= MOST_LISTED) {
        main.append(contents(sections));
    }

    // A chart takes the size of its place, which has none before it is in the page.
    for (const one of sections) {
        const made = section(one);
        main.append(made);
        one.blocks.forEach((block) => draw(block, made, one));
    }

    // A reader cannot unfold a block on paper.
    matchMedia('print').addEventListener('change', ({ matches }) => document.querySelectorAll('main details').forEach((one) => {
        if (matches) {
            one.dataset.folded ??= String(!one.open);
            one.open = true;
        } else {
            one.open = one.dataset.folded !== 'true';
            delete one.dataset.folded;
        }
    }));
}
