// Opens a page in a real Chromium, does what it is told, and prints what is to be seen: node look.mjs '{"url": ..., "steps": [...]}'
// A step is {"press": key}, {"focus": selector}, {"click": selector}, {"fill": selector, "with": text}, {"choose": selector, "value": v},
// {"await": selector}, {"gone": selector}, {"goto": path}, {"reach": path}, {"ask": path}, which the page fetches, {"settle": true}, {"changed": true}, {"dark": bool},
// {"picture": file}, {"see": name} or {"figures": name}, which sees the pictures of a page that is not the page of charts, {"report": name},
// which sees a report of `load`, {"page": name}, which sees one of Headroom\Report\Page, or {"site": name}, which sees a page of the
// documentation. {"layout": name} measures whether text stays in its box. {"print": bool} is on paper, {"resize": width} another screen.

import { createRequire } from 'node:module';

const { chromium } = createRequire(`${process.env.HEADROOM_BROWSER}/`)('playwright-core');
const { url, steps, width = 1280, dark = false, directory, chromium: executablePath } = JSON.parse(process.argv[2]);

const context = await chromium.launchPersistentContext(directory, {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    timezoneId: 'Europe/Amsterdam',
    locale: 'en-GB',
});
const seen = { errors: [], elsewhere: [], requests: [], states: {}, figures: {}, reports: {}, pages: {}, layouts: {}, site: {} };

const see = () => document.readyState && ({
    status: document.querySelector('#status').textContent,
    problem: document.querySelector('#problem').hidden ? null : document.querySelector('#problem').innerText,
    address: location.search,
    focus: document.activeElement.dataset.key ?? document.activeElement.name ?? document.activeElement.tagName,
    background: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    sections: Object.fromEntries([...document.querySelectorAll('section')].map((section) => [section.id, {
        label: section.querySelector('.chart').hidden ? null : section.querySelector('.chart').getAttribute('aria-label'),
        empty: section.querySelector('.empty').hidden ? null : section.querySelector('.empty').textContent,
        busy: section.getAttribute('aria-busy'),
        rows: section.querySelector('table').hidden ? [] : [...section.querySelectorAll('tbody tr')].map((row) => [row.querySelector('.name').textContent, Number(row.querySelector('td').dataset.total), row.querySelector('button').getAttribute('aria-pressed')]),
        total: section.querySelector('table').hidden ? null : Number(section.querySelector('tfoot td').dataset.total),
        ink: inkOf(section),
    }])),
});

// How many pixels of the canvases have a colour that only a bar or a line has.
const ink = () => {
    globalThis.inkOf = (place) => [...place.querySelectorAll('canvas')].reduce((sum, canvas) => {
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let colourful = 0;

        for (let at = 0; at < data.length; at += 4) {
            colourful += data[at + 3] > 200 && Math.max(data[at], data[at + 1], data[at + 2]) - Math.min(data[at], data[at + 1], data[at + 2]) > 60 ? 1 : 0;
        }

        return sum + colourful;
    }, 0);
};

// A report whose charts are canvases.
const report = () => document.readyState && ({
    background: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    text: document.body.textContent.length > 0 ? document.querySelector('main').innerText.replaceAll('\u00a0', ' ') : '',
    what: document.getElementById('page_what').textContent.replaceAll('\u00a0', ' '),
    headings: [...document.querySelectorAll('h1, h2')].map((heading) => heading.innerText),
    foreign: document.querySelectorAll('main img, main script, main iframe').length,
    charts: [...document.querySelectorAll('section')].filter((section) => section.querySelector('.chart')).map((section) => ({
        name: section.id,
        label: section.querySelector('.chart').getAttribute('aria-label'),
        width: Math.round(section.querySelector('canvas').getBoundingClientRect().width),
        ink: inkOf(section),
    })),
    rows: Object.fromEntries([...document.querySelectorAll('section')].map((section) => [section.id, [...section.querySelectorAll('tbody tr:not(figure tr)')].map((row) => [...row.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' ')))])),
});

