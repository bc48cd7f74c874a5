// A chart with its table, which is its legend and its text.

import { Drawing } from './drawing.js';
import { at, count, duration, element, percent } from './words.js';

const OTHERS = 8;

const EMPTY = {
    business: 'No business events in this range. Choose a longer range or clear the type. If your application sends events, spool:status lists those that wait, and spool:failed those that were refused.',
    actions: 'No end-user actions in this range. `actions` in config/headroom.php lists the prefixes of their types.',
};

export class Panel {
    #section;
    #place = element('div', { class: 'chart', role: 'img' });
    #empty = element('p', { class: 'empty' });
    #table = element('table');
    #drawing = null;
    #hidden = new Set();
    #data = null;

    constructor(group) {
        this.group = group;
        this.#section = document.getElementById(group);
        this.#empty.textContent = EMPTY[group];
        this.#section.append(this.#empty, this.#place, this.#table);
        this.#show(false, false);
    }

    /** Marks figures of a question that has changed since. */
    stale(isStale) {
        this.#section.classList.toggle('stale', isStale);
        this.#section.setAttribute('aria-busy', String(isStale));
    }

    show(data) {
        this.#data = data;
        this.stale(false);
        this.#show(data.total > 0, true);

        if (data.total > 0) {
            this.#fill();
            this.draw();
        }
    }

    draw() {
        if (!this.#data || this.#data.total === 0) {
            return;
        }

        this.#drawing ??= new Drawing(this.#place);
        this.#drawing.stack(this.#data, this.#series().filter((series) => !this.#hidden.has(series.key)));
    }

    #show(hasEvents, isKnown) {
        this.#place.hidden = this.#table.hidden = !hasEvents;
        this.#empty.hidden = hasEvents || !isKnown;
    }

    #series() {
        const { series, others } = this.#data;
        const named = series.map((one, index) => ({ ...one, key: `:${one.name}`, color: index % OTHERS }));

        return others ? [...named, { name: 'all others', key: 'others', color: OTHERS, ...others }] : named;
    }

    #fill() {
        const { total, from, to, interval, split, partial } = this.#data;
        const title = this.#section.querySelector('h2').textContent;
        const range = `${at(from)} to ${at(to)}`;
        this.#place.setAttribute('aria-label', `${title} by ${split}, stacked over time, ${range}: ${count(total)} in all. The table below has the numbers.`);

        // A refresh must not take the keyboard's focus from a name.
        const focused = this.#table.contains(document.activeElement) ? document.activeElement.dataset.key : null;
        this.#table.replaceChildren(
            element('caption', {}, `${range}, one bar is ${duration(interval)}.${partial ? ' Some shards of the index did not respond, so the numbers are too low.' : ''}`),
            element('thead', {}, element('tr', {}, ...[split, 'events', 'share'].map((name) => element('th', { scope: 'col' }, name)))),
            element('tbody', {}, ...this.#series().map((series) => this.#row(series, total))),
            element('tfoot', {}, element('tr', {}, element('th', { scope: 'row' }, 'all'), element('td', { 'data-total': total }, count(total)), element('td', {}, percent(total, total)))),
        );

        if (focused !== null) {
            [...this.#table.querySelectorAll('button')].find((button) => button.dataset.key === focused)?.focus();
        }
    }

    #row(series, total) {
        const button = element(
            'button',
            { type: 'button', 'aria-pressed': String(!this.#hidden.has(series.key)), 'data-key': series.key, title: 'Show or hide in the chart' },
            element('span', { class: `swatch c${series.color}`, 'aria-hidden': 'true' }),
            element('span', { class: 'name' }, series.name),
        );
        button.addEventListener('click', () => {
            const isShown = this.#hidden.delete(series.key) || !this.#hidden.add(series.key);
            button.setAttribute('aria-pressed', String(isShown));
            this.draw();
        });

        return element('tr', {}, element('th', { scope: 'row' }, button), element('td', { 'data-total': series.total }, count(series.total)), element('td', {}, percent(series.total, total)));
    }
}
