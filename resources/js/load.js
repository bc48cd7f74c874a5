// The report of a load run, drawn with the blocks of pages: the JSON of `load`, and what LoadReport adds to it.

import { draw, facts, table } from './page/blocks.js';
import { section as card } from './page/page.js';
import { element } from './words.js';

const number = (digits) => new Intl.NumberFormat('en', { maximumSignificantDigits: digits });
const whole = new Intl.NumberFormat('en');
const count = (value) => whole.format(value);
const rate = (value) => (value >= 1000 ? whole.format(Math.round(value)) : number(3).format(value));
const millis = (micros) => (micros === null ? '–' : `${number(3).format(micros / 1000)} ms`);
const bare = (micros) => millis(micros).replace(' ms', '');
const share = (part) => (part === null ? '–' : `${number(3).format(100 * part)} %`);
const words = (kind) => kind.replaceAll('_', ' ');

function section(id, title, ...children) {
    const made = card({ id, title }, ...children);
    document.getElementById('page_report').append(made);

    return made;
}

/** @param drawn what only this kind of chart has */
function chart(id, title, note, headings, rows, drawn) {
    draw({ id: `${id}-chart`, title, note, label: `${title}. ${note}`, numbers: { headings, rows }, ...drawn }, section(id, title), { title });
}

/** @param {{name: string, color: number, values: (number|null)[]}[]} lines a value for each part of the run */
function overTime(id, title, note, slots, y, text, lines) {
    const labels = slots.map((slot) => `${number(6).format(slot.from_s)} s`);

    chart(id, title, note, ['from', ...lines.map(({ name }) => name)], labels.map((label, at) => [label, ...lines.map(({ values }) => (values[at] === null ? '–' : text(values[at])))]), {
        kind: 'lines',
        x: 'seconds',
        y,
        lines: lines.map(({ name, color, values }) => ({ name, color, points: values.map((value, at) => [slots[at].from_s, value]), dashed: false, steps: false })),
        bands: [],
        banded: '',
        marks: [],
        marked: '',
        log: false,
    });
}

