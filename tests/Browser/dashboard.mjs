// Opens the dashboard in a real Chromium, does what it is told, and prints what is to be seen:
// node dashboard.mjs '{"server": {...}, "steps": [...]}'. Without a "url" it serves the page itself, with the state of "server".
// A step is {"press": key}, {"focus": selector}, {"click": selector}, {"fill": selector, "with": text}, {"choose": selector, "value": v},
// {"await": selector}, {"text": words on the page}, {"without": words}, {"goto": fragment}, {"reload": true}, {"resize": width},
// {"dark": bool}, {"hide": bool}, {"server": {...}}, which changes the server, {"pause": seconds}, {"mark": name}, which counts the
// requests from here on, {"hover": selector}, {"walk": name, "keys": n}, which presses Tab n times, {"axe": name}, {"act": name}, which the test does, {"picture": file} or
// {"see": name}.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { DashboardServer } from './dashboard/server.mjs';

const require = createRequire(`${process.env.HEADROOM_BROWSER}/`);
const { chromium } = require('playwright-core');
const { url: given = null, server: state = {}, at = '', steps, width = 1280, dark = false, calm = false, directory, chromium: executablePath } = JSON.parse(readFileSync(0, 'utf8'));

const server = given === null ? new DashboardServer() : null;
server && Object.assign(server.state, state);
const url = given ?? await server.start();
const context = await chromium.launchPersistentContext(directory, {
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: calm ? 'reduce' : 'no-preference',
    timezoneId: 'Europe/Amsterdam',
    locale: 'en-GB',
    acceptDownloads: true,
});
const seen = { errors: [], elsewhere: [], requests: [], states: {}, walks: {}, axe: {}, downloads: [], marks: {} };

// Before any script of the page: what a hostile string would reach, what the policy stops, and whether the page is hidden.
const prepare = () => {
    globalThis.hit = 0;
    globalThis.alert = () => { globalThis.hit++; };
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    let isHidden = false;
    Object.defineProperty(document, 'hidden', { get: () => isHidden });
    Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
    globalThis.hidePage = (value) => {
        isHidden = value;
        document.dispatchEvent(new Event('visibilitychange'));
    };
    globalThis.announced = [];
    document.addEventListener('DOMContentLoaded', () => new MutationObserver(() => globalThis.announced.push(document.getElementById('announcement').textContent)).observe(document.getElementById('announcement'), { childList: true, characterData: true, subtree: true }));
};

const nameOf = (one) => `${one.tagName.toLowerCase()} ${(one.getAttribute('aria-label') ?? one.textContent).trim().replace(/\s+/g, ' ').slice(0, 80)}`;

