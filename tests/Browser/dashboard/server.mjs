// The server of the dashboard for tests: the committed page, and JSON as the package answers, with faults on request.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { alerts, buckets, events, failures, KINDS, letters, machine, minutes, nodes, settings } from './data.mjs';

const DIST = new URL('../../../resources/dist/', import.meta.url);
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8' };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const BATCH = 15;

const problem = (status, title, detail) => ({ status, body: { title, detail, status }, type: 'application/problem+json' });
const ok = (body) => ({ status: 200, body, type: 'application/json' });

export class DashboardServer {
    /** Steps of a test merge into this. A member `down` breaks connections, `status` answers all data with it. */
    state = {
        base: '/sub/headroom', name: 'Shop', environment: 'production', token: 'token-1', csrf: 'csrf-1', manage: true, renew: true,
        down: false, status: 0, renewal: 200, database: true, offset: 0, buckets: null, alerts: null, nodes: null, letters: null, kinds: null, events: null,
        machine: null, doctor: null, minutes: null, failures: null, settings: null, action: 0, delay: 0, session: true,
    };

    requests = [];
    #server = createServer((request, response) => this.#answer(request, response));
    #ticks = 0;
    #letters = null;

    async start(port = 0) {
        await new Promise((done) => this.#server.listen(port, '127.0.0.1', done));

        return `http://127.0.0.1:${this.#server.address().port}${this.state.base}`;
    }

    stop() {
        this.#server.closeAllConnections();
        this.#server.close();
    }

    async #answer(request, response) {
        const { state } = this;
        const chunks = [];

        for await (const chunk of request) chunks.push(chunk);

        const url = new URL(request.url, 'http://localhost');
        const path = url.pathname.slice(state.base.length).replace(/^\//, '');
        const body = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : null;
        const { headers, method } = request;
        const entry = { at: performance.now(), until: 0, method, path, query: url.search, body, csrf: headers['x-csrf-token'] ?? null, token: headers['x-headroom-token'] ?? null, cookie: headers.cookie ?? null };
        this.requests.push(entry);

        if (state.down) {
            entry.until = performance.now();
            request.socket.destroy();

            return;
        }

        if (state.delay > 0) await new Promise((done) => setTimeout(done, state.delay));

        const answer = await this.#route(request, path, url.searchParams, body);
        response.writeHead(answer.status, { 'Content-Type': answer.type, 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store', ...answer.headers });
        entry.until = performance.now();
        response.end(typeof answer.body === 'string' || Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body));
    }

    async #route(request, path, query, body) {
        const { state } = this;

        if (path === '') return this.#document();
        if (path.startsWith('assets/')) return { status: 200, body: await readFile(new URL(path.slice(7), DIST)), type: TYPES[path.split('.').at(-1)] };
        if (path === 'token') return state.renewal === 200 ? ok({ token: state.token, csrf: state.csrf, manage: state.manage }) : problem(state.renewal, 'Refused', 'The token is not renewed.');
        if (path.startsWith('actions/')) return this.#act(request, path.slice(8), body);
        if (!path.startsWith('data/')) return problem(404, 'Not found', 'There is no such address.');
        if (state.status > 0) return problem(state.status, 'The application has failed', 'Read its log.');
        if (request.headers['x-headroom-token'] !== state.token) return problem(401, 'The view token is not valid', 'Reload the page.');

        return this.#data(path.slice(5), query);
    }

    async #document() {
        const { state } = this;
        const html = (text) => String(text).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
        const values = { ...state, manage: state.manage ? 1 : 0, renew: state.renew ? 1 : 0 };
        const page = await readFile(new URL('dashboard.html', DIST), 'utf8');

        return { status: 200, type: 'text/html; charset=utf-8', headers: { 'Set-Cookie': 'session=s1; Path=/' }, body: page.replace(/\{(base|token|csrf|manage|renew|name|environment)\}/g, (_, name) => html(values[name])) };
    }

    #data(path, query) {
        const { state } = this;
        const at = Date.now() / 1000 + state.offset;
        const all = state.buckets ?? buckets();
        const [, name, part] = path.match(/^buckets\/([^/]+)(?:\/(\w+))?$/) ?? [];
        const bucket = name === undefined ? null : all.find((one) => one.bucket === decodeURIComponent(name));