// The drawn parts of the page, with their sizes on the screen.
const figures = () => document.readyState && ({
    background: getComputedStyle(document.body).backgroundColor,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    // Elements that extend beyond their section.
    outside: [...document.querySelectorAll('section *')].filter((one) => one.getBoundingClientRect().right > one.closest('section').getBoundingClientRect().right + 0.5).map((one) => one.tagName),
    headings: [...document.querySelectorAll('h1, h2')].map((heading) => heading.innerText),
    charts: [...document.querySelectorAll('figure svg[role=img]')].map((chart) => ({
        name: chart.getAttribute('aria-labelledby').split(' ').map((id) => document.getElementById(id).textContent).join(': '),
        width: Math.round(chart.getBoundingClientRect().width),
        height: Math.round(chart.getBoundingClientRect().height),
        colours: [...new Set([...chart.querySelectorAll('.line')].map((line) => getComputedStyle(line).stroke))],
        lines: [...chart.querySelectorAll('.line')].filter((line) => line.getTotalLength() > 10).length,
        marks: [...chart.querySelectorAll('.marker, .cross')].filter((mark) => mark.getBoundingClientRect().width > 2).length,
        rows: chart.closest('figure').querySelectorAll('tbody tr').length,
    })),
});

// A page of blocks: what its tables say, and what ECharts has of it.
const blocks = () => {
    const number = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const light = (color) => number(color).slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const behind = (one) => (one === null ? 'rgb(255, 255, 255)' : number(getComputedStyle(one).backgroundColor)[3] === 0 ? behind(one.parentElement) : getComputedStyle(one).backgroundColor);
    const contrast = (one) => [light(getComputedStyle(one).color), light(behind(one))].sort((a, b) => b - a).reduce((more, less) => (more + 0.05) / (less + 0.05));
    const rows = (table) => [...table.querySelectorAll('tr')].map((row) => [...row.children].map((cell) => cell.textContent.replaceAll('\u00a0', ' ')));
    const told = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && !['SCRIPT', 'STYLE', 'svg', 'path'].includes(one.tagName) && [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== ''));

    return {
        background: getComputedStyle(document.body).backgroundColor,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        // Tables whose rows hang over their section.
        sideways: [...document.querySelectorAll('.stacked')].filter((one) => one.scrollWidth > one.clientWidth).length,
        title: document.title,
        what: document.getElementById('page_what').textContent.replaceAll('\u00a0', ' '),
        text: document.querySelector('main').innerText.replaceAll('\u00a0', ' '),
        headings: [...document.querySelectorAll('h1, h2, h3')].map((heading) => heading.innerText),
        sections: Object.fromEntries([...document.querySelectorAll('section')].map((one) => [one.id, one.className])),
        contents: [...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href')),
        links: [...document.querySelectorAll('main section a')].map((link) => [link.textContent, link.getAttribute('href')]),
        code: [...document.querySelectorAll('main code')].map((one) => one.textContent),
        foreign: document.querySelectorAll('body img, body iframe, body style, header script, main script, footer script').length,
        tables: Object.fromEntries([...document.querySelectorAll('section')].map((one) => [one.id, [...one.querySelectorAll(':scope .wide:not(figure .wide) table')].map(rows)])),
        // Columns that stand to the right.
        right: Object.fromEntries([...document.querySelectorAll('section')].map((one) => [one.id, [...one.querySelectorAll(':scope .wide:not(figure .wide) thead th')].filter((head) => getComputedStyle(head).textAlign === 'right').map((head) => head.textContent)])),
        faint: told.filter((one) => contrast(one) < 4.5).map((one) => `${contrast(one).toFixed(2)} ${one.tagName} ${one.textContent.slice(0, 40)}`),
        told: told.length,
        figures: Object.fromEntries([...document.querySelectorAll('figure')].map((one) => {
            const chart = one.querySelector('.chart');

            return [one.id, {
                role: chart?.getAttribute('role') ?? null,
                label: chart?.getAttribute('aria-label') ?? null,
                legend: [...one.querySelectorAll('.legend:not([hidden]) button')].map((entry) => entry.textContent),
                folded: !one.querySelector('.numbers').open,
                rows: rows(one.querySelector('table')),
                width: Math.round(chart?.getBoundingClientRect().width ?? 0),
                ink: inkOf(one),
                axes: chart ? ['xAxis', 'yAxis'].map((axis) => chart.drawn()[axis][0].type) : [],
                written: chart ? chart.drawn().series.filter(({ label }) => label?.show).flatMap(({ data, label }) => data.map((value) => label.formatter({ value }))) : [],
                drawn: chart ? Object.fromEntries(chart.drawn().series.filter(({ data }) => data.length > 0).map(({ type, name, data }) => [`${type} ${name}`, data.map((point) => point?.value ?? point)])) : {},
            }];
        })),
    };
};

