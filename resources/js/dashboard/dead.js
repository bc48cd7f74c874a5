// Dead letters of a bucket: why the sink refused them, and what to do with them.

import { button, element, say, sayLong, set, show } from './dom.js';
import { count, many, sayTime } from './format.js';
import { Grid } from './grid.js';
import { BucketChoice, card, Facts, figure } from './pieces.js';
import { Poll } from './poll.js';
import { address, readdress } from './route.js';
import { preview, sayEvent } from './rows.js';

const SECONDS = 10;
const LIMIT = 50;
const ACTIONS = [['retry', 'Retry'], ['forget', 'Forget'], ['export', 'Export']];

export class DeadView {
    #context;
    #name = null;
    #search = '';
    #kind = '';
    #last = null;
    #answer = null;
    #letters = [];
    #isLoading = false;
    #choice = new BucketChoice((bucket) => { location.hash = address('dead', bucket); });
    #field = element('input', { type: 'search', maxlength: '200', autocomplete: 'off', spellcheck: 'false' });
    #form = element('form', { class: 'filters', role: 'search' }, this.#choice.node, element('label', {}, 'Search events and reasons ', this.#field), element('button', { type: 'submit' }, 'Search'));
    #summary = element('p', { class: 'note' });
    #all = this.#buttons('act', () => ({ all: true }), () => this.#answer?.total ?? 0, () => `All dead letters of the bucket${this.#search || this.#kind ? ', also those that the search does not show' : ''}.`);
    #kinds;
    #rarer = element('p', { class: 'note', hidden: '' });
    #grid;
    #note = element('p', { class: 'note', hidden: '' });
    #more = button('Show more', () => this.#next());
    #empty = element('p', { class: 'empty', hidden: '' });
    #kindCard;
    #listCard;
    #every = element('a', {}, 'Show all kinds');
    #poll = new Poll(() => this.#ask(), SECONDS);
    title = 'Dead letters';
    node;