export function drawLoad(data) {
    const slots = data.timeline;
    const labels = slots.map((slot) => `${number(6).format(slot.from_s)} s`);
    const perSecond = (value, slot) => (slot.seconds > 0 ? value / slot.seconds : null);
    const kinds = [...new Set(slots.flatMap((slot) => Object.keys(slot.errors)))];
    const total = (counts) => Object.values(counts).reduce((sum, value) => sum + value, 0);
    const errors = (slot) => total(slot.errors);
    const slot = slots.length > 1 ? `Each point is ${number(3).format(slots[0].seconds)} s.` : '';
    const all = data.latency_us.with_timeouts;

    document.getElementById('page_what').textContent = `${data.title}, ${data.finished_at}`;

    const notes = [...data.losses, ...data.breaches, ...data.warnings];

    if (notes.length > 0) {
        const list = element('ul', {}, ...notes.map((warning) => element('li', {}, warning)));
        document.getElementById('page_report').append(card({ id: 'warnings', title: 'What to know before you read on', tone: 'alert' }, list));
    }

    section('summary', 'Result', facts([
        ['errors', share(data.error_rate)],
        ['answered', `${rate(data.requests_per_second)}/s`],
        ['p50', millis(all.p50)],
        ['p95', millis(all.p95)],
        ['p99', millis(all.p99)],
        ['longest', millis(all.max)],
        ['requests', count(data.sent)],
        ['time', `${number(3).format(data.seconds)} s`],
    ]));

    overTime('rates', 'Requests per second', `Requests by how they ended. ${slot}`, slots, 'per_second', rate, [
        { name: 'succeeded', color: 2, values: slots.map((one) => perSecond(one.succeeded, one)) },
        { name: 'errors', color: 7, values: slots.map((one) => perSecond(errors(one), one)) },
        { name: 'begun', color: 8, values: slots.map((one) => perSecond(one.sent, one)) },
    ]);

    const ms = (micros) => (micros === null ? null : micros / 1000);
    overTime('times', 'Response time', `Responses, and timeouts with the time after which the client gave up. ${slot}`, slots, 'millis', (value) => `${number(3).format(value)} ms`, [['max', 8], ['p99', 3], ['p95', 1], ['p50', 0]].map(([name, color]) => ({ name, color, values: slots.map((one) => ms(one.latency_us[name])) })));

    overTime('flight', 'Requests in flight', `The most at one time. ${slot}`, slots, 'count', count, [{ name: 'in flight', color: 4, values: slots.map((one) => one.in_flight) }]);

    const percents = data.percentiles.map(([percent]) => `${percent} %`);
    chart('percentiles', 'Percentiles', 'The longest response time of this share of the requests.', ['', 'response time'], data.percentiles.map(([, micros], at) => [percents[at], millis(micros)]), {
        kind: 'bars',
        categories: percents,
        unit: 'millis',
        bars: [{ name: 'response time', color: 0, values: data.percentiles.map(([, micros]) => ms(micros)) }],
        stacked: false,
        horizontal: false,
    });

    const { scenario, replay } = data;

    if (scenario !== null) {
        const byKind = (step) => Object.entries(step.errors).map(([kind, value]) => `${words(kind)}: ${count(value)}`).join(', ');
        section('steps', 'Steps', facts([
            ['iterations', count(scenario.begun)],
            ['whole', count(scenario.completed)],
            ['ended at a step that failed', count(scenario.failed)],
            ['under way in the end', count(scenario.unfinished)],
        ], true), table(
            ['step, milliseconds', 'sent', 'succeeded', 'errors', 'unfinished', 'mean', 'p50', 'p95', 'p99', 'max', 'errors by kind'],
            scenario.steps.map((step) => [
                step.step, ...[step.sent, step.succeeded, total(step.errors), step.unfinished].map(count),
                ...['mean', 'p50', 'p95', 'p99', 'max'].map((column) => bare(step.latency_us[column])), byKind(step),
            ]),
        ));
    }

    if (replay !== null) {
        const rows = [['left out', replay.left_out], ['not read', replay.unreadable]].flatMap(([fate, counts]) => Object.entries(counts).map(([what, value]) => [what, fate, count(value)]));
        section('replay', 'Log', facts([
            ['lines read', count(replay.lines)],
            ['of them GET or HEAD', count(replay.requests)],
            ['left out', count(total(replay.left_out))],
            ['not read', count(total(replay.unreadable))],
        ], true), ...(rows.length === 0 ? [] : [table(['not sent', 'why', 'lines'], rows)]));
    }

    const columns = ['count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99_9', 'max'];
    const sets = { succeeded: 'succeeded', answered: 'answered', with_timeouts: 'with timeouts', service: 'since begun' };
    document.getElementById('percentiles').append(table(
        ['milliseconds', ...columns.map((column) => column.replace('_', '.'))],
        Object.entries(sets).map(([key, name]) => [name, ...columns.map((column) => (column === 'count' ? count(data.latency_us[key].count) : bare(data.latency_us[key][column])))]),
    ));

    if (kinds.length > 0) {
        overTime('errors', 'Errors per second, by kind', slot, slots, 'per_second', rate, kinds.map((kind, at) => ({ name: words(kind), color: at % 8, values: slots.map((one) => perSecond(one.errors[kind] ?? 0, one)) })));

        const totals = kinds.map((kind) => [kind, slots.reduce((sum, one) => sum + (one.errors[kind] ?? 0), 0)]).sort((a, b) => b[1] - a[1]);
        const message = (kind) => data.failures.find((failure) => failure.kind === kind)?.message ?? '';
        document.getElementById('errors').append(table(['kind', 'count', 'the first of them'], totals.map(([kind, sum]) => [words(kind), count(sum), message(kind)])));
    }

    const plan = data.plan;
    const unit = scenario === null ? 'request' : 'iteration';
    const stages = (plan.stages ?? []).map((stage) => `${stage.from} to ${stage.to} in ${stage.seconds} s`).join(', ');
    section('plan', 'Plan', facts([
        ['model', plan.model === 'open' ? 'open: requests are due at fixed times' : 'closed: each user waits for its answer'],
        ...(stages === '' ? [] : [[plan.model === 'open' ? `${unit}s per second` : 'users', stages]]),
        [plan.model === 'closed' ? 'users' : scenario === null ? 'most in flight' : 'most under way', count(plan.concurrency)],
        ['processes', count(plan.processes)],
        ...(data.lost.length === 0 ? [] : [['lost processes', count(data.lost.length)]]),
        ...(plan.scenario === null ? [] : [['scenario', plan.scenario]]),
        ...(plan.replay === null ? [] : [['log', plan.replay], ['speed', plan.speed === 'max' ? 'as fast as it goes' : `${plan.speed} times`]]),
        ['ends', plan.requests !== null ? `after ${count(plan.requests)} ${unit}${plan.requests === 1 ? '' : 's'}` : plan.duration_s !== null ? `after ${plan.duration_s} s` : `when there are no more ${unit}s`],
        ['given up after', `${plan.timeout_s} s`],
        ['pause', plan.pause_s > 0 ? `${plan.pause_s} s` : 'none'],
        ['succeeded is', plan.expect_status ? `status ${plan.expect_status.join(', ')}` : `any status but ${plan.error_status}`],
        ...(plan.expect_body === null ? [] : [['the body contains', plan.expect_body]]),
        ...(data.schedule === null ? [] : [['begun late', count(data.schedule.late)], ['dropped', count(data.schedule.dropped)]]),
        ['unfinished', count(data.unfinished)],
        ['connections', count(data.connections_opened)],
        ['CPU of this client', share(data.client.cpu_share)],
    ], true));

    section('numbers', 'The numbers of the charts', element('details', {}, element('summary', {}, `${count(slots.length)} parts of the run`), table(
        ['from', 'begun', 'succeeded', 'errors', 'in flight', 'p50', 'p95', 'p99', 'max'],
        slots.map((one, at) => [labels[at], count(one.sent), count(one.succeeded), count(errors(one)), count(one.in_flight), ...['p50', 'p95', 'p99', 'max'].map((name) => millis(one.latency_us[name]))]),
    )));
}