// A page of the documentation, or the results of a search over it.
const site = () => {
    const parts = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
    const over = ([r, g, b, a = 1], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
    const behind = (one) => (one === null ? [255, 255, 255] : over(parts(getComputedStyle(one).backgroundColor), parts(getComputedStyle(one).backgroundColor)[3] === 0 || parts(getComputedStyle(one).backgroundColor).length === 4 ? behind(one.parentElement) : [0, 0, 0]));
    const light = (rgb) => rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)).reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
    const contrast = (one) => [light(over(parts(getComputedStyle(one).color), behind(one))), light(behind(one))].sort((a, b) => b - a).reduce((more, less) => (more + 0.05) / (less + 0.05));
    const said = [...document.querySelectorAll('.vp-doc *, .VPHero *')].filter((one) => one.checkVisibility() && ! one.closest('.header-anchor, pre, .lang') && [...one.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim() !== ''));
    const name = (one) => `${one.tagName} ${one.textContent.trim().slice(0, 60)}`;
    const scrolls = (one) => one !== null && (['auto', 'scroll'].includes(getComputedStyle(one).overflowX) || scrolls(one.parentElement));

    return {
        title: document.title,
        background: getComputedStyle(document.body).backgroundColor,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        outside: [...document.querySelectorAll('.vp-doc *')].filter((one) => one.checkVisibility() && ! scrolls(one) && ! one.closest('.header-anchor') && one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5).map(name),
        faint: said.filter((one) => contrast(one) < 4.5).map((one) => `${contrast(one).toFixed(2)} ${name(one)}`),
        boxes: [...document.querySelectorAll('.vp-doc .custom-block')].map((one) => one.className),
        unread: said.filter((one) => ! one.closest('code') && [...one.childNodes].some((child) => child.nodeType === 3 && /\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]/.test(child.data))).map(name),
        results: [...document.querySelectorAll('.VPLocalSearchBox .result')].map((one) => one.innerText.replaceAll('\n', ' ')),
        tree: [...document.querySelectorAll('.VPSidebar a')].length,
    };
};

