// A page of sections, of src/Report/Page/Page.php.

import { element, wrappable } from '../words.js';
import { draw } from './blocks.js';

// Fewer are seen at a glance.
const LISTED = 5;
// More would push the page itself out of sight.
const MOST_LISTED = 30;

export function section({ id, title, tone = 'plain' }, ...children) {
    // No id that a page gives has a _ in it.
    return element('section', { id, class: tone, 'aria-labelledby': `${id}_title` }, element('h2', { id: `${id}_title` }, ...wrappable(title)), ...children);
}

const contents = (sections) => element('nav', { 'aria-label': 'Sections' }, element('ul', {}, ...sections.map(({ id, title }) => element('li', {}, element('a', { href: `#${id}` }, title)))));

export function drawPage({ what, sections }) {
    document.getElementById('page_what').textContent = what;
    const main = document.getElementById('page_report');

    if (sections.length >= LISTED && sections.length <= MOST_LISTED) {
        main.append(contents(sections));
    }

    // First into the page: a chart is as large as its place.
    for (const one of sections) {
        const made = section(one);
        main.append(made);
        one.blocks.forEach((block) => draw(block, made, one));
    }

    // What is folded away can not be unfolded on paper.
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
