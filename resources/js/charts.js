import { Panel } from './panel.js';
import * as question from './question.js';
import { count, now } from './words.js';

const panels = ['business', 'actions'].map((group) => new Panel(group));
const status = document.getElementById('status');
const problem = document.getElementById('problem');

let asking = null;
let timer = 0;

async function answer(group, signal) {
    let response;

    try {
        response = await fetch(`${document.body.dataset.endpoint}?${question.parameters(group)}`, { signal, headers: { Accept: 'application/json' }, credentials: 'same-origin' });
    } catch (failure) {
        throw failure.name === 'AbortError' ? failure : { title: 'The server cannot be reached', detail: 'Check the connection. The page shows the last response.' };
    }

    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
    const body = isJson ? await response.json() : null;

    if (response.ok && body) {
        return body;
    }

    throw body?.detail ? body : {
        title: [401, 403, 419].includes(response.status) || response.redirected ? 'You are no longer allowed to see this page' : 'The server sent an unexpected response',
        detail: `Its status was HTTP ${response.status}. Reload the page, and sign in if it asks you to.`,
    };
}

function tell(failure) {
    problem.hidden = failure === null;

    if (failure !== null) {
        problem.querySelector('h2').textContent = failure.title;
        problem.querySelector('p').textContent = failure.detail;
    }
}

async function ask() {
    clearTimeout(timer);
    asking?.abort();

    if (question.parameters('all') === null) {
        tell({ title: 'The range is incomplete', detail: 'Enter both times, each with year, month, day, hour and minute.' });

        return;
    }

    const mine = asking = new AbortController();
    panels.forEach((panel) => panel.stale(true));

    try {
        const answers = await Promise.all(panels.map((panel) => answer(panel.group, mine.signal)));
        tell(null);
        panels.forEach((panel, index) => panel.show(answers[index]));
        status.textContent = `${count(answers.reduce((sum, one) => sum + one.total, 0))} events, as of ${now()}`;
    } catch (failure) {
        if (failure.name === 'AbortError') {
            return;
        }

        mine.abort();
        tell(failure);
        status.textContent = `Not refreshed, ${now()}`;
    }

    schedule();
}

function schedule() {
    clearTimeout(timer);
    const seconds = question.refreshSeconds();

    // A hidden page does not refresh; visibilitychange resumes it.
    if (seconds > 0 && !document.hidden) {
        timer = setTimeout(ask, seconds * 1000);
    }
}

question.read();
question.listen(ask);
problem.querySelector('button').addEventListener('click', ask);
document.addEventListener('visibilitychange', () => (document.hidden ? clearTimeout(timer) : question.refreshSeconds() > 0 && ask()));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => panels.forEach((panel) => panel.draw()));
ask();
