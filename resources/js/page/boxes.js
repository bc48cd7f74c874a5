// Draws src/Report/Page/BoxChart.php.

import { BoxplotChart, ScatterChart } from 'echarts/charts';
import { coloured, logarithmic, names, use, values } from './figure.js';
import { axis, unit } from './units.js';

use([BoxplotChart, ScatterChart]);

const ROW = 52;
// Vertical offsets of samples, so that equal ones do not cover each other.
const LANES = [0, -6, 6, -3, 3];

const labels = (boxes) => [...new Set(boxes.map(({ reference }) => reference?.label).filter(Boolean))];

function option(block, now, width) {
    const words = unit(block.unit);
    const rows = coloured(block.boxes);
    const log = block.log ? logarithmic(rows.flatMap(({ five, reference }) => [...(five ?? []), ...(reference ? [reference.value] : [])])) : null;
    const at = log?.at ?? ((value) => value);
    const below = (row) => (row.five === null ? row.words : words(row.five[2]));

    return {
        xAxis: values(now, axis(block.unit), log?.axis),
        yAxis: names(now, width, rows.map((row) => ({ name: row.name, below: below(row) }))),
        tooltip: {
            trigger: 'item',
            formatter: ({ seriesType, seriesName, dataIndex, data }) => {
                const row = rows[seriesType === 'boxplot' ? dataIndex : data.row];

                return seriesType !== 'boxplot' ? `${row.name}\n${seriesName}: ${words(data.is)}`
                    : [row.name, ...['least', 'lower quartile', 'median', 'upper quartile', 'most'].map((name, n) => `${name}: ${words(row.five[n])}`)].join('\n');
            },
        },
        series: [
            {
                type: 'boxplot',
                name: 'quartiles',
                boxWidth: [12, 26],
                data: rows.map(({ five, color }) => (five === null ? [] : { value: five.map(at), itemStyle: { color: `${now.of(color)}33`, borderColor: now.of(color), borderWidth: 2 } })),
                emphasis: { disabled: true },
            },
            {
                type: 'scatter',
                name: 'run',
                data: rows.flatMap(({ samples, color }, row) => samples.map((is, n) => ({ value: [at(is), row], row, is, symbolOffset: [0, LANES[n % LANES.length]], itemStyle: { color: now.of(color), borderColor: now.card, borderWidth: 1 } }))),
                symbolSize: 7,
                z: 4,
            },
            ...labels(rows).map((label) => ({
                type: 'scatter',
                name: label,
                symbol: 'diamond',
                symbolSize: 13,
                z: 5,
                data: rows.flatMap(({ reference }, row) => (reference?.label === label ? [{ value: [at(reference.value), row], row, is: reference.value }] : [])),
                itemStyle: { color: now.card, borderColor: now.text, borderWidth: 2 },
            })),
        ],
    };
}

export const boxes = {
    legend: ({ boxes: all }) => {
        const others = labels(all);

        return others.length === 0 ? [] : [{ name: 'run', color: 'c8', shape: 'circle' }, ...others.map((name) => ({ name, color: null, shape: 'diamond', hollow: true }))];
    },
    height: ({ boxes: all }) => 48 + ROW * all.length,
    option,
};
