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
        throw failure.name === 'AbortError' ? failure : { title: 'The server can not be reached', detail: 'Check the connection. What is shown is what was there before.' };
    }

    const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
    const body = isJson ? await response.json() : null;

    if (response.ok && body) {
        return body;
    }

    throw body?.detail ? body : {
        title: [401, 403, 419].includes(response.status) || response.redirected ? 'You may not see this any more' : 'The server did not answer as it should',
        detail: `It answered with HTTP ${response.status}. Reload the page, which asks you to sign in where that is needed.`,
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
        tell({ title: 'The range is not whole', detail: 'Give both times, as year, month, day, hour and minute.' });

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

    // Nobody looks: it goes on when somebody does.
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
