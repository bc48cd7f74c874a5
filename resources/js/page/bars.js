// Draws src/Report/Page/BarChart.php.

import { BarChart } from 'echarts/charts';
import { coloured, names, use, values } from './figure.js';
import { axis, interval, unit } from './units.js';

use([BarChart]);

const ROW = 20;
// The width of a value that is written at its bar.
const VALUE = 58;

function option(block, now, width) {
    const { categories, bars: kinds, stacked, horizontal } = block;
    const words = unit(block.unit);
    const count = stacked ? 1 : kinds.length;
    const isWritten = !stacked && (horizontal || (width - 60) / Math.max(1, categories.length * count) > VALUE);
    const amounts = values(now, axis(block.unit), interval(block.unit, kinds.flatMap((one) => one.values)));
    const things = horizontal ? names(now, width, categories.map((name) => ({ name }))) : {
        type: 'category',
        data: categories,
        axisTick: { show: false },
        axisLine: { lineStyle: { color: now.line } },
        axisLabel: { color: now.text, interval: 0, width: Math.max(24, (width - 70) / Math.max(1, categories.length) - 6), overflow: 'break' },
    };

    return {
        grid: { left: 4, right: horizontal && isWritten ? 64 : 20, top: 20, bottom: 4, containLabel: true },
        [horizontal ? 'xAxis' : 'yAxis']: amounts,
        [horizontal ? 'yAxis' : 'xAxis']: things,
        tooltip: {
            trigger: 'axis',
            axisPointer: { type: 'shadow' },
            formatter: (points) => [points[0].name, ...points.filter(({ value }) => value !== null && value !== undefined).map(({ seriesName, value }) => `${seriesName}: ${words(value)}`)].join('\n'),
        },
        series: coloured(kinds).map(({ name, values: all, color }) => ({
            type: 'bar',
            name,
            stack: stacked ? 'all' : undefined,
            data: all,
            barMaxWidth: 56,
            barCategoryGap: '25%',
            barGap: '8%',
            itemStyle: { color: now.of(color) },
            emphasis: { disabled: true },
            label: { show: isWritten, position: horizontal ? 'right' : 'top', color: now.text, fontSize: 11, formatter: ({ value }) => (value === null || value === undefined ? '' : words(value)) },
        })),
    };
}

export const bars = {
    legend: (block) => coloured(block.bars).map(({ name, color }) => ({ name, color: `c${color}`, shape: 'bar' })),
    height: ({ horizontal, stacked, categories, bars: kinds }) => (horizontal ? 64 + categories.length * (14 + ROW * (stacked ? 1 : kinds.length)) : 288),
    isEmpty: (block) => block.bars.every((one) => one.values.every((value) => value === null)),
    option,
};
