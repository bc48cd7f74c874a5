// Draws the report of `load` with the blocks of pages: the JSON of the run and the members that LoadReport adds.

import { draw } from './page/blocks.js';
import { section as card } from './page/page.js';
import { facts, table } from './page/tables.js';
import { place, significant, unit } from './page/units.js';
import { element, wrappable } from './words.js';

const known = (format) => (value) => (value === null ? '–' : format(value));
const count = unit('count');
const rate = unit('per_second');
const seconds = place('seconds');
const time = known(unit('micros'));
const millis = known((micros) => significant(micros / 1000));
const share = known(unit('share'));
const words = (kind) => kind.replaceAll('_', ' ');

function section(id, title, ...children) {
    const made = card({ id, title }, ...children);
    document.getElementById('page_report').append(made);

    return made;
}

/** @param drawn the members of this kind of chart */
function chart(id, title, note, headings, rows, drawn) {
    draw({ id: `${id}-chart`, title, note, label: `${title}. ${note}`, numbers: { headings, rows }, ...drawn }, section(id, title), { title });
}

/** @param {{name: string, color: number, values: (number|null)[]}[]} lines a value for each interval */
function overTime(id, title, note, slots, y, text, lines) {
    const labels = slots.map((slot) => seconds(slot.from_s));

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

/** k6's name of the executor. */
function executor({ model, stages }) {
    const isRamp = (stages ?? []).some((stage) => stage.from !== stage.to) || (stages ?? []).length > 1;

    return model === 'open' ? `${isRamp ? 'ramping' : 'constant'}-arrival-rate` : `${isRamp ? 'ramping' : 'constant'}-vus`;
}

export function drawLoad(data) {
    const slots = data.timeline;
    const labels = slots.map((slot) => seconds(slot.from_s));
    const perSecond = (value, slot) => (slot.seconds > 0 ? value / slot.seconds : null);
    const kinds = [...new Set(slots.flatMap((slot) => Object.keys(slot.errors)))];
    const total = (counts) => Object.values(counts).reduce((sum, value) => sum + value, 0);
    const errors = (slot) => total(slot.errors);
    const slot = slots.length > 1 ? `Each point covers ${seconds(slots[0].seconds)}.` : '';
    const all = data.latency_us.with_timeouts;

    document.getElementById('page_what').append(...wrappable(`${data.title}, ${data.finished_at.replace('T', '\u00a0').replace('+00:00', '\u00a0UTC')}`));

    const notes = [...data.losses, ...data.breaches, ...data.warnings];

    if (notes.length > 0) {
        const list = element('ul', {}, ...notes.map((warning) => element('li', {}, ...wrappable(warning))));
        document.getElementById('page_report').append(card({ id: 'warnings', title: 'Warnings', tone: 'alert' }, list));
    }

    section('summary', 'Result', facts([
        ['failed requests', share(data.error_rate)],
        ['responses', rate(data.requests_per_second)],
        ['p50', time(all.p50)],
        ['p95', time(all.p95)],
        ['p99', time(all.p99)],
        ['max', time(all.max)],
        ['requests', count(data.sent)],
        ['duration', unit('seconds')(data.seconds)],
    ]));

    overTime('rates', 'Requests per second', `Requests sent, and their outcome. ${slot}`, slots, 'per_second', rate, [
        { name: 'sent', color: 8, values: slots.map((one) => perSecond(one.sent, one)) },
        { name: 'succeeded', color: 2, values: slots.map((one) => perSecond(one.succeeded, one)) },
        { name: 'errors', color: 7, values: slots.map((one) => perSecond(errors(one), one)) },
    ]);

    const ms = (micros) => (micros === null ? null : micros / 1000);
    overTime('times', 'Response time', `Responses and timeouts. A timeout counts as long as the limit. ${slot}`, slots, 'millis', unit('millis'), [['max', 8], ['p99', 3], ['p95', 1], ['p50', 0]].map(([name, color]) => ({ name, color, values: slots.map((one) => ms(one.latency_us[name])) })));

    overTime('flight', 'Requests in flight', `The maximum in each interval. ${slot}`, slots, 'count', count, [{ name: 'in flight', color: 4, values: slots.map((one) => one.in_flight) }]);

    const percents = data.percentiles.map(([percent]) => `${percent} %`);
    chart('percentiles', 'Response time percentiles', 'This share of the requests took at most this long.', ['', 'response time'], data.percentiles.map(([, micros], at) => [percents[at], time(micros)]), {
        kind: 'bars',
        categories: percents,
        unit: 'millis',
        bars: [{ name: 'response time', color: 0, values: data.percentiles.map(([, micros]) => ms(micros)) }],
        stacked: false,
        horizontal: true,
    });

    const { scenario, replay } = data;

    if (scenario !== null) {
        const byKind = (step) => Object.entries(step.errors).map(([kind, value]) => `${words(kind)}: ${count(value)}`).join(', ');
        section('steps', 'Steps', facts([
            ['iterations', count(scenario.begun)],
            ['completed', count(scenario.completed)],
            ['failed at a step', count(scenario.failed)],
            ['unfinished', count(scenario.unfinished)],
        ], true), table(
            ['step, milliseconds', 'sent', 'succeeded', 'errors', 'unfinished', 'mean', 'p50', 'p95', 'p99', 'max', 'errors by kind'],
            scenario.steps.map((step) => [
                step.step, ...[step.sent, step.succeeded, total(step.errors), step.unfinished].map(count),
                ...['mean', 'p50', 'p95', 'p99', 'max'].map((column) => millis(step.latency_us[column])), byKind(step),
            ]),
        ));
    }

    if (replay !== null) {
        const rows = [['not sent', replay.left_out], ['not parsed', replay.unreadable]].flatMap(([fate, counts]) => Object.entries(counts).map(([what, value]) => [what, fate, count(value)]));
        section('replay', 'Log', facts([
            ['lines read', count(replay.lines)],
            ['GET or HEAD', count(replay.requests)],
            ['not sent', count(total(replay.left_out))],
            ['not parsed', count(total(replay.unreadable))],
        ], true), ...(rows.length === 0 ? [] : [table(['reason', 'result', 'lines'], rows)]));
    }

    const columns = ['count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99_9', 'max'];
    const sets = { succeeded: 'succeeded', answered: 'all responses', with_timeouts: 'with timeouts', service: 'since sent' };
    document.getElementById('percentiles').append(table(
        ['milliseconds', ...columns.map((column) => column.replace('_', '.'))],
        Object.entries(sets).map(([key, name]) => [name, ...columns.map((column) => (column === 'count' ? count(data.latency_us[key].count) : millis(data.latency_us[key][column])))]),
    ));

    if (kinds.length > 0) {
        overTime('errors', 'Errors per second, by kind', slot, slots, 'per_second', rate, kinds.map((kind, at) => ({ name: words(kind), color: at % 8, values: slots.map((one) => perSecond(one.errors[kind] ?? 0, one)) })));

        const totals = kinds.map((kind) => [kind, slots.reduce((sum, one) => sum + (one.errors[kind] ?? 0), 0)]).sort((a, b) => b[1] - a[1]);
        const message = (kind) => data.failures.find((failure) => failure.kind === kind)?.message ?? '';
        document.getElementById('errors').append(table(['kind', 'count', 'first message'], totals.map(([kind, sum]) => [words(kind), count(sum), message(kind)])));
    }

    const plan = data.plan;
    const work = scenario === null ? 'request' : 'iteration';
    const stages = (plan.stages ?? []).map((stage) => `${stage.from} to ${stage.to} in ${stage.seconds} s`).join(', ');
    section('plan', 'Plan', facts([
        ['executor', executor(plan)],
        ...(stages === '' ? [] : [[plan.model === 'open' ? `stages, ${work}s per second` : 'stages, virtual users', stages]]),
        [plan.model === 'closed' ? 'virtual users' : 'maximum in flight', count(plan.concurrency)],
        ['processes', count(plan.processes)],
        ...(data.lost.length === 0 ? [] : [['lost processes', count(data.lost.length)]]),
        ...(plan.scenario === null ? [] : [['scenario', plan.scenario]]),
        ...(plan.replay === null ? [] : [['log', plan.replay], ['speed', plan.speed === 'max' ? 'as fast as possible' : `${plan.speed} times`]]),
        ['ends', plan.requests !== null ? `after ${count(plan.requests)} ${work}${plan.requests === 1 ? '' : 's'}` : plan.duration_s !== null ? `after ${plan.duration_s} s` : `when there are no more ${work}s`],
        ['timeout', `${plan.timeout_s} s`],
        ['pause', plan.pause_s > 0 ? `${plan.pause_s} s` : 'none'],
        ['expected status', plan.expect_status ? plan.expect_status.join(', ') : `any except ${plan.error_status}`],
        ...(plan.expect_body === null ? [] : [['expected in the body', plan.expect_body]]),
        ...(data.schedule === null ? [] : [['started late', count(data.schedule.late)], [`dropped ${work}s`, count(data.schedule.dropped)]]),
        ['unfinished requests', count(data.unfinished)],
        ['connections', count(data.connections_opened)],
        ['CPU of the load generator', share(data.client.cpu_share)],
    ], true));

    section('numbers', 'The numbers of the charts', element('details', {}, element('summary', {}, `${count(slots.length)} interval${slots.length === 1 ? '' : 's'}`), table(
        ['from', 'sent', 'succeeded', 'errors', 'in flight', 'p50', 'p95', 'p99', 'max'],
        slots.map((one, at) => [labels[at], count(one.sent), count(one.succeeded), count(errors(one)), count(one.in_flight), ...['p50', 'p95', 'p99', 'max'].map((name) => time(one.latency_us[name]))]),
    )));
}
