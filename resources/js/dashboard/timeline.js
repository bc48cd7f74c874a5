// Lines over time, which go on as the figures come in.

import { LineChart } from 'echarts/charts';
import { Figure, SYMBOLS, use, values } from '../page/figure.js';
import { element, say, set } from './dom.js';
import { NONE, clock, sayTime } from './format.js';
import { Grid } from './grid.js';

use([LineChart]);

const LABEL_WIDTH = 90;
// A symbol at each point would hide the line.
const SYMBOL_EACH = 12;
const MINUTE = 60;
const hours = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const series = (line, at, now) => ({
    type: 'line',
    name: line.name,
    data: line.points.map(([x, y]) => [x * 1000, y]),
    connectNulls: false,
    showSymbol: true,
    symbol: SYMBOLS[at % SYMBOLS.length],
    symbolSize: (_, { dataIndex: n }) => (isAlone(line.points, n) || n % SYMBOL_EACH === SYMBOL_EACH / 2 + at * 2 ? 6 : 0),
    lineStyle: { width: 2 },
    itemStyle: { color: now.of(line.color) },
    areaStyle: at === 0 ? { color: now.of(line.color), opacity: 0.08 } : undefined,
    emphasis: { disabled: true },
});

const isNone = (point) => (point?.[1] ?? null) === null;
const isAlone = (points, n) => isNone(points[n - 1]) && isNone(points[n + 1]);

const kind = {
    legend: ({ lines }) => lines.map(({ name, color }, at) => ({ name, color: `c${color}`, line: true, shape: SYMBOLS[at % SYMBOLS.length] })),
    option: ({ from, to, axis, value, isCount, isSpan, lines }, now, width) => ({
        grid: { left: 4, right: 16, top: 12, bottom: 4, containLabel: true },
        xAxis: {
            type: 'time',
            min: from * 1000,
            max: to * 1000,
            splitNumber: Math.max(2, Math.floor(width / LABEL_WIDTH)),
            axisLabel: { color: now.quiet, hideOverlap: true, formatter: (time) => hours.format(time) },
            axisLine: { lineStyle: { color: now.line } },
            axisTick: { show: false },
            splitLine: { show: false },
        },
        yAxis: values(now, axis, { min: 0, max: ({ max }) => (max > 0 ? null : 1), splitNumber: 4, ...(isCount ? { minInterval: 1 } : {}), ...(isSpan ? spans(lines) : {}) }),
        tooltip: {
            trigger: 'axis',
            axisPointer: { snap: true, lineStyle: { color: now.quiet } },
            formatter: (points) => [clock(points[0].axisValue / 1000), ...points.filter(({ value: [, y] }) => y !== null).map(({ seriesName, value: [, y] }) => `${seriesName}: ${value(y)}`)].join('\n'),
        },
        series: lines.map((line, at) => series(line, at, now)),
    }),
};

// Round places on an axis of spans, in seconds.
const SPANS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 172_800, 604_800, 2_592_000];

/** Minutes and hours instead of hundreds of seconds. */
function spans(lines) {
    const most = Math.max(1, ...lines.flatMap(({ points }) => points.map(([, y]) => y ?? 0)));
    const interval = SPANS.find((one) => most / one <= 5) ?? most / 5;

    return { interval, max: Math.ceil(most / interval) * interval };
}

export class Timeline {
    #title;
    #lines;
    #value;
    #look;
    #place = element('div', { class: 'chart', role: 'img', hidden: '' });
    #legend = element('ul', { class: 'legend' });
    #empty = element('p', { class: 'empty', hidden: '' });
    #numbers;
    #grid;
    #figure = null;
    #block = null;
    node;

    /** @param {{title: string, lines: {name: string, color: number}[], value: (y: number) => string, axis: (y: number) => string, isCount?: boolean, isSpan?: boolean}} options */
    constructor({ title, lines, value, ...look }) {
        this.#title = title;
        this.#lines = lines;
        this.#value = value;
        this.#look = look;
        this.#grid = new Grid(`The numbers: ${title}`, [
            { heading: 'time', make: (cell) => cell.append(element('time')), update: (cell, { at }) => sayTime(cell.firstChild, at) },
            ...lines.map(({ name }, line) => ({ heading: name, update: (cell, { figures }) => say(cell, figures[line] === null ? NONE : value(figures[line])) })),
        ], ({ at }) => String(at), { isStacked: false });
        this.#numbers = element('details', { class: 'numbers', hidden: '' }, element('summary', {}, 'The numbers'), this.#grid.node);
        this.#numbers.addEventListener('toggle', () => this.#count());
        this.node = element('figure', {}, element('figcaption', {}, element('h3', {}, title)), this.#legend, this.#place, this.#empty, this.#numbers);
    }

    /**
     * @param {number} from Unix seconds
     * @param {([number, ?number][])[]} points of each line
     */
    show(from, to, points) {
        // The value of this moment alone is no observation of the past.
        const isEmpty = points.every((line) => line.every((point) => isNone(point) || point[0] >= to));
        this.#place.hidden = this.#numbers.hidden = isEmpty;
        this.#legend.hidden = isEmpty || this.#lines.length < 2;
        this.#empty.hidden = !isEmpty;
        say(this.#empty, 'Nothing was observed in this time. Each flush adds a minute to the lines.');
        this.#block = {
            from,
            to,
            value: this.#value,
            ...this.#look,
            lines: this.#lines.map((line, at) => ({ ...line, points: points[at] })),
        };

        if (isEmpty) {
            return;
        }

        set(this.#place, 'aria-label', `${this.#title}, ${clock(from)} to ${clock(to)}. ${this.#summary()} The numbers are below.`);

        if (this.#figure) {
            this.#figure.update(this.#block);
        } else {
            this.#figure = new Figure(this.#place, this.#legend, kind, this.#block);
        }

        this.#count();
    }

    #summary() {
        return this.#block.lines.map(({ name, points }) => {
            const known = points.map(([, y]) => y).filter((y) => y !== null);

            return known.length === 0 ? `${name}: not observed.` : `${name}: ${this.#value(known.at(-1))}, at most ${this.#value(Math.max(...known))}.`;
        }).join(' ');
    }

    /** Fills the table only while it is open. */
    #count() {
        if (!this.#numbers.open || !this.#block) {
            return;
        }

        const rows = new Map();
        this.#block.lines.forEach(({ points }, line) => points.forEach(([at, y]) => {
            // The last point of a live line lies within a minute.
            const key = Math.floor(at / MINUTE) * MINUTE;
            rows.has(key) || rows.set(key, { at: key, figures: this.#lines.map(() => null) });
            rows.get(key).figures[line] = y;
        }));
        this.#grid.update([...rows.values()].sort((one, other) => other.at - one.at));
    }
}
