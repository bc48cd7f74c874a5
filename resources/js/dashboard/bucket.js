// One bucket: its lines, its last failures and its settings.

import { button, element, say, sayLong, set, show } from './dom.js';
import { ago, count, millis, rate, sayTime, shortSpan, span } from './format.js';
import { axis } from '../page/units.js';
import { extremes, gauges, rates } from './history.js';
import { Grid } from './grid.js';
import { badge, card, choice, Facts, figure, sayState, Sentences, stateOf, totals } from './pieces.js';
import { Poll } from './poll.js';
import { address, readdress } from './route.js';
import { Timeline } from './timeline.js';

const HISTORY_SECONDS = 30;
const DETAIL_SECONDS = 10;
const RANGES = [['60', '1 h'], ['360', '6 h'], ['1440', '24 h']];

const CHARTS = [
    [{ title: 'Events per second', lines: [{ name: 'accepted', color: 0 }, { name: 'delivered', color: 2 }], value: rate, axis: axis('per_second') },
        (answer, at, bucket) => [rates(answer, 'accepted', at, bucket.in_per_second), rates(answer, 'delivered', at, bucket.out_per_second)]],
    [{ title: 'Age of the oldest event', lines: [{ name: 'oldest', color: 3 }], value: span, axis: shortSpan, isSpan: true },
        (answer, at, bucket) => [extremes(answer, 'oldest_seconds', at, bucket.oldest_seconds ?? 0)]],
    [{ title: 'Events waiting', lines: [{ name: 'waiting', color: 1 }], value: count, axis: axis('count'), isCount: true },
        (answer, at, bucket) => [gauges(answer, 'pending', at, bucket.pending)]],
    [{ title: 'Events in a batch', lines: [{ name: 'mean', color: 4 }, { name: 'largest', color: 8 }], value: count, axis: axis('count'), isCount: true },
        (answer, at) => [extremes(answer, 'batch_size', at), extremes(answer, 'largest_batch', at)]],
    [{ title: 'Delivery time of a batch', lines: [{ name: 'mean', color: 6 }, { name: 'slowest', color: 8 }], value: millis, axis: axis('millis') },
        (answer, at) => [extremes(answer, 'delivery_ms', at), extremes(answer, 'slowest_ms', at)]],
    [{ title: 'Flushes', lines: [{ name: 'attempts', color: 8 }, { name: 'failed', color: 7 }], value: count, axis: axis('count'), isCount: true },
        (answer, at) => [gauges(answer, 'flushes', at), gauges(answer, 'failed', at)]],
];

const FAILURES = [
    { heading: 'last time', make: (cell) => cell.append(element('time')), update: (cell, { at }) => sayTime(cell.firstChild, at) },
    { heading: 'failure', kind: 'text long', update: (cell, { message }) => sayLong(cell, message) },
    figure('times', ({ times }) => count(times)),
];

const SETTINGS = [
    { heading: 'setting', update: (cell, { name }) => sayLong(cell, name) },
    { heading: 'value', kind: 'text long', update: (cell, { value }) => sayLong(cell, typeof value === 'string' ? value : JSON.stringify(value)) },
    { heading: 'from', kind: 'text', update: (cell, { is_default: isDefault }) => { say(cell, isDefault ? 'default' : 'configured'); set(cell, 'data-tone', isDefault ? 'quiet' : null); } },
];

export class BucketView {
    #context;
    #name = null;
    #minutes = '60';
    #last = null;
    #history = null;
    #heading = element('h1', { tabindex: '-1' });
    #state = badge();
    #about = element('span');
    #letters = element('a');
    #waiting = element('a');
    #pause = button('Pause', () => this.#change(), { class: 'act' });
    #problems = new Sentences('problems', ({ message }) => message);
    #problemCard = element('section', { 'aria-labelledby': 'held-title', hidden: '' }, element('h2', { id: 'held-title' }, 'What holds it'), this.#problems.node);
    #totals = new Facts('totals');
    #ranges = choice('Time range', 'minutes', RANGES, (minutes) => this.#range(minutes));
    #timelines = CHARTS.map(([options, points]) => [new Timeline(options), points]);
    #failures = new Grid('Last failures of flushes', FAILURES, ({ message }) => message);
    #noFailure = element('p', { class: 'empty', hidden: '' }, 'No flush has failed.');
    #settings = new Grid('Settings in force', SETTINGS, ({ name }) => name, { isStacked: false });
    #space = new Facts('facts small');
    #content;
    #missing = element('div', { class: 'empty', hidden: '' }, element('p', {}, 'This machine has no bucket of this name.'), element('p', {}, element('a', { href: '#/' }, 'See all buckets')));
    #lines = new Poll(() => this.#askHistory(), HISTORY_SECONDS);
    #details = new Poll(() => this.#askDetails(), DETAIL_SECONDS);
    node;