const look = () => {
    const isSeen = (one) => one !== null && one.checkVisibility();
    const text = (one) => (isSeen(one) ? one.innerText.replaceAll('\u00a0', ' ') : null);
    const view = [...document.querySelectorAll('.view')].find(isSeen) ?? document.querySelector('main');

    return {
        title: document.title,
        hash: location.hash,
        hit: globalThis.hit,
        foreign: document.querySelectorAll('main img, main script, main iframe, main style, main svg:not(.swatch), main object, main embed, main form[action], dialog img, dialog script').length,
        inline: document.querySelectorAll('main [onclick], main [onerror], main [onload], main [href^="javascript"]').length,
        heading: view.querySelector('h1')?.textContent ?? null,
        headings: [...view.querySelectorAll('h1, h2, h3')].filter(isSeen).map((one) => `${one.tagName} ${one.textContent}`),
        text: view.innerText.replaceAll('\u00a0', ' '),
        live: text(document.getElementById('live')),
        problem: text(document.getElementById('problem')),
        result: text(document.getElementById('result')),
        announced: globalThis.announced,
        dialog: text(document.querySelector('dialog[open]')),
        focus: document.activeElement === document.body ? 'body' : `${document.activeElement.tagName.toLowerCase()} ${(document.activeElement.getAttribute('aria-label') ?? document.activeElement.value ?? '') || document.activeElement.textContent}`.trim().replace(/\s+/g, ' ').slice(0, 80),
        selection: String(getSelection()),
        scroll: Math.round(scrollY),
        open: document.querySelectorAll('details[open], [aria-expanded="true"]').length,
        background: getComputedStyle(document.body).backgroundColor,
        overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        outside: [...view.querySelectorAll('section *')].filter((one) => isSeen(one) && !one.closest('.unseen, thead, pre, canvas') && !one.parentElement.closest('.wide, .line') && one.getBoundingClientRect().right > one.closest('section').getBoundingClientRect().right + 0.5).map((one) => `${one.tagName} ${one.textContent.slice(0, 40)}`),
        sideways: [...view.querySelectorAll('.wide')].filter((one) => isSeen(one) && one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute('aria-label')),
        buttons: [...document.querySelectorAll('button')].filter(isSeen).map((one) => one.textContent.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ')),
        current: [...document.querySelectorAll('#views [aria-current]')].map((one) => one.textContent.trim()),
        tables: Object.fromEntries([...view.querySelectorAll('table')].filter(isSeen).map((table) => [table.caption?.textContent ?? '', [...table.querySelectorAll('tbody tr:not([hidden])')].map((row) => [...row.cells].map((cell) => cell.textContent.replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim()))])),
        unnamed: [...view.querySelectorAll('table')].filter((table) => !table.caption || [...table.querySelectorAll('th')].some((one) => !one.scope)).length,
        charts: [...view.querySelectorAll('.chart')].filter(isSeen).map((chart) => ({
            label: chart.getAttribute('aria-label'),
            lines: chart.drawn ? chart.drawn().series.map(({ name, data }) => [name, data.filter(([, y]) => y !== null).length]) : [],
            canvas: Math.round(chart.querySelector('canvas')?.getBoundingClientRect().width ?? 0),
        })),
        order: chartsInOrder(view),
    };
};

// Whether the points of each line go forward in time.
const order = () => {
    globalThis.chartsInOrder = (view) => [...view.querySelectorAll('.chart')].filter((chart) => chart.drawn && chart.checkVisibility()).every((chart) => chart.drawn().series.every(({ data }) => data.every(([x], at) => at === 0 || x >= data[at - 1][0])));
};

try {
    const page = context.pages()[0] ?? await context.newPage();
    page.setDefaultTimeout(20_000);
    page.on('console', (message) => message.type() === 'error' && seen.errors.push(message.text()));
    page.on('pageerror', (error) => seen.errors.push(String(error.stack ?? error)));
    page.on('request', (request) => /^https?:/.test(request.url()) && new URL(request.url()).origin !== new URL(url).origin && seen.elsewhere.push(request.url()));
    page.on('download', async (download) => seen.downloads.push({ name: download.suggestedFilename(), lines: readFileSync(await download.path(), 'utf8').split('\n').filter(Boolean).length }));
    await page.addInitScript(prepare);
    await page.addInitScript(order);
    await page.goto(url + at);

    for (const step of steps) {
        if (step.server) Object.assign(server.state, step.server);
        if (step.act) await act(step.act);
        if (step.goto !== undefined) await page.evaluate((hash) => { location.hash = hash; }, step.goto);
        if (step.reload) await page.reload();
        if (step.focus) await page.focus(step.focus);
        if (step.press) await page.keyboard.press(step.press);
        if (step.click) await page.click(step.click);
        if (step.hover) await page.hover(step.hover);
        if (step.fill) await page.fill(step.fill, step.with);
        if (step.choose) await page.selectOption(step.choose, step.value);
        if (step.select) await page.evaluate((selector) => getSelection().selectAllChildren(document.querySelector(selector)), step.select);
        if ('scroll' in step) await page.evaluate((y) => scrollTo(0, y), step.scroll);
        if ('hide' in step) await page.evaluate((value) => globalThis.hidePage(value), step.hide);
        if (step.resize) await page.setViewportSize({ width: step.resize, height: 900 });
        if ('dark' in step) await page.emulateMedia({ colorScheme: step.dark ? 'dark' : 'light' });
        if (step.await) await page.waitForSelector(step.await);
        if (step.gone) await page.waitForSelector(step.gone, { state: 'hidden' });
        if (step.text) await page.waitForFunction((words) => document.body.innerText.replaceAll('\u00a0', ' ').includes(words), step.text);
        if (step.without) await page.waitForFunction((words) => !document.body.innerText.replaceAll('\u00a0', ' ').includes(words), step.without);
        if (step.pause) await page.waitForTimeout(step.pause * 1000);
        if (step.mark) seen.marks[step.mark] = server.requests.length;
        if (step.until) await until(step.until, step.count);
        if (step.picture) await page.screenshot({ path: step.picture, fullPage: step.whole !== false });
        if (step.walk) seen.walks[step.walk] = await walk(page, step.keys);
        if (step.axe) seen.axe[step.axe] = await axe(page);
        if (step.see) {
            await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
            seen.states[step.see] = await page.evaluate(look);
        }
    }
} finally {
    await context.close();
    server?.stop();
}

/** Has the test do something, such as kill a server, and waits until it is done. */
async function act(name) {
    process.stderr.write(`act ${name}\n`);

    for (let tries = 0; !existsSync(`${directory}/${name}.done`); tries++) {
        if (tries > 2400) throw new Error(`The test has not done '${name}' in two minutes.`);
        await new Promise((done) => setTimeout(done, 50));
    }
}

/** Until so many requests of this path have come since the last mark. */
async function until(path, count) {
    const from = Math.max(0, ...Object.values(seen.marks));

    for (let tries = 0; server.requests.slice(from).filter((one) => one.path === path).length < count; tries++) {
        if (tries > 400) throw new Error(`Fewer than ${count} requests of ${path} in 20 seconds.`);
        await new Promise((done) => setTimeout(done, 50));
    }
}

/** What takes the focus, and whether it shows it. */
async function walk(page, keys) {
    const stops = [];

    for (let n = 0; n < keys; n++) {
        await page.keyboard.press('Tab');
        stops.push(await page.evaluate((name) => {
            const one = document.activeElement;
            const { outlineStyle, outlineWidth } = getComputedStyle(one.type === 'radio' ? one.nextElementSibling : one);

            return { name: (0, eval)(`(${name})`)(one), isSeen: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1, isInDialog: one.closest('dialog') !== null };
        }, String(nameOf)).catch((error) => ({ name: String(error), isSeen: false, isInDialog: false })));
    }

    return stops;
}

async function axe(page) {
    await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));

    return page.evaluate(async () => {
        const { violations, passes } = await globalThis.axe.run(document, { preload: false, resultTypes: ['violations'] });

        return { passes: passes.length, violations: violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary}`).join(' | ')}`.slice(0, 600)) };
    });
}

seen.requests = server?.requests ?? [];
console.log(JSON.stringify(seen));
