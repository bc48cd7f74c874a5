// Collectors and queues of this machine, and the doctor's last report.

import { button, element, say, sayLong, sayWords, set, show } from './dom.js';
import { bytes, count, many, NONE, rate, sayTime } from './format.js';
import { Findings } from './findings.js';
import { Grid } from './grid.js';
import { card, figure } from './pieces.js';
import { Poll } from './poll.js';

const SECONDS = 5;
const RATED = ['accepted_total', 'rejected_total', 'requests_total'];

const COLLECTORS = [
    { heading: 'collector', make: (cell) => cell.append(element('span'), element('small')), update: (cell, { bucket, listen }) => { sayLong(cell.firstChild, bucket ?? 'all buckets'); sayLong(cell.lastChild, listen ?? ''); } },
    figure('workers', ({ workers }) => count(workers)),
    figure('connections', ({ connections }) => count(connections)),
    figure('requests', ({ rates }) => rate(rates.requests_total)),
    figure('accepted', ({ rates }) => rate(rates.accepted_total)),
    figure('rejected', ({ rates }) => rate(rates.rejected_total)),
    figure('accepted in all', ({ accepted_total: total }) => count(total)),
    figure('memory', ({ memory_bytes: memory }) => bytes(memory)),
    { heading: 'since', kind: 'text', make: (cell) => cell.append(element('time')), update: (cell, { started_at: at }) => sayTime(cell.firstChild, at) },
];

const QUEUES = [
    { heading: 'queue', make: (cell) => cell.append(element('span'), element('small')), update: (cell, { queue, connection }) => { sayLong(cell.firstChild, queue); sayLong(cell.lastChild, connection); } },
    figure('pending', ({ pending }) => count(pending)),
    figure('delayed', ({ delayed }) => count(delayed)),
    figure('reserved', ({ reserved }) => count(reserved)),
    figure('failed', ({ failed }) => count(failed)),
    { heading: 'state', kind: 'text long', update: (cell, { error }) => { sayLong(cell, error ?? 'answers'); set(cell, 'data-tone', error === null ? 'quiet' : 'alert'); } },
];

export class MachineView {
    #context;
    #before = null;
    #collectors = new Grid('Collectors', COLLECTORS, ({ bucket, listen }) => `${bucket} ${listen}`);
    #noCollector = element('p', { class: 'empty', hidden: '' });
    #queues = new Grid('Queues', QUEUES, ({ connection, queue }) => `${connection} ${queue}`);
    #noQueue = element('p', { class: 'empty', hidden: '' }, 'The application has no queue connection that can be counted.');
    #doctor = element('p', { class: 'note' });
    #when = element('time');
    #run = button('Run the doctor', () => this.#context.actions.doctor(), { class: 'act' });
    #findings = new Findings();
    #stale = element('p', { class: 'note', hidden: '' });
    #poll = new Poll(() => this.#ask(), SECONDS);
    title = 'Machine';
    node;

    constructor(context) {
        this.#context = context;
        sayWords(this.#noCollector, 'No collector runs on this machine. Start one with `php artisan headroom:collect`, if programs other than this application send events.');
        this.node = element('div', { class: 'view', hidden: '' },
            element('h1', { tabindex: '-1' }, 'Machine'),
            this.#stale,
            card('Collectors', this.#noCollector, this.#collectors.node),
            card('Queues', this.#noQueue, this.#queues.node),
            element('section', { 'aria-labelledby': 'doctor-title' }, element('div', { class: 'row' }, element('h2', { id: 'doctor-title' }, 'Doctor'), this.#run), this.#doctor, this.#findings.node));
    }

    enter() {
        this.#poll.start();
    }

    leave() {
        this.#poll.stop();
        // A rate of the time in between would be a mean of minutes.
        this.#before = null;
    }

    update() {}

    /** Asks at once, as after an action. */
    now() {
        this.#poll.now();
    }

    async #ask() {
        const { answer, failure } = await this.#context.read('machine');
        show(this.#stale, failure !== null);

        if (answer === null) {
            failure && say(this.#stale, `Not refreshed: ${failure.title}. ${failure.detail}`);

            return false;
        }

        const at = performance.now() / 1000;
        const collectors = answer.collectors.map((collector) => ({ ...collector, rates: this.#rates(collector, at) }));
        this.#before = { at, collectors };
        show(this.#noCollector, collectors.length === 0);
        this.#collectors.update(collectors);
        show(this.#noQueue, answer.queues.length === 0);
        this.#queues.update(answer.queues);
        this.#examine(answer.doctor);

        return true;
    }

    /** From two answers. A collector that has started again counts from zero, so it has no rate then. */
    #rates(collector, at) {
        const before = this.#before?.collectors.find(({ bucket, listen }) => bucket === collector.bucket && listen === collector.listen);
        const between = at - (this.#before?.at ?? at);

        return Object.fromEntries(RATED.map((member) => {
            const more = collector[member] - (before?.[member] ?? NaN);

            return [member, between > 0 && more >= 0 ? more / between : null];
        }));
    }

    #examine({ state, started_at: started, finished_at: finished, detail, report }) {
        const isRunning = state === 'running';
        say(this.#run, isRunning ? 'The doctor runs …' : 'Run the doctor');
        this.#run.disabled = isRunning;
        sayTime(this.#when, isRunning ? started : finished);
        const words = {
            never: 'The doctor has not run from this page. It reads nginx, PHP-FPM, the kernel, Redis and the database, and names each setting that slows requests down.',
            running: `It runs since ${this.#when.textContent}.`,
            failed: `${finished === null ? '' : `The last run failed, ${this.#when.textContent}. `}${detail ?? ''}`,
            done: report === null ? '' : `Report of ${this.#when.textContent}: ${summary(report.counts)}.`,
        };
        say(this.#doctor, words[state] ?? NONE);
        set(this.#doctor, 'title', this.#when.title || null);
        this.#findings.update(report, `${state} ${finished}`);
    }
}

function summary({ fail = 0, warn = 0, pass = 0, unknown = 0, crashed = 0 }) {
    return [many(fail + warn, 'finding'), `${count(pass)} passed`, ...(unknown + crashed > 0 ? [`${count(unknown + crashed)} not known`] : [])].join(', ');
}
