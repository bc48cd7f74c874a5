// Draws src/Report/Page/LineChart.php.

import { LineChart, ScatterChart } from 'echarts/charts';
import { MarkAreaComponent } from 'echarts/components';
import { coloured, CROSS, logarithmic, SYMBOLS, use, values } from './figure.js';
import { axis, interval, place, unit } from './units.js';

use([LineChart, ScatterChart, MarkAreaComponent]);

// More symbols would hide the line.
const SYMBOLS_TO = 40;
const LETTER = 7;

function series(line, at, now, place) {
    const { points, name, dashed, steps, color } = line;
    const none = (point) => (point?.[1] ?? null) === null;
    // A point between two gaps has no line, so it keeps its symbol.
    const size = (_, { dataIndex: n }) => (points.length <= SYMBOLS_TO || (none(points[n - 1]) && none(points[n + 1])) ? 7 : 0);

    return {
        type: 'line',
        name,
        data: points.map(([x, y]) => [x, place(y)]),
        step: steps ? 'end' : false,
        connectNulls: false,
        showSymbol: true,
        symbol: SYMBOLS[at % SYMBOLS.length],
        symbolSize: size,
        lineStyle: { width: 2, type: dashed ? 'dashed' : 'solid' },
        itemStyle: { color: now.of(color) },
        emphasis: { disabled: true },
    };
}

/** The axis spans all places, from 0 if the first is near it, with labels at its ends and at round numbers. */
function places(xs, now, formatter, width) {
    const [least, max] = [Math.min(...xs), Math.max(...xs)];
    const min = least > 0 && least < 0.1 * max ? 0 : least;
    const about = (max - min || 1) / Math.max(2, Math.min(10, Math.floor(width / 90)));
    const power = 10 ** Math.floor(Math.log10(about));
    const step = power * ([1, 2, 5].find((digit) => digit * power >= about * 0.999) ?? 10);
    const end = max > min ? max : min + 1;
    const round = Array.from({ length: Math.floor(end / step - Math.ceil(min / step) + 1.000001) }, (_, at) => (Math.ceil(min / step) + at) * step);
    // A label at an end that is too near to it would cover it.
    const inner = round.filter((value) => value - min > 0.6 * step && end - value > 0.6 * step);
    const customValues = [min, ...inner, end];

    return { min, max: end, axisLabel: { color: now.quiet, formatter, hideOverlap: true, customValues, alignMinLabel: 'left', alignMaxLabel: 'right' } };
}

function bands(block, now, width) {
    const longest = Math.max(...block.bands.map(({ label }) => label.length));
    const each = Math.ceil((block.bands.length * (longest + 1) * LETTER) / Math.max(1, width - 60));

    return {
        type: 'scatter',
        // No entry of the legend has this name, so a reader cannot hide the bands.
        name: '\u0000bands',
        data: [],
        silent: true,
        markArea: {
            silent: true,
            data: block.bands.map(({ from, to, label }, at) => [
                { name: at % each === 0 ? label : '', xAxis: from, itemStyle: { color: now.line, opacity: at % 2 === 0 ? 0.25 : 0.6 }, label: { show: at % each === 0, position: 'top', distance: 2, color: now.quiet, fontSize: 11 } },
                { xAxis: to },
            ]),
        },
    };
}

function option(block, now, width) {
    const [x, y] = [axis(block.x), axis(block.y)];
    const all = block.lines.flatMap(({ points }) => points.map(([, value]) => value)).filter((value) => value !== null);
    const log = block.log ? logarithmic(all) : null;
    const foot = log?.axis.min ?? Math.min(0, ...all);
    const xs = [...block.lines.flatMap(({ points }) => points.map(([at]) => at)), ...block.bands.flatMap(({ from, to }) => [from, to]), ...block.marks.map((mark) => mark.x)];

    return {
        grid: { left: 4, right: 24, top: block.bands.length > 0 ? 24 : 12, bottom: 4, containLabel: true },
        xAxis: values(now, x, { ...places(xs, now, x, width), splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: now.line } } }),
        yAxis: values(now, y, log?.axis ?? interval(block.y, all)),
        tooltip: {
            trigger: 'axis',
            axisPointer: { snap: true, lineStyle: { color: now.quiet } },
            formatter: (points) => [place(block.x)(points[0].axisValue), ...points.map((point) => {
                const mark = point.seriesType === 'scatter' ? block.marks[point.dataIndex] : null;
                const value = mark ? null : block.lines.find(({ name }) => name === point.seriesName).points[point.dataIndex][1];

                return mark ? mark.text : value === null ? null : `${point.seriesName}: ${unit(block.y)(value)}`;
            }).filter(Boolean)].join('\n'),
        },
        series: [
            ...(block.bands.length > 0 ? [bands(block, now, width)] : []),
            ...coloured(block.lines).map((line, at) => series(line, at, now, log?.at ?? ((value) => value))),
            ...(block.marks.length > 0 ? [{
                type: 'scatter',
                name: block.marked,
                data: block.marks.map((mark) => [mark.x, mark.y === null ? foot : (log?.at(mark.y) ?? mark.y)]),
                symbol: CROSS,
                symbolSize: 11,
                itemStyle: { color: 'transparent', borderColor: now.alert, borderWidth: 2 },
                z: 5,
            }] : []),
        ],
    };
}

export const lines = {
    legend: (block) => [
        ...coloured(block.lines).map(({ name, color, dashed }, at) => ({ name, color: `c${color}`, dashed, line: true, shape: SYMBOLS[at % SYMBOLS.length] })),
        ...(block.marks.length > 0 ? [{ name: block.marked, color: 'alerting', shape: 'cross' }] : []),
    ],
    isEmpty: (block) => block.lines.every(({ points }) => points.every(([, y]) => y === null)),
    option,
};
