// Draws src/Report/Page/RangeChart.php.

import { BoxplotChart, ScatterChart } from 'echarts/charts';
import { MarkAreaComponent, MarkLineComponent } from 'echarts/components';
import { names, use, values } from './figure.js';
import { axis, unit } from './units.js';

use([BoxplotChart, ScatterChart, MarkAreaComponent, MarkLineComponent]);

const ROW = 46;

function option(block, now, width) {
    const words = unit(block.unit);
    const short = axis(block.unit);
    const rows = block.ranges;
    const color = ({ faint }) => now.of(faint ? 8 : 0);
    const all = [...rows.flatMap((row) => row.values ?? []), block.floor, -block.floor, 0];
    const reach = (Math.max(...all) - Math.min(...all)) * 0.06 || 1;
    const [min, max] = block.axis ?? [Math.min(...all) - reach, Math.max(...all) + reach];

    return {
        xAxis: values(now, short, { min, max, ...(block.axis ? {} : { axisLabel: { color: now.quiet, formatter: short, hideOverlap: true, showMinLabel: false, showMaxLabel: false } }) }),
        yAxis: names(now, width, rows.map(({ name, words: below }) => ({ name, below }))),
        tooltip: {
            trigger: 'item',
            formatter: ({ dataIndex, data, seriesType }) => {
                const row = rows[seriesType === 'boxplot' ? dataIndex : data.row];

                return `${row.name}: ${row.words}\n${words(row.values[0])} to ${words(row.values[2])}`;
            },
        },
        series: [
            {
                type: 'boxplot',
                name: 'quartiles',
                boxWidth: [4, 8],
                // The box spans the quartiles and has no whiskers.
                data: rows.map((row) => (row.values === null ? [] : { value: [row.values[0], ...row.values, row.values[2]], itemStyle: { color: row.faint ? now.card : `${color(row)}66`, borderColor: color(row), borderWidth: 2, borderType: row.faint ? 'dashed' : 'solid' } })),
                emphasis: { disabled: true },
                markArea: { silent: true, itemStyle: { color: now.quiet, opacity: 0.18 }, data: block.floor > 0 ? [[{ xAxis: Math.max(min, -block.floor) }, { xAxis: Math.min(max, block.floor) }]] : [] },
                markLine: { silent: true, symbol: 'none', label: { show: false }, lineStyle: { color: now.quiet, type: 'solid', width: 1 }, data: [{ xAxis: 0 }] },
            },
            {
                type: 'scatter',
                name: 'median',
                symbolSize: 12,
                z: 4,
                data: rows.flatMap((row, at) => (row.values === null ? [] : [{ value: [row.values[1], at], row: at, itemStyle: { color: row.faint ? now.card : color(row), borderColor: color(row), borderWidth: 2 } }])),
            },
        ],
    };
}

export const ranges = {
    legend: () => [],
    height: ({ ranges: all }) => 48 + ROW * all.length,
    option,
};
