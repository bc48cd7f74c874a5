// Imports only the parts of ECharts that the page uses.

import { BarChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { count, tick, at } from './words.js';

use([BarChart, GridComponent, TooltipComponent, CanvasRenderer]);

const DAY_MILLIS = 86_400_000;

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart that follows the size of its place. */
export class Drawing {
    #chart;

    constructor(place) {
        this.#chart = init(place, null, { renderer: 'canvas' });
        new ResizeObserver(() => this.#chart.resize()).observe(place);
    }

    /** @param {{times: number[], interval: number}} data @param {{name: string, counts: number[], color: number}[]} shown */
    stack(data, shown) {
        const isLong = data.times.length > 0 && data.times.at(-1) - data.times[0] > 2 * DAY_MILLIS;
        const [quiet, line, card, text] = ['--quiet', '--line', '--card', '--text'].map(color);

        this.#chart.setOption({
            animation: false,
            textStyle: { fontFamily: 'inherit' },
            grid: { left: 8, right: 12, top: 16, bottom: 4, containLabel: true },
            xAxis: {
                type: 'category',
                data: data.times,
                axisLabel: { color: quiet, hideOverlap: true, formatter: (time) => tick(Number(time), data.interval, isLong) },
                axisLine: { lineStyle: { color: line } },
                axisTick: { show: false },
            },
            yAxis: {
                type: 'value',
                minInterval: 1,
                axisLabel: { color: quiet, formatter: count },
                splitLine: { lineStyle: { color: line } },
            },
            tooltip: {
                trigger: 'axis',
                axisPointer: { type: 'shadow' },
                // The page's policy forbids the inline styles of an HTML tooltip.
                renderMode: 'richText',
                confine: true,
                backgroundColor: card,
                borderColor: line,
                textStyle: { color: text },
                formatter: (points) => [
                    at(Number(points[0].name)),
                    ...points.filter((point) => point.value > 0).reverse().map((point) => `${point.seriesName}: ${count(point.value)}`),
                ].join('\n'),
            },
            series: shown.map((series) => ({
                type: 'bar',
                name: series.name,
                stack: 'all',
                barCategoryGap: '15%',
                data: series.counts,
                itemStyle: { color: color(`--c${series.color}`) },
                emphasis: { disabled: true },
            })),
        }, { notMerge: true });
    }
}