        if (path === 'now') return ok(this.#now(at, all));
        if (path === 'history') return ok(this.#history(at, all, query));
        if (path === 'nodes') return ok(state.database ? { state: 'ok', detail: null, nodes: state.nodes ?? nodes(), alerts: [] } : { state: 'unavailable', detail: 'SQLSTATE[HY000] [2002] Connection refused', nodes: [], alerts: [] });
        if (path === 'machine') return ok({ ...machine(this.#ticks++), ...state.machine, ...(state.doctor ? { doctor: state.doctor } : {}) });
        if (!bucket) return problem(404, 'There is no such bucket', 'See the list of buckets.');
        if (part === 'dead') return ok(this.#dead(at, query));
        if (part === 'events') return ok({ events: state.events ?? events(at), more: true });

        return ok({ bucket, settings: state.settings ?? settings(), failures: state.failures ?? failures(at), schedule: 'every minute', sink_name: 'the table api_events of mysql' });
    }

    #now(at, all) {
        const { state } = this;
        const sum = (member) => all.reduce((total, bucket) => total + (bucket[member] ?? 0), 0);
        const members = ['accepted', 'delivered', 'dead', 'dropped', 'pending', 'missing', 'letters', 'in_per_second', 'out_per_second'];

        return {
            at,
            computed_at: at,
            node: { id: '5f0c7a5d9f0e4a3bb1c2d3e4f5a6b7c0', host: 'web-1', path: '/srv/shop/storage/app/private/buffer' },
            enabled: true,
            maintenance: false,
            totals: { ...Object.fromEntries(members.map((member) => [member, sum(member)])), oldest_seconds: all.length > 0 ? Math.max(...all.map((one) => one.oldest_seconds ?? 0)) : null },
            buckets: all,
            alerts: state.alerts ?? alerts(),
            flush: { last_seconds: 0.957, schedule: 'scheduled every minute, with 4 workers', next_seconds: 31, autoflush: null },
            workers: [{ pid: 4711, host: 'web-1', buckets: ['page-views'], since: at - 86_400 }, { pid: 4712, host: 'web-1', buckets: [], since: null }],
            disk: { free_bytes: 41_000_000_000, total_bytes: 160_000_000_000, min_free_bytes: 1_000_000_000 },
        };
    }

    #history(at, all, query) {
        const span = Number(query.get('minutes'));
        const to = Math.floor(at / 60) + 1;
        const step = span === 1_440 ? 5 : 1;
        const chosen = [...all.entries()].filter(([, { bucket }]) => [null, bucket].includes(query.get('bucket')));

        return { from: to - span, to, step, buckets: this.state.minutes ?? Object.fromEntries(chosen.map(([seed, { bucket }]) => [bucket, minutes(to - span, to, step, seed)])) };
    }

    #dead(at, query) {
        const all = this.#all(at).filter(({ kind, reason, event }) => [null, '', kind].includes(query.get('kind')) && JSON.stringify([reason, event]).includes(query.get('search') ?? ''));
        const from = Number(query.get('after') ?? 0);
        const limit = Number(query.get('limit') ?? 50);
        const kinds = (this.state.kinds ?? KINDS).map((kind) => ({ ...kind, letters: this.#all(at).filter((one) => one.kind === kind.kind).length })).filter((kind) => kind.letters > 0);

        return { total: this.#all(at).length, kinds, letters: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null, scanned: this.#all(at).length, complete: this.state.complete ?? true };
    }

    #all(at) {
        if (this.state.fresh) {
            this.state.fresh = false;
            this.#letters = null;
        }

        this.#letters ??= this.state.letters ?? letters(at);

        return this.#letters;
    }

    #act(request, action, body) {
        const { state } = this;

        if (request.headers['x-csrf-token'] !== state.csrf) return problem(419, 'The session has ended', 'Reload the page.');
        if (state.action > 0) return problem(state.action, 'The action is refused', 'You have no right to change a bucket.');

        if (['retry', 'forget', 'export'].includes(action)) {
            const chosen = this.#all(Date.now() / 1000).filter(({ id, kind }) => body.all === true || kind === body.kind || body.ids?.includes(id));

            if (action === 'export') return { status: 200, type: 'application/x-ndjson', headers: { 'Content-Disposition': 'attachment; filename="dead-letters.ndjson"' }, body: chosen.map((one) => `${JSON.stringify(one)}\n`).join('') };

            const done = chosen.slice(0, BATCH);
            this.#letters = this.#letters.filter((one) => !done.includes(one));

            return ok({ done: done.length, remaining: chosen.length - done.length, message: `${done.length} dead letters: ${action}.`, next: chosen.length > done.length ? 'next' : null });
        }

        if (['pause', 'resume'].includes(action)) {
            state.buckets = (state.buckets ?? buckets()).map((one) => (one.bucket === body.bucket ? { ...one, state: action === 'pause' ? 'paused' : 'ok', paused: action === 'pause' ? { since: new Date().toISOString(), by: 'you' } : null, problems: [] } : one));
        } else {
            state.doctor = { state: 'running', started_at: Date.now() / 1000, finished_at: null, detail: null, report: null };
        }

        return ok({ done: 1, remaining: 0, message: 'Done.' });
    }
}

/** The page by hand: HEADROOM_PORT=8099 node tests/Browser/dashboard/server.mjs */
if (process.env.HEADROOM_PORT) {
    console.log(await new DashboardServer().start(Number(process.env.HEADROOM_PORT)));
}