// Whether text stays where it belongs: what hangs over, and words that are broken although a line has room for them.
const layout = () => {
    // As in resources/js/words.js: a longer word may wrap at its signs.
    const LONG = 28;
    const scrolls = (one) => ['auto', 'scroll'].includes(getComputedStyle(one).overflowX);
    const isHidden = (one) => one.closest('thead') !== null && getComputedStyle(one.closest('thead')).position === 'absolute';
    const shown = [...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && !one.closest('svg, script, style, canvas') && !isHidden(one));
    const name = (one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 60)}`;
    const broken = [];
    let words = 0;

    for (const one of shown) {
        // Text beside a <wbr> is a part of a long word.
        const isLong = [...one.children].some((child) => child.tagName === 'WBR');

        for (const text of [...one.childNodes].filter((child) => child.nodeType === 3)) {
            for (const { 0: word, index } of text.data.matchAll(isLong ? /[\p{Script=Latin}\d]+/gu : /[\p{Script=Latin}\d_]+/gu)) {
                if (word.length > LONG) continue;
                const range = document.createRange();
                range.setStart(text, index);
                range.setEnd(text, index + word.length);
                words++;
                if (new Set([...range.getClientRects()].filter(({ width }) => width > 0).map(({ top }) => Math.round(top))).size > 1) broken.push(word);
            }
        }
    }

    return {
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        wide: shown.filter((one) => one.clientWidth > 0 && one.scrollWidth > one.clientWidth + 1 && !scrolls(one) && getComputedStyle(one).display !== 'inline').map(name),
        outside: shown.filter((one) => one.closest('section') && !one.parentElement.closest('.wide, .copied') && one.getBoundingClientRect().right > one.closest('section').getBoundingClientRect().right + 0.5).map(name),
        broken,
        words,
    };
};

try {
    const page = context.pages()[0] ?? await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => message.type() === 'error' && seen.errors.push(message.text()));
    page.on('pageerror', (error) => seen.errors.push(String(error)));
    page.on('request', (request) => seen.requests.push(request.url()));
    page.on('request', (request) => /^https?:/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin && seen.elsewhere.push(request.url()));
    // Violations of the policy that are not told on the console, too.
    await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`)));
    await page.addInitScript(ink);
    await page.goto(url);

    for (const step of steps) {
        if (step.goto) await page.goto(new URL(step.goto, url).href, { waitUntil: 'networkidle' });
        if (step.press) await page.keyboard.press(step.press);
        if (step.focus) await page.focus(step.focus);
        if (step.hover) await page.hover(step.hover, { position: step.at });
        if (step.click) await page.click(step.click);
        if (step.fill) await page.fill(step.fill, step.with);
        if (step.choose) await page.selectOption(step.choose, step.value);
        if (step.await) await page.waitForSelector(step.await);
        if (step.gone) await page.waitForSelector(step.gone, { state: 'detached' });
        if (step.reach) await page.waitForURL(new URL(step.reach, url).href);
        if (step.ask) await page.evaluate((path) => fetch(path).then((response) => response.text()), step.ask);
        if (step.resize) await page.setViewportSize({ width: step.resize, height: 900 });
        if ('print' in step) await page.emulateMedia({ media: step.print ? 'print' : 'screen' });
        if ('dark' in step) await page.emulateMedia({ colorScheme: step.dark ? 'dark' : 'light' });
        // Until no answer is waited for, and what it says is drawn.
        if (step.settle) await page.waitForFunction(() => document.querySelector('#status').textContent !== 'Loading …' && (!document.querySelector('#problem').hidden || [...document.querySelectorAll('section')].every((section) => section.getAttribute('aria-busy') === 'false')));
        if (step.changed) await page.waitForFunction((before) => document.querySelector('#status').textContent !== before, await page.textContent('#status'));
        if (step.picture) await page.screenshot({ path: step.picture, ...(step.height ? { clip: { x: 0, y: 0, width: page.viewportSize().width, height: step.height } } : {}), fullPage: true });
        if (step.see || step.figures || step.report || step.page || step.site || step.layout) await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
        if (step.see) seen.states[step.see] = await page.evaluate(see);
        if (step.report) seen.reports[step.report] = await page.evaluate(report);
        if (step.page) seen.pages[step.page] = await page.evaluate(blocks);
        if (step.site) seen.site[step.site] = await page.evaluate(site);
        if (step.layout) seen.layouts[step.layout] = await page.evaluate(layout);
        if (step.figures) seen.figures[step.figures] = await page.evaluate(figures);
    }
} finally {
    await context.close();
}

console.log(JSON.stringify(seen));
