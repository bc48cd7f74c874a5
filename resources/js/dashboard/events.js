// A look at the events that wait in a bucket, the oldest first.

import { element, say, sayLong, set, show } from './dom.js';
import { count, sayTime, span } from './format.js';
import { Grid } from './grid.js';
import { badge, BucketChoice, card, figure } from './pieces.js';
import { Poll } from './poll.js';
import { address, readdress } from './route.js';
import { preview, sayEvent } from './rows.js';

const SECONDS = 10;
const LIMIT = 50;

const COLUMNS = [
    { heading: 'accepted', make: (cell) => cell.append(element('time')), update: (cell, { accepted_at: at }) => sayTime(cell.firstChild, at) },
    figure('age', ({ age_seconds: age }) => span(age)),
    {
        heading: 'state',
        kind: 'text',
        make: (cell) => cell.append(badge()),
        update: (cell, { state, error }) => {
            set(cell.firstChild, 'data-state', error ? 'alert' : 'quiet');
            say(cell.firstChild, error ? 'unreadable' : state);
        },
    },
    { heading: 'event', kind: 'text line sole', update: (cell, { values, error }) => say(cell, error ?? preview(values)) },
];

const DETAIL = {
    unfolds: true,
    make: (cell) => {
        cell.identity = element('p', { class: 'note' });
        cell.event = element('code');
        cell.append(element('p', { class: 'note left' }, 'It has left the buffer since you opened it.'), cell.identity, element('pre', { class: 'copied', tabindex: '0', role: 'region', 'aria-label': 'Event' }, cell.event));
    },
    update: (cell, { place, id, values }) => {
        cell.closest('tbody').classList.remove('gone');
        sayLong(cell.identity, id === null ? `${place}, not sealed yet` : id);
        sayEvent(cell.event, values);

        return true;
    },
};

export class EventsView {
    #context;
    #name = null;
    #last = null;
    #choice = new BucketChoice((bucket) => { location.hash = address('events', bucket); });
    #summary = element('p', { class: 'note' });
    #grid = new Grid('Events waiting', COLUMNS, ({ place }) => place, { below: DETAIL });
    #empty = element('p', { class: 'empty', hidden: '' });
    #card;
    #isRead = false;
    #poll = new Poll(() => this.#ask(), SECONDS);
    title = 'Events waiting';
    node;

    constructor(context) {
        this.#context = context;
        this.#card = card('The oldest', this.#summary, this.#empty, this.#grid.node);
        this.node = element('div', { class: 'view', hidden: '' }, element('h1', { tabindex: '-1' }, 'Events waiting'), element('div', { class: 'filters' }, this.#choice.node), this.#card);
    }

    enter({ bucket }) {
        if (bucket !== this.#name) {
            this.#isRead = false;
            this.#grid.update([]);
            say(this.#summary, '');
        }

        this.#name = bucket;
        this.#choose();
        this.#poll.start();
    }

    leave() {
        this.#poll.stop();
    }

    update(now) {
        this.#last = now;
        this.#choose();
        this.#choice.update(now.buckets, this.#name, ({ bucket, pending }) => `${bucket} (${count(pending)})`);

        if (now.buckets.length === 0 || !now.buckets.some(({ bucket }) => bucket === this.#name)) {
            this.#tellEmpty(now.buckets.length === 0 ? 'No bucket is declared.' : `This machine has no bucket ${this.#name}. Choose another one.`);
        } else if (!this.#isRead) {
            show(this.#empty, false);
        }
    }

    /** Without a name in the address, the bucket with the most events. */
    #choose() {
        if (this.#name === null && this.#last && this.#last.buckets.length > 0) {
            this.#name = [...this.#last.buckets].sort((one, other) => other.pending - one.pending)[0].bucket;
            readdress('events', this.#name, {});
            this.#poll.now();
        }
    }

    async #ask() {
        const name = this.#name;

        if (name === null) {
            return true;
        }

        const { answer, failure } = await this.#context.read(`buckets/${encodeURIComponent(name)}/events?limit=${LIMIT}`);

        if (name !== this.#name) {
            return true;
        }

        if (answer === null) {
            failure && say(this.#summary, `Not refreshed: ${failure.title}. ${failure.detail}`);

            return failure !== null && !failure.isDown;
        }

        const { events, more } = answer;
        this.#isRead = true;
        this.#grid.update(events, (body) => {
            const isOpen = Grid.isOpen(body);
            isOpen && body.classList.add('gone');

            return isOpen;
        });

        if (events.length === 0) {
            this.#tellEmpty('No event waits. The sink has all of them.');
        } else {
            show(this.#empty, false);
            say(this.#summary, more ? `The oldest ${count(events.length)} of those that wait. Values of redacted keys are hidden.` : `All ${count(events.length)} that wait. Values of redacted keys are hidden.`);
        }

        return true;
    }

    #tellEmpty(text) {
        say(this.#empty, text);
        say(this.#summary, '');
        show(this.#empty, true);
    }
}
