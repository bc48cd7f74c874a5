// Opens a page of another origin in Chromium, runs EVENTS_SCRIPT in it, leaves it, and prints what the page and the network said.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';

const { chromium } = createRequire(`${process.env.HEADROOM_BROWSER}/`)('playwright-core');
const { EVENTS_URL, EVENTS_KEY, EVENTS_SCRIPT, EVENTS_PORT, EVENTS_ADMIN, EVENTS_AWAITED } = process.env;
const metrics = async () => EVENTS_AWAITED === '0' ? 'headroom_events_accepted_total 0\n' : (await fetch(`${EVENTS_ADMIN}/metrics`)).text();
const page = `<!doctype html><meta charset="utf-8"><title>Shop</title>${process.env.EVENTS_LIBRARY ? '<script src="/library.js"></script>' : ''}<script type="module">
const EVENTS_URL = ${JSON.stringify(EVENTS_URL)}, EVENTS_KEY = ${JSON.stringify(EVENTS_KEY)};
const told = [];
try {
${EVENTS_SCRIPT}
if (typeof answer !== 'undefined') { told.push(answer.status, await answer.json()); }
} catch (error) { told.push(String(error)); }
window.told = told;
</script>`;
const library = process.env.EVENTS_LIBRARY ? readFileSync(process.env.EVENTS_LIBRARY) : '';
const server = createServer((request, response) => request.url === '/library.js'
    ? response.writeHead(200, { 'content-type': 'text/javascript' }).end(library)
    : response.writeHead(200, { 'content-type': 'text/html' }).end(request.url === '/cart' ? page : '<title>Elsewhere</title>'));
await new Promise((listening) => server.listen(Number(EVENTS_PORT ?? 0), '127.0.0.1', listening));
const origin = `http://127.0.0.1:${server.address().port}`;
const context = await chromium.launchPersistentContext(process.env.HEADROOM_PROFILE, {
    executablePath: process.env.HEADROOM_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const seen = { origin, told: null, requests: [], errors: [] };

try {
    const tab = context.pages()[0] ?? await context.newPage();
    tab.setDefaultTimeout(20_000);
    tab.on('console', (message) => message.type() === 'error' && seen.errors.push(message.text()));
    context.on('request', (request) => request.url().startsWith(EVENTS_URL) && seen.requests.push({ method: request.method(), type: request.resourceType(), path: new URL(request.url()).pathname }));
    await tab.goto(`${origin}/cart`);
    await tab.waitForFunction(() => window.told !== undefined);
    seen.told = await tab.evaluate(() => window.told);
    await tab.goto(`${origin}/elsewhere`);

    // A beacon goes out behind the page that sent it.
    for (let left = 200; left > 0 && !(await metrics()).includes(`headroom_events_accepted_total ${EVENTS_AWAITED}\n`); left--) {
        await new Promise((later) => setTimeout(later, 100));
    }
} finally {
    await context.close();
    server.close();
}

console.log(JSON.stringify(seen));
