// Lines and bars over the time of a run, of what ECharts has for it.

import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

use([BarChart, LineChart, GridComponent, LegendComponent, TooltipComponent, CanvasRenderer]);

const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart that follows the size of its place, and the colours of the reader. */
export class Lines {
    #chart;
    #options;

    /** @param {() => object} options those of draw() */
    constructor(place, options) {
        this.#chart = init(place, null, { renderer: 'canvas' });
        this.#options = options;
        new ResizeObserver(() => this.#chart.resize()).observe(place);
        this.draw();
    }

    /** {labels: string[], unit: (value) => string, whole: bool, series: {name, values: (number|null)[], color: number, kind: 'line'|'bar', stack}[]} */
    draw() {
        const { labels, unit, whole = false, series } = this.#options();
        const [quiet, line, card, text] = ['--quiet', '--line', '--card', '--text'].map(color);

        this.#chart.setOption({
            animation: false,
            textStyle: { fontFamily: 'inherit' },
            grid: { left: 8, right: 16, top: 40, bottom: 4, containLabel: true },
            legend: { type: 'plain', top: 0, left: 0, textStyle: { color: text }, inactiveColor: quiet, icon: 'roundRect', itemWidth: 14, itemHeight: 10 },
            xAxis: { type: 'category', data: labels, axisLabel: { color: quiet, hideOverlap: true }, axisLine: { lineStyle: { color: line } }, axisTick: { show: false } },
            yAxis: { type: 'value', minInterval: whole ? 1 : 0, axisLabel: { color: quiet, formatter: unit }, splitLine: { lineStyle: { color: line } } },
            tooltip: {
                trigger: 'axis',
                // Drawn, not written: a page without inline styles has no place for the other kind.
                renderMode: 'richText',
                confine: true,
                backgroundColor: card,
                borderColor: line,
                textStyle: { color: text },
                formatter: (points) => [points[0].name, ...points.filter((point) => point.value !== null && point.value !== undefined).map((point) => `${point.seriesName}: ${unit(point.value)}`)].join('\n'),
            },
            series: series.map(({ name, values, color: number, kind = 'line', stack }) => ({
                type: kind,
                name,
                stack,
                data: values,
                // A time without an answer has no response time: the line has a gap there.
                connectNulls: false,
                showSymbol: values.length < 3 || values.every((value, at) => value === null || (values[at - 1] ?? null) === null),
                symbolSize: 5,
                barCategoryGap: '10%',
                lineStyle: { width: 2 },
                itemStyle: { color: color(`--c${number}`) },
                emphasis: { disabled: true },
            })),
        }, { notMerge: true });
    }
}