    constructor(context) {
        this.#context = context;
        this.#kinds = new Grid('Kinds of dead letters', this.#kindColumns(), ({ kind }) => kind);
        this.#grid = new Grid('Dead letters', [
            { heading: 'died', make: (cell) => cell.append(element('time')), update: (cell, { died_at: at }) => sayTime(cell.firstChild, at) },
            { heading: 'reason', kind: 'text line', update: (cell, { reason }) => say(cell, preview(reason)) },
            { heading: 'event', kind: 'text line', update: (cell, { event }) => say(cell, preview(event)) },
        ], ({ id }) => id, { below: this.#detail() });
        this.#form.addEventListener('submit', (event) => {
            event.preventDefault();
            this.#open(this.#field.value.trim(), this.#kind);
        });
        this.#kindCard = card('Kinds', this.#kinds.node, this.#rarer, element('div', { class: 'actions act' }, element('span', {}, 'All of the bucket:'), ...this.#all));
        this.#listCard = card('Letters', this.#summary, this.#every, this.#grid.node, this.#note, this.#more);
        this.node = element('div', { class: 'view', hidden: '' }, element('h1', { tabindex: '-1' }, 'Dead letters'), this.#form, this.#empty, this.#kindCard, this.#listCard);
    }

    enter({ bucket, query }) {
        const [search, kind] = [query.get('search') ?? '', query.get('kind') ?? ''];

        if (bucket !== this.#name || search !== this.#search || kind !== this.#kind) {
            this.#clear();
        }

        [this.#name, this.#search, this.#kind] = [bucket, search, kind];
        this.#field.value = search;
        this.#choose();
        this.#poll.start();
    }

    leave() {
        this.#poll.stop();
    }

    update(now) {
        this.#last = now;
        this.#choose();
        this.#choice.update(now.buckets, this.#name, ({ bucket, letters }) => (letters > 0 ? `${bucket} (${count(letters)})` : bucket));

        if (now.buckets.length === 0) {
            this.#tellEmpty('No bucket is declared.');
        } else if (!now.buckets.some(({ bucket }) => bucket === this.#name)) {
            this.#tellEmpty(`This machine has no bucket ${this.#name}. Choose another one.`);
        }
    }

    /** Without a name in the address, the bucket with the most dead letters. */
    #choose() {
        if (this.#name === null && this.#last && this.#last.buckets.length > 0) {
            this.#name = [...this.#last.buckets].sort((one, other) => (other.letters ?? 0) - (one.letters ?? 0))[0].bucket;
            readdress('dead', this.#name, { search: this.#search, kind: this.#kind });
            this.#poll.now();
        }
    }

    #clear() {
        this.#answer = null;
        this.#letters = [];
        this.#grid.update([]);
        this.#kinds.update([]);
        [this.#kindCard, this.#listCard, this.#empty].forEach((node) => show(node, false));
    }

    #open(search, kind) {
        this.#clear();
        [this.#search, this.#kind] = [search, kind];
        readdress('dead', this.#name, { search, kind });
        this.#poll.now();
    }

    /** Reads the first page again, unless the reader has gone on from it. */
    async #ask() {
        if (this.#name === null || this.#letters.length > LIMIT) {
            return true;
        }

        return this.#read('');
    }

    async #next() {
        if (!this.#isLoading && this.#answer?.next) {
            const before = this.#letters.length;
            this.#isLoading = this.#more.disabled = true;
            await this.#read(this.#answer.next);
            this.#isLoading = this.#more.disabled = false;
            this.#context.announce(`${count(this.#letters.length - before)} more are shown.`);
        }
    }

    async #read(after) {
        const asked = [this.#name, this.#search, this.#kind];
        const query = new URLSearchParams({ search: this.#search, kind: this.#kind, after, limit: String(LIMIT) });
        const { answer, failure } = await this.#context.read(`buckets/${encodeURIComponent(this.#name)}/dead?${query}`);

        if (asked.join('\n') !== [this.#name, this.#search, this.#kind].join('\n')) {
            return true;
        }

        if (answer === null) {
            show(this.#note, failure !== null);
            failure && say(this.#note, `Not refreshed: ${failure.title}. ${failure.detail}`);

            return failure !== null && !failure.isDown;
        }

        // Only the first page counts the kinds.
        this.#answer = after === '' ? { ...answer, isCounted: answer.complete } : { ...answer, kinds: this.#answer.kinds, more_kinds: this.#answer.more_kinds, isCounted: this.#answer.isCounted, scanned: this.#answer.scanned + answer.scanned };
        this.#letters = after === '' ? answer.letters : [...this.#letters, ...answer.letters];
        this.#show();

        // A request looks at some thousand letters, so a search goes on until it finds one.
        return this.#letters.length === 0 && answer.next !== null && !this.node.hidden ? this.#read(answer.next) : true;
    }

    #show() {
        const { total, kinds, more_kinds: rarer = 0, next, scanned, complete } = this.#answer;

        if (total === 0) {
            this.#tellEmpty('No dead letters. Your sink has taken every event of this bucket, or you have dealt with those that it refused.');
            this.#grid.update([]);

            return;
        }

        show(this.#empty, false);
        show(this.#kindCard, true);
        show(this.#listCard, true);
        this.#kinds.update(kinds);
        show(this.#rarer, rarer > 0);
        say(this.#rarer, `${many(rarer, 'rarer kind')} ${rarer === 1 ? 'is' : 'are'} not shown.`);
        const shown = this.#letters.length;
        const isFiltered = this.#search !== '' || this.#kind !== '';
        say(this.#summary, isFiltered
            ? `${many(shown, 'dead letter')} found${this.#search === '' ? '' : ` with “${this.#search}”`}${complete ? '' : ` among the ${count(scanned)} that were searched`}, of ${count(total)} in the bucket.`
            : `${count(shown)} of ${many(total, 'dead letter')}, the newest first.`);
        show(this.#every, this.#kind !== '');
        set(this.#every, 'href', address('dead', this.#name, { search: this.#search }));
        this.#grid.update(this.#letters, (body) => this.#keeps(body));
        show(this.#note, shown === 0);
        say(this.#note, complete ? 'Nothing matches.' : 'Nothing matches yet.');
        show(this.#more, next !== null);
        say(this.#more, complete || next === null ? 'Show more' : 'Search further');
    }

    /** A row that the reader has open stays when it was retried elsewhere, and says so. */
    #keeps(body) {
        const isOpen = Grid.isOpen(body) && body.letter?.bucket === this.#name;
        isOpen && body.classList.add('gone');

        return isOpen;
    }

    #tellEmpty(text) {
        say(this.#empty, text);
        show(this.#empty, true);
        show(this.#kindCard, false);
        show(this.#listCard, false);
    }

    #buttons(name, chosen, number, which, isPartial = () => false) {
        return ACTIONS.map(([action, word]) => button(word, () => this.#context.actions.letters(action, { bucket: this.#name, ...chosen() }, number(), which(), isPartial()), { class: `small ${name}${action === 'forget' ? ' danger' : ''}` }));
    }

    /** A bucket may have more letters than a request looks at. */
    #isCounted() {
        return this.#answer.isCounted;
    }

    #kindColumns() {
        return [
            {
                heading: 'reason',
                kind: 'text',
                make: (cell) => cell.append(element('a')),
                update: (cell, { kind, reason }) => {
                    sayLong(cell.firstChild, reason);
                    set(cell.firstChild, 'href', address('dead', this.#name, { kind }));
                    set(cell.firstChild, 'aria-current', kind === this.#kind ? 'true' : null);
                },
            },
            figure('letters', ({ letters }) => (this.#isCounted() ? count(letters) : `at least ${count(letters)}`)),
            {
                heading: 'actions',
                kind: 'text act',
                make: (cell) => cell.append(element('div', { class: 'actions' }, ...this.#buttons('', () => ({ kind: cell.kind.kind }), () => cell.kind.letters, () => `All of the kind “${cell.kind.reason}”.`, () => !this.#isCounted()))),
                update: (cell, kind) => {
                    cell.kind = kind;
                    cell.querySelectorAll('button').forEach((one, at) => set(one, 'aria-label', `${ACTIONS[at][1]} all of the kind ${kind.reason}`));
                },
            },
        ];
    }

    #detail() {
        return {
            unfolds: true,
            make: (cell) => {
                cell.facts = new Facts('pairs');
                cell.event = element('code');
                const buttons = this.#buttons('act', () => ({ ids: [cell.letter.id] }), () => 1, () => `The event ${cell.letter.event_id ?? cell.letter.id}.`);
                cell.append(
                    element('p', { class: 'note left' }, 'It is no dead letter any more: it was retried, forgotten or delivered since you opened it.'),
                    cell.facts.node,
                    element('pre', { class: 'copied', tabindex: '0', role: 'region', 'aria-label': 'Event' }, cell.event),
                    element('div', { class: 'actions' }, ...buttons),
                );
            },
            update: (cell, letter) => {
                cell.letter = letter;
                const body = cell.closest('tbody');
                body.letter = { bucket: this.#name };
                body.classList.remove('gone');
                const times = [['accepted', letter.accepted_at], ['died', letter.died_at]].map(([name, at]) => [name, timeText(at)]);
                cell.facts.update([['event id', letter.event_id ?? 'unknown'], ['sink', letter.sink ?? 'unknown'], ['reason', letter.reason], ...times, ...(letter.corrupt ? [['state', 'It cannot be decoded; these are its bytes.', 'alert']] : [])]);
                sayEvent(cell.event, letter.event);

                return true;
            },
        };
    }
}

function timeText(at) {
    const node = element('time');
    sayTime(node, at);

    return node.title === '' ? node.textContent : `${node.textContent} (${node.title})`;
}
