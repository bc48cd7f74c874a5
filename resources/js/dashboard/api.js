// Talks to the server. Reading needs the view token only, so it goes on while the database with the sessions is down.

import { parsed } from '../words.js';

const PATIENCE_MILLIS = 15_000;
const ACTION_MILLIS = 120_000;
const LOST = { isDown: true, title: 'The server cannot be reached', detail: 'Check the connection and the web server.' };

/** A refusal or a failure in words. `isDown`: the same question may succeed later. */
class Failure extends Error {
    constructor({ title, detail = '', status = 0, isDown = false }) {
        super(title);
        Object.assign(this, { title, detail, status, isDown });
    }
}

async function request(url, options, millis) {
    let response;
    let text;

    try {
        response = await fetch(url, { cache: 'no-store', redirect: 'manual', signal: AbortSignal.timeout(millis), ...options });
        text = response.type === 'opaqueredirect' ? '' : await response.text();
    } catch {
        throw new Failure(LOST);
    }

    // A login page is where a request without its session is sent.
    const status = response.type === 'opaqueredirect' ? 401 : response.status;
    let body = null;

    try {
        body = /\bjson\b/.test(response.headers.get('Content-Type') ?? '') ? parsed(text) : null;
    } catch {
        // An answer that ends early is none.
    }

    if (response.ok && body !== null) {
        return body;
    }

    // Laravel answers so in maintenance mode, before any route.
    const isMaintenance = status === 503;

    throw new Failure({
        title: body?.title ?? (isMaintenance ? 'The application is in maintenance mode, or down' : 'The server sent an unexpected response'),
        detail: body?.detail ?? (isMaintenance ? '`php artisan up` ends maintenance mode.' : `Its status was HTTP ${status}.`),
        status,
        isDown: status >= 500 || response.ok || status === 429,
    });
}

export class Api {
    #base;
    #token;
    #csrf;
    #renewal = null;
    #renewedAt = performance.now();
    #onEnd;

    /** @param {(failure: {title: string, detail: string}) => void} onEnd the reader may no longer see the page */
    constructor({ base, token, csrf, manage, renew }, onEnd) {
        this.#base = base;
        this.#token = token;
        this.#csrf = csrf;
        this.#onEnd = onEnd;
        // A page that a signed link opened has no session: its token lasts as long as the link, and nothing renews it.
        this.isLink = renew === '0';
        this.manage = manage === '1';
        this.isEnded = false;
    }

    /** Milliseconds since the token was renewed. */
    get age() {
        return performance.now() - this.#renewedAt;
    }

    async read(path) {
        try {
            return await this.#data(path);
        } catch (failure) {
            if (failure.status !== 401) {
                throw failure;
            }
        }

        if (this.isLink) {
            throw this.#end({ title: 'The link has expired', detail: 'Print a new one with `php artisan headroom:link` on the server.' });
        }

        await this.renew();

        return this.#data(path);
    }

    /** A refusal ends the page. A server that fails does not, because the token may still be valid. */
    async renew() {
        this.#renewal ??= this.#renewed().finally(() => { this.#renewal = null; });

        return this.#renewal;
    }

    /** @returns {Promise<{done: number, remaining: number, message: string}>} */
    async act(action, body) {
        const send = () => request(`${this.#base}/actions/${action}`, this.#posted(body), ACTION_MILLIS);

        return this.#signed(send);
    }

    /** @returns {Promise<Blob>} a file of lines */
    async export(body) {
        return this.#signed(async () => {
            const response = await fetch(`${this.#base}/actions/export`, { ...this.#posted(body), redirect: 'manual', signal: AbortSignal.timeout(ACTION_MILLIS) })
                .catch(() => { throw new Failure(LOST); });

            if (!response.ok) {
                const problem = await response.json().catch(() => ({}));

                throw new Failure({ title: problem.title ?? 'The export failed', detail: problem.detail ?? `The status was HTTP ${response.status}.`, status: response.status });
            }

            return response.blob();
        });
    }

    /** The application reads no cookie here. A proxy with a login, and maintenance mode with a secret, do. */
    #data(path) {
        return request(`${this.#base}/data/${path}`, { credentials: 'same-origin', headers: { Accept: 'application/json', 'X-Headroom-Token': this.#token } }, PATIENCE_MILLIS);
    }

    #posted(body) {
        return {
            method: 'POST',
            credentials: 'same-origin',
            headers: { Accept: 'application/json', 'Content-Type': 'application/json', 'X-CSRF-TOKEN': this.#csrf },
            body: JSON.stringify(body),
        };
    }

    /** An old session has an old CSRF token, so it asks for the new one once. */
    async #signed(send) {
        try {
            return await send();
        } catch (failure) {
            if (failure.status !== 419) {
                throw failure;
            }
        }

        await this.renew();

        return send();
    }

    async #renewed() {
        let answer;

        try {
            answer = await request(`${this.#base}/token`, { credentials: 'same-origin', headers: { Accept: 'application/json' } }, PATIENCE_MILLIS);
        } catch (failure) {
            throw [401, 403].includes(failure.status)
                ? this.#end({ title: 'You may no longer see this page', detail: 'Reload it, and sign in if it asks you to.' })
                : failure;
        }

        this.#token = answer.token;
        this.#csrf = answer.csrf;
        this.manage = answer.manage === true;
        this.#renewedAt = performance.now();
    }

    #end(words) {
        this.isEnded = true;
        this.#onEnd(words);

        return new Failure(words);
    }
}
