// All of this machine at a glance, and the other machines by their heartbeats.

import { element, say, sayLong, sayWords, set, show } from './dom.js';
import { badge, card, Facts, figure, sayState, Sentences, stateOf, totals } from './pieces.js';
import { ago, ahead, bytes, count, many, rate, span } from './format.js';
import { axis } from '../page/units.js';
import { address } from './route.js';
import { gauges, rates } from './history.js';
import { Grid } from './grid.js';
import { Poll } from './poll.js';
import { Timeline } from './timeline.js';

const HISTORY_SECONDS = 30;
const WINDOW_SECONDS = 3_600;
const REMEMBERED_SECONDS = 60;
// With fewer buckets a reader finds one without a filter.
const FILTERED_FROM = 10;

function bucketColumns() {
    return [
        {
            heading: 'bucket',
            make: (cell) => cell.append(element('a'), element('small')),
            update: (cell, { bucket, sink, store }) => {
                const [name, below] = cell.children;
                sayLong(name, bucket);
                set(name, 'href', address('buckets', bucket));
                say(below, `${sink ?? 'no sink'}, ${store}`);
            },
        },
        { heading: 'state', kind: 'text', make: (cell) => cell.append(badge()), update: (cell, bucket) => sayState(cell.firstChild, stateOf(bucket)) },
        figure('accepted', (row) => count(row.accepted)),
        figure('delivered', (row) => count(row.delivered)),
        figure('waiting', (row) => count(row.pending)),
        figure('oldest', (row) => span(row.oldest_seconds)),
        {
            heading: 'dead',
            make: (cell) => cell.append(element('a'), element('span')),
            // Letters that wait to be dealt with, of all that died.
            update: (cell, { bucket, letters, dead }) => {
                const [open, all] = cell.children;
                show(open, letters > 0);
                say(open, letters > 0 ? count(letters) : '');
                say(all, letters > 0 ? (letters === dead ? '' : ` of ${count(dead)}`) : count(dead));
                set(open, 'href', address('dead', bucket));
                set(cell, 'data-tone', letters > 0 ? 'alert' : null);
            },
        },
        figure('dropped', (row) => count(row.dropped)),
        figure('in', (row) => rate(row.in_per_second)),
        figure('out', (row) => rate(row.out_per_second)),
    ];
}

/** The problems of a bucket, each in a sentence with its command. */
const held = {
    make: (cell) => {
        cell.problems = new Sentences('problems', ({ message }) => message);
        cell.append(cell.problems.node);
    },
    update: (cell, { problems }) => {
        cell.problems.update(problems);

        return problems.length > 0;
    },
};

const DECLARED = "'buckets' => [\n    'api-events' => ['sink' => 'database', 'table' => 'api_events'],\n],";
const NODE_COLUMNS = [
    {
        heading: 'machine',
        make: (cell) => cell.append(element('span'), element('small')),
        update: (cell, row) => {
            sayLong(cell.firstChild, row.host ?? row.node);
            sayLong(cell.lastChild, row.this ? `this machine, ${row.path}` : row.path ?? '');
        },
    },
    { heading: 'state', kind: 'text', make: (cell) => cell.append(badge()), update: (cell, row) => sayNode(cell.firstChild, row) },
    figure('heartbeat', (row) => ago(row.seen_seconds)),
    figure('waiting', (row) => count(row.pending)),
    figure('oldest', (row) => span(row.oldest_seconds)),
    figure('dead', (row) => count(row.dead)),
    figure('dropped', (row) => count(row.dropped)),
    { heading: 'failing buckets', kind: 'text long', update: (cell, row) => sayLong(cell, troubled(row).join(', ') || '–') },
];

/** Names of the buckets whose flush fails. `troubled` is their number. */
const troubled = ({ buckets }) => Object.entries(buckets ?? {}).filter(([, { trouble }]) => (trouble ?? null) !== null).map(([name]) => name);

function sayNode(node, row) {
    const [word, tone] = row.silent ? ['silent', 'alert'] : troubled(row).length > 0 ? ['fails', 'alert'] : ['reports', 'good'];
    set(node, 'data-state', tone);
    say(node, word);
}