    constructor(context) {
        this.#context = context;
        this.#content = element('div', {},
            element('section', { 'aria-labelledby': 'bucket-totals' }, element('h2', { id: 'bucket-totals', class: 'unseen' }, 'In all'), this.#totals.node),
            this.#problemCard,
            element('section', { 'aria-labelledby': 'lines-title' }, element('div', { class: 'row' }, element('h2', { id: 'lines-title' }, 'Over time'), this.#ranges), element('div', { class: 'side' }, ...this.#timelines.map(([{ node }]) => node))),
            card('Last failures', this.#noFailure, this.#failures.node),
            card('Settings', this.#space.node, this.#settings.node));
        this.node = element('div', { class: 'view', hidden: '' },
            element('div', { class: 'row' }, element('div', {}, element('p', { class: 'crumb' }, element('a', { href: '#/' }, 'All buckets')), this.#heading, element('p', { class: 'about' }, this.#state, ' ', this.#about)), element('div', { class: 'actions' }, this.#waiting, this.#letters, this.#pause)),
            this.#missing,
            this.#content);
    }

    get title() {
        return this.#name ?? 'Bucket';
    }

    enter({ bucket, query }) {
        const minutes = RANGES.some(([value]) => value === query.get('minutes')) ? query.get('minutes') : '60';

        if (bucket !== this.#name || minutes !== this.#minutes) {
            this.#history = null;
        }

        if (bucket !== this.#name) {
            sayLong(this.#heading, bucket ?? '');
            this.#failures.update([]);
            this.#settings.update([]);
        }

        this.#name = bucket;
        this.#minutes = minutes;
        this.#ranges.querySelector(`[value="${minutes}"]`).checked = true;
        set(this.#letters, 'href', address('dead', bucket));
        set(this.#waiting, 'href', address('events', bucket));
        this.#lines.start();
        this.#details.start();
    }

    leave() {
        this.#lines.stop();
        this.#details.stop();
    }

    update(now) {
        this.#last = now;
        const bucket = this.#bucket();
        show(this.#missing, !bucket);
        show(this.#content, Boolean(bucket));
        [this.#state, this.#about, this.#pause, this.#letters, this.#waiting].forEach((node) => show(node, Boolean(bucket)));

        if (!bucket) {
            return;
        }

        sayState(this.#state, stateOf(bucket));
        say(this.#pause, bucket.paused === null ? 'Pause' : 'Resume');
        say(this.#letters, `Dead letters: ${count(bucket.letters)}`);
        say(this.#waiting, `Events waiting: ${count(bucket.pending)}`);
        show(this.#problemCard, bucket.problems.length > 0);
        this.#problems.update(bucket.problems);
        this.#totals.update(totals(bucket));
        this.#draw();
    }

    #bucket() {
        return this.#last?.buckets.find(({ bucket }) => bucket === this.#name) ?? null;
    }

    #range(minutes) {
        this.#minutes = minutes;
        this.#history = null;
        readdress('buckets', this.#name, { minutes: minutes === '60' ? null : minutes });
        this.#lines.now();
    }

    async #askHistory() {
        const [name, minutes] = [this.#name, this.#minutes];
        const { answer } = await this.#context.read(`history?bucket=${encodeURIComponent(name)}&minutes=${minutes}`);

        // The reader may have chosen another bucket or range meanwhile.
        if (answer !== null && name === this.#name && minutes === this.#minutes) {
            this.#history = answer;
            this.#draw();
        }

        return answer !== null;
    }

    async #askDetails() {
        const name = this.#name;
        const { answer } = await this.#context.read(`buckets/${encodeURIComponent(name)}`);

        if (answer !== null && name === this.#name) {
            const { bucket, failures, settings, schedule, sink_name: sink } = answer;
            say(this.#about, [sink ?? 'no sink', bucket.store === 'redis' ? 'buffered in Redis' : 'buffered in files', schedule].filter(Boolean).join(' · '));
            show(this.#noFailure, failures.length === 0);
            this.#failures.update(failures);
            this.#settings.update(settings);
            this.#space.update([
                ['durability', bucket.durability],
                ['used', `${axis('bytes')(bucket.used_bytes ?? 0)}${bucket.max_bytes === null ? ', no limit' : ` of ${axis('bytes')(bucket.max_bytes)}`}`],
                ['last delivery', bucket.flushed_seconds === null ? 'never' : ago(bucket.flushed_seconds)],
            ]);
        }

        return answer !== null;
    }

    #draw() {
        const bucket = this.#bucket();

        if (!this.#history || !bucket || this.node.hidden) {
            return;
        }

        const { at } = this.#last;
        this.#timelines.forEach(([timeline, points]) => timeline.show(at - Number(this.#minutes) * 60, at, points(this.#history, at, bucket)));
    }

    #change() {
        const bucket = this.#bucket();
        bucket && this.#context.actions[bucket.paused === null ? 'pause' : 'resume'](bucket);
    }
}
