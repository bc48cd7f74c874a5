// A table whose rows change in place. On a narrow screen a row is a card, so each cell has the heading of its column.

import { element, keyed, show } from './dom.js';

/**
 * @typedef {object} Column
 * @property {string} heading
 * @property {(cell: Element, row: object) => void} update
 * @property {(cell: Element) => void} [make]
 * @property {string} [kind] "text" for words, "long" for words that wrap; a column of figures has none
 */
export class Grid {
    #columns;
    #keyOf;
    #below;
    #table;
    node;

    /**
     * @param {string} caption
     * @param {Column[]} columns the first has the headings of rows
     * @param {(row: object) => string} keyOf
     * @param {{below?: {make: (cell: Element) => void, update: (cell: Element, row: object) => boolean, unfolds?: boolean}, isStacked?: boolean, isCaptionShown?: boolean}} options
     *     below: a line of its own under a row, if update() returns true. With `unfolds`, the reader opens it
     */
    constructor(caption, columns, keyOf, { below = null, isStacked = true, isCaptionShown = false } = {}) {
        this.#columns = columns;
        this.#keyOf = keyOf;
        this.#below = below;
        const headings = columns.map(({ heading, kind = '' }) => element('th', { scope: 'col', role: 'columnheader', class: kind }, heading));
        this.#table = element('table', { role: 'table' },
            element('caption', { class: isCaptionShown ? '' : 'unseen' }, caption),
            element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...headings)));
        // A box that scrolls takes the keyboard's focus, so it needs a name.
        this.node = element('div', { class: isStacked ? 'wide stacked' : 'wide', hidden: '', tabindex: '0', role: 'region', 'aria-label': caption }, this.#table);
    }

    /** @param {object[]} rows @param {(body: Element) => boolean} keeps whether a row stays although it is gone */
    update(rows, keeps = () => false) {
        keyed(this.#table, rows, this.#keyOf, () => this.#made(), (body, row) => this.#filled(body, row), { keeps, behind: this.#table.tHead });
        show(this.node, this.#table.tBodies.length > 0);
    }

    /** Whether the reader has opened the line below a row. */
    static isOpen(body) {
        return body.rows[1]?.hidden === false;
    }

    #made() {
        const cells = this.#columns.map((column, at) => {
            const cell = at === 0
                ? element('th', { scope: 'row', role: 'rowheader', class: column.kind ?? '' })
                : element('td', { role: 'cell', 'data-heading': column.heading, class: column.kind ?? '' });
            column.make?.(cell);

            return cell;
        });
        const body = element('tbody', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...cells));

        if (this.#below) {
            const cell = element('td', { role: 'cell', colspan: String(cells.length), class: 'below' });
            this.#below.make(cell);
            body.append(element('tr', { role: 'row', hidden: '' }, cell));
            this.#below.unfolds && this.#unfold(body, cells[0]);
        }

        return body;
    }

    /** The heading of the row becomes the button that opens the line below. */
    #unfold(body, heading) {
        const toggle = element('button', { type: 'button', class: 'unfold', 'aria-expanded': 'false' });
        toggle.append(...heading.childNodes);
        toggle.addEventListener('click', () => {
            const isOpen = toggle.getAttribute('aria-expanded') === 'true';
            toggle.setAttribute('aria-expanded', String(!isOpen));
            show(body.rows[1], !isOpen);
        });
        heading.append(toggle);
    }

    #filled(body, row) {
        const [first, second] = body.rows;
        const isUnfolding = this.#below?.unfolds === true;
        this.#columns.forEach((column, at) => column.update(at === 0 && isUnfolding ? first.cells[0].firstChild : first.cells[at], row));

        if (second) {
            const isShown = this.#below.update(second.cells[0], row);
            isUnfolding || show(second, isShown);
        }
    }
}