export class NowView {
    #context;
    #alerts = new Sentences('alerts', ({ cause, subject }) => `${cause}:${subject}`, true);
    #alertCard = element('section', { class: 'alert', hidden: '', 'aria-labelledby': 'alerts-title' }, element('h2', { id: 'alerts-title' }, 'Needs attention'), this.#alerts.node);
    #mode = element('p', { class: 'mode', hidden: '' });
    #totals = new Facts('totals');
    #rates = new Timeline({ title: 'Events per second', lines: [{ name: 'accepted', color: 0 }, { name: 'delivered', color: 2 }], value: rate, axis: axis('per_second') });
    #backlog = new Timeline({ title: 'Events waiting', lines: [{ name: 'waiting', color: 1 }], value: count, axis: axis('count'), isCount: true });
    #charts = element('section', { 'aria-labelledby': 'hour-title' }, element('h2', { id: 'hour-title' }, 'The last hour'), element('div', { class: 'side' }, this.#rates.node, this.#backlog.node));
    #grid = new Grid('Buckets', bucketColumns(), ({ bucket }) => bucket, { below: held });
    #filter = element('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', maxlength: '100' });
    #onlyTroubled = element('input', { type: 'checkbox' });
    #filters = element('div', { class: 'filters', hidden: '' }, element('label', {}, 'Name contains ', this.#filter), element('label', { class: 'check' }, this.#onlyTroubled, ' only with problems'));
    #found = element('p', { class: 'note', hidden: '' });
    #noEvent = element('p');
    #example = element('code');
    #noBucket = element('div', { class: 'empty', hidden: '' }, this.#noEvent, element('pre', { class: 'copied', tabindex: '0' }, this.#example));
    #nodes = new Grid('Machines', NODE_COLUMNS, ({ node, path }) => `${node} ${path}`);
    #nodeNote = element('p', { class: 'note', hidden: '' });
    #flush = new Facts('facts small');
    #workers = new Grid('Processes that deliver', [
        { heading: 'process', make: (cell) => cell.append(element('span'), element('small')), update: (cell, row) => { say(cell.firstChild, `pid ${row.pid}`); sayLong(cell.lastChild, row.host ?? ''); } },
        { heading: 'buckets', kind: 'text long', update: (cell, row) => sayLong(cell, row.buckets.length === 0 ? 'all' : row.buckets.join(', ')) },
        { heading: 'started', kind: 'text', update: (cell, row) => say(cell, row.age !== null ? ago(row.age) : row.isHere ? 'now' : `seen ${ago(row.seconds)}`) },
    ], ({ host, pid }) => `${host} ${pid}`);
    #seenWorkers = new Map();
    #order = new Map();
    #noWorker = element('p', { class: 'note', hidden: '' });
    #disk = new Facts('facts small');
    #diskBar = element('meter', { 'aria-label': 'Used space of the disk', min: '0', max: '1' });
    #history = null;
    #poll = new Poll(() => this.#ask(), HISTORY_SECONDS);
    #last = null;
    title = 'Now';
    node;

    constructor(context) {
        this.#context = context;
        this.#filter.addEventListener('input', () => this.#buckets());
        this.#onlyTroubled.addEventListener('change', () => this.#buckets());
        this.node = element('div', { class: 'view', hidden: '' },
            element('h1', { tabindex: '-1' }, 'Now'),
            this.#mode,
            this.#alertCard,
            element('section', { 'aria-labelledby': 'totals-title' }, element('h2', { id: 'totals-title', class: 'unseen' }, 'In all'), this.#totals.node),
            this.#charts,
            card('Buckets', this.#filters, this.#found, this.#noBucket, this.#grid.node),
            card('Machines', this.#nodeNote, this.#nodes.node),
            element('div', { class: 'pair' },
                card('Workers and schedule', this.#flush.node, this.#noWorker, this.#workers.node),
                card('Disk', this.#disk.node, this.#diskBar)));
    }

    enter() {
        this.#poll.start();
    }

    leave() {
        this.#poll.stop();
    }

    update(now) {
        this.#last = now;
        this.#totals.update(totals(now.totals));
        const notes = [now.maintenance ? 'The application is in maintenance mode. The buffer accepts events, and delivers none.' : '', now.enabled ? '' : 'The buffer is turned off: events go directly to their sinks.'].filter(Boolean);
        show(this.#mode, notes.length > 0);
        say(this.#mode, notes.join(' '));
        this.#buckets();
        this.#delivery(now);
        this.#space(now.disk);
        this.#draw();
    }

    /** @param {object[]} alerts of this machine and of the node table */
    alert(alerts) {
        show(this.#alertCard, alerts.length > 0);
        this.#alerts.update(alerts);
    }

    /** @param {{state: string, detail: ?string, nodes: object[]}} answer @param {?string} stale since when it is not refreshed */
    machines({ state, detail, nodes }, stale) {
        const notes = {
            off: detail === null ? 'Other machines are not shown, because `heartbeats` is off in config/spool.php.' : '',
            unavailable: 'The database with the node table does not answer. The figures of this machine come from its disk and stay current.',
        };
        const note = [state === 'ok' && nodes.length === 0 ? 'No machine has sent a heartbeat yet. The schedule sends one each minute.' : notes[state], detail, stale].filter(Boolean).join(' ');
        show(this.#nodeNote, note !== '');
        sayWords(this.#nodeNote, note);
        this.#nodes.update(nodes);
    }

    async #ask() {
        const { answer } = await this.#context.read('history?minutes=60');

        if (answer !== null) {
            this.#history = answer;
            this.#draw();
        }

        return answer !== null;
    }

    #buckets() {
        const all = this.#ordered(this.#last?.buckets ?? []);
        const text = this.#filter.value.trim().toLowerCase();
        const isFiltered = text !== '' || this.#onlyTroubled.checked;
        const found = all.filter(({ bucket, problems, state }) => bucket.toLowerCase().includes(text) && (!this.#onlyTroubled.checked || problems.length > 0 || !['ok', 'waiting'].includes(state)));
        show(this.#filters, all.length >= FILTERED_FROM);
        show(this.#found, isFiltered);
        say(this.#found, `${count(found.length)} of ${many(all.length, 'bucket')}.`);
        say(this.#noEvent, all.length === 0 ? 'No bucket is declared. Declare one in config/spool.php:' : 'No bucket has an event yet. Add one, and it shows here within two seconds:');
        say(this.#example, all.length === 0 ? DECLARED : `use Headroom\\Laravel\\Facades\\Buffer;\n\nBuffer::bucket('${all[0].bucket}')->add($row);`);
        show(this.#noBucket, this.#last !== null && all.every(({ accepted, pending }) => accepted === 0 && pending === 0));
        this.#grid.update(found);
    }

    #delivery({ at, flush, workers }) {
        const facts = [
            ['last flush', flush.last_seconds === null ? 'never' : ago(flush.last_seconds)],
            ['next flush', flush.next_seconds === null ? 'not planned' : ahead(flush.next_seconds)],
            ['schedule', flush.schedule ?? 'none'],
            ...(flush.autoflush ? [['autoflush', flush.autoflush === true ? 'on' : String(flush.autoflush)]] : []),
        ];
        this.#flush.update(facts);
        const seen = this.#recent(at, workers);
        show(this.#noWorker, seen.length === 0);
        say(this.#noWorker, flush.schedule === null ? 'No process delivers at the moment, and the schedule flushes nothing.' : 'No process delivers at the moment.');
        this.#workers.update(seen);
    }

    /** Problems first, then traffic. A bucket keeps its place while the page is open, so that no row jumps. */
    #ordered(buckets) {
        const rank = ({ problems, accepted }) => (problems.length > 0 ? 0 : accepted > 0 ? 1 : 2);
        [...buckets].sort((one, other) => rank(one) - rank(other)).forEach(({ bucket }) => this.#order.has(bucket) || this.#order.set(bucket, this.#order.size));

        return [...buckets].sort((one, other) => this.#order.get(one.bucket) - this.#order.get(other.bucket));
    }

    /** A flush may be over in milliseconds, so its process stays in the list for a while. */
    #recent(at, workers) {
        workers.forEach((worker) => this.#seenWorkers.set(`${worker.host} ${worker.pid}`, { ...worker, at }));

        return [...this.#seenWorkers].flatMap(([key, worker]) => {
            const seconds = Math.max(0, at - worker.at);
            // A worker is in each answer until it ends.
            const isOver = seconds > (typeof worker.since === 'number' ? 0 : REMEMBERED_SECONDS);
            isOver && this.#seenWorkers.delete(key);

            return isOver ? [] : [{ ...worker, seconds, isHere: worker.at === at, age: typeof worker.since === 'number' ? Math.max(0, at - worker.since) : null }];
        });
    }

    #space({ free_bytes: free, total_bytes: total, min_free_bytes: least }) {
        const isShort = least !== null && free !== null && free < least;
        this.#disk.update([['free', bytes(free), isShort ? 'alert' : null], ['of', bytes(total)], ['kept free', bytes(least)]]);
        show(this.#diskBar, free !== null && total > 0);
        this.#diskBar.value = total > 0 ? 1 - free / total : 0;
        set(this.#diskBar, 'data-tone', isShort ? 'alert' : null);
    }

    #draw() {
        if (!this.#history || !this.#last || this.node.hidden) {
            return;
        }

        const { at, totals: all } = this.#last;
        this.#rates.show(at - WINDOW_SECONDS, at, [rates(this.#history, 'accepted', at, all.in_per_second), rates(this.#history, 'delivered', at, all.out_per_second)]);
        this.#backlog.show(at - WINDOW_SECONDS, at, [gauges(this.#history, 'pending', at, all.pending)]);
    }
}
