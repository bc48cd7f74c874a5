// A chart that follows the size of its place and the reader's theme, with a legend of buttons.

import { GridComponent, TooltipComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { element } from '../words.js';

use([GridComponent, TooltipComponent, CanvasRenderer]);

/** Each kind of chart names the parts of ECharts that it draws with, so that a page has only those of its kinds. */
export { use };

// The approximate width of a character of a label.
const LETTER = 6.5;
const SVG = 'http://www.w3.org/2000/svg';
// Shapes tell series apart without their colours. ECharts draws the same shapes under these names.
const SHAPES = { circle: 'M5 1a4 4 0 1 0 .01 0z', rect: 'M1 1h8v8h-8z', triangle: 'M5 1l4.5 8h-9z', diamond: 'M5 0l5 5l-5 5l-5 -5z', cross: 'M1 1l8 8m0 -8l-8 8', bar: 'M0 0h10v10h-10z' };
export const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond'];
export const CROSS = 'path://M0 0L10 10M10 0L0 10';

const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** The colours of the current theme. */
function look() {
    const [text, quiet, line, card, alert] = ['--text', '--quiet', '--line', '--card', '--alert'].map(variable);

    return { text, quiet, line, card, alert, of: (number) => variable(`--c${number}`) };
}

/** Gives each series without a colour the next one. Grey (8) is only for series that ask for it. */
export const coloured = (all) => all.map((one, at) => ({ ...one, color: one.color ?? at % 8 }));

export class Figure {
    #chart;
    #legend;
    #kind;
    #block;
    #hidden = new Set();

    /** @param {{legend: (block) => object[], height?: (block) => number, option: (block, look, width: number) => object}} kind */
    constructor(place, legend, kind, block) {
        if (kind.height) {
            place.style.height = `${kind.height(block)}px`;
        }

        this.#chart = init(place, null, { renderer: 'canvas' });
        this.#legend = legend;
        this.#kind = kind;
        this.#block = block;
        // Tests read the drawn option.
        place.drawn = () => this.#chart.getOption();
        this.#name();
        new ResizeObserver(() => {
            this.#chart.resize();
            this.#draw();
        }).observe(place);
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
        matchMedia('print').addEventListener('change', () => this.#draw());
        this.#draw();
    }

    /** Draws other figures with the same legend. A series that the reader has hidden stays hidden. */
    update(block) {
        this.#block = block;
        this.#draw(true);
    }

    /** @param {boolean} isUpdate keeps the tooltip that the reader has open */
    #draw(isUpdate = false) {
        const now = look();
        const option = this.#kind.option(this.#block, now, this.#chart.getWidth());
        option.series = option.series.filter(({ name }) => !this.#hidden.has(name));
        this.#chart.setOption({
            animation: false,
            textStyle: { fontFamily: 'inherit' },
            grid: { left: 4, right: 20, top: 12, bottom: 4, containLabel: true },
            ...option,
            tooltip: {
                // The page's policy forbids the inline styles of an HTML tooltip.
                renderMode: 'richText',
                confine: true,
                backgroundColor: now.card,
                borderColor: now.line,
                textStyle: { color: now.text },
                ...option.tooltip,
            },
        }, isUpdate ? { replaceMerge: ['series'] } : { notMerge: true });
    }

    #name() {
        const entries = this.#kind.legend(this.#block);
        this.#legend.hidden = entries.length < 2;
        this.#legend.append(...entries.map(({ name, color, shape, line = false, dashed = false, hollow = false }) => {
            const button = element('button', { type: 'button', 'aria-pressed': 'true' }, swatch(color, shape, line, dashed, hollow), element('span', { class: 'name' }, name));
            button.addEventListener('click', () => {
                this.#hidden.delete(name) || this.#hidden.add(name);
                button.setAttribute('aria-pressed', String(!this.#hidden.has(name)));
                this.#draw();
            });

            return element('li', {}, button);
        }));
    }
}

function swatch(color, shape, hasLine, isDashed, isHollow) {
    const made = document.createElementNS(SVG, 'svg');
    const part = (name, attributes) => {
        const one = document.createElementNS(SVG, name);
        Object.entries(attributes).forEach(([key, value]) => one.setAttribute(key, value));
        made.append(one);
    };
    made.setAttribute('class', `swatch${color === null ? '' : ` ${color}`}`);
    made.setAttribute('viewBox', hasLine ? '0 0 30 10' : '0 0 10 10');
    made.setAttribute('aria-hidden', 'true');

    if (hasLine) {
        part('path', { d: 'M0 5h30', stroke: 'currentcolor', 'stroke-width': 2, ...(isDashed ? { 'stroke-dasharray': '5 4' } : {}) });
    }

    part('path', { d: SHAPES[shape], ...(hasLine ? { transform: 'translate(10 0)' } : {}), ...(isHollow || shape === 'cross' ? { stroke: 'currentcolor', 'stroke-width': 2, fill: 'none' } : { fill: 'currentcolor' }) });

    return made;
}

/** Lines of at most this many characters, broken between words if possible. */
function broken(text, letters) {
    const lines = [''];

    for (const word of text.split(' ').flatMap((one) => one.match(new RegExp(`.{1,${letters}}`, 'gsu')) ?? [])) {
        const joined = `${lines.at(-1)} ${word}`.trimStart();
        joined.length <= letters ? lines.splice(-1, 1, joined) : lines.push(word);
    }

    return lines;
}

/** The names of rows, in at most a third of the width, each with its quiet text below. */
export function names(now, width, rows) {
    const letters = Math.max(8, Math.min(32, Math.floor((width * 0.36) / LETTER)));
    // A name must not contain the markup of ECharts' rich text.
    const styled = (style, text) => (text ? broken(text.replaceAll('|', '\u00a6').replaceAll('}', ')'), letters).map((line) => `{${style}|${line}}`) : []);

    return {
        type: 'category',
        inverse: true,
        data: rows.map(({ name }) => name),
        axisTick: { show: false },
        axisLine: { show: false },
        axisLabel: {
            interval: 0,
            formatter: (_, at) => [...styled('name', rows[at].name), ...styled('below', rows[at].below)].join('\n'),
            rich: { name: { color: now.text, lineHeight: 15, align: 'right' }, below: { color: now.quiet, fontSize: 11, lineHeight: 14, align: 'right' } },
        },
    };
}

export const values = (now, formatter, more = {}) => ({
    type: 'value',
    axisLabel: { color: now.quiet, formatter, hideOverlap: true },
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: now.line } },
    ...more,
});

/** Starts at the power of ten below the smallest value, where zero is drawn too. */
export function logarithmic(all) {
    const least = 10 ** Math.floor(Math.log10(Math.min(...all.filter((value) => value > 0))));

    return { axis: { type: 'log', min: least, logBase: 10 }, at: (value) => (value === null ? null : Math.max(value, least)) };
}
