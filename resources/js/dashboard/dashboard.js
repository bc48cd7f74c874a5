// The page of /headroom: it reads small JSON documents again and again, and writes what has changed into the page.

import { Actions } from './actions.js';
import { Api } from './api.js';
import { BucketView } from './bucket.js';
import { DeadView } from './dead.js';
import { button, element, say, sayLong, sayWords, set, show } from './dom.js';
import { EventsView } from './events.js';
import { clock, count, many } from './format.js';
import { MachineView } from './machine.js';
import { NowView } from './now.js';
import { wordOf } from './pieces.js';
import { Poll } from './poll.js';
import { route } from './route.js';

const NOW_SECONDS = 2;
const NODES_SECONDS = 20;
const RENEW_SECONDS = 300;

const place = (id) => document.getElementById(id);
const main = place('main');
const live = place('live');
const problem = place('problem');

const api = new Api(document.body.dataset, end);
/** Views read through this: a failure is told once, and the figures on the page stay. */
const context = { read, announce, actions: new Actions(api, afterAction, announce) };
const views = { now: new NowView(context), buckets: new BucketView(context), dead: new DeadView(context), events: new EventsView(context), machine: new MachineView(context) };
const missing = { title: 'Not found', node: element('div', { class: 'view', hidden: '' }, element('h1', { tabindex: '-1' }, 'There is no such view'), element('p', {}, element('a', { href: '#/' }, 'See all buckets'))), enter() {}, leave() {}, update() {} };

let open = null;
let last = null;
let refreshed = 0;
let nodes = { state: 'ok', nodes: [], alerts: [] };
let known = null;

const now = new Poll(refresh, NOW_SECONDS);
const machines = new Poll(refreshNodes, NODES_SECONDS);
const renewal = new Poll(renew, RENEW_SECONDS);

/** @returns {Promise<{answer: ?object, failure: ?object}>} without an answer the caller keeps its last one */
async function read(path) {
    if (api.isEnded) {
        return { answer: null, failure: null };
    }

    try {
        return { answer: await api.read(path), failure: null };
    } catch (failure) {
        return { answer: null, failure };
    }
}

async function refresh() {
    if (api.isEnded) {
        return false;
    }

    try {
        last = await api.read('now');
    } catch (failure) {
        fail(failure);

        return false;
    }

    refreshed = Date.now() / 1000;
    recover();
    allow();
    set(document.body, 'data-ready', '1');
    say(live, `Live, ${clock(last.at)}`);
    set(live, 'data-tone', 'good');
    const { letters } = last.totals;
    show(place('letters'), letters > 0);
    say(place('letters'), count(letters));
    tell();
    open.update(last);

    return true;
}

async function refreshNodes() {
    const { answer } = await read('nodes');

    if (answer !== null) {
        const isAnswered = answer.state === 'ok';
        nodes = isAnswered || nodes.nodes.length === 0 ? { ...answer, at: Date.now() / 1000 } : { ...nodes, state: answer.state, detail: answer.detail };
        views.now.machines(nodes, isAnswered || nodes.nodes.length === 0 ? null : `Not refreshed since ${clock(nodes.at)}.`);
        tell();
    }

    return answer !== null;
}

/** Alerts of this machine and of all machines, and changes of states, for a screen reader too. */
function tell() {
    if (last === null) {
        return;
    }

    const alerts = [...new Map([...last.alerts, ...nodes.alerts].map((alert) => [`${alert.cause}:${alert.subject}`, alert])).values()];
    views.now.alert(alerts);
    const after = new Map([...alerts.map((alert) => [`${alert.cause}:${alert.subject}`, `${alert.title}: ${alert.message}`]), ...last.buckets.map(({ bucket, state }) => [`state:${bucket}`, `Bucket ${bucket}: ${wordOf(state)}.`])]);

    if (known !== null) {
        const changed = [...after].filter(([key, text]) => (key.startsWith('state:') ? known.has(key) && known.get(key) !== text : !known.has(key))).map(([, text]) => text);
        const gone = [...known.keys()].filter((key) => !key.startsWith('state:') && !after.has(key)).length;
        announce([...changed, ...(gone > 0 ? [alerts.length === 0 ? 'All is well again.' : `${many(gone, 'alert')} less.`] : [])].slice(0, 5).join(' '));
    }

    known = after;
}

/** Shows at once what an action has changed. */
function afterAction() {
    now.now();
    open.enter(route());
}

function announce(text) {
    if (text !== '') {
        place('announcement').textContent = text.replaceAll('`', '');
    }
}

function fail({ title, detail }) {
    if (api.isEnded) {
        return;
    }

    const since = refreshed === 0 ? 'Nothing was read yet.' : `Not refreshed since ${clock(refreshed)}.`;
    say(live, refreshed === 0 ? 'Not connected' : `Not refreshed since ${clock(refreshed)}`);
    set(live, 'data-tone', 'alert');
    document.body.classList.toggle('stale', refreshed > 0);

    if (problem.hidden) {
        problem.replaceChildren(element('p', { class: 'lead' }), element('p'), button('Try again now', () => now.now()));
    }

    sayLong(problem.children[0], `${title}. ${since}`);
    sayWords(problem.children[1], `${detail} The page tries again by itself.`);
    show(problem, true);
}

function recover() {
    if (!problem.hidden) {
        show(problem, false);
        announce('The page is live again.');
    }

    document.body.classList.remove('stale');
}

async function renew() {
    if (api.isLink || api.age < (RENEW_SECONDS - 1) * 1000) {
        return true;
    }

    return api.renew().then(allow, () => false);
}

/** Actions are hidden by the style sheet where this says that the reader has no right to them. */
function allow() {
    set(document.body, 'data-manage', api.manage ? '1' : '0');

    return true;
}

/** Leaves nothing of what the reader may no longer see. */
function end({ title, detail }) {
    [now, machines, renewal].forEach((poll) => poll.stop());
    open?.leave();
    show(problem, false);
    say(live, 'Ended');
    set(live, 'data-tone', 'alert');
    place('views').closest('nav').hidden = true;
    const words = element('p');
    sayWords(words, detail);
    main.replaceChildren(element('section', { class: 'alert', role: 'alert' }, element('h1', {}, title), words, button('Reload', () => location.reload())));
}

function navigate(isFirst) {
    if (api.isEnded) {
        return;
    }

    const wanted = route();
    const view = views[wanted.view] ?? missing;

    if (open !== view) {
        open?.leave();
        open && show(open.node, false);
        open = view;
        show(open.node, true);
    }

    open.enter(wanted);
    document.title = `${open.title} · Headroom · ${document.body.dataset.name}`;
    document.querySelectorAll('#views a').forEach((anchor) => set(anchor, 'aria-current', anchor.dataset.view === wanted.view ? 'page' : null));
    last && open.update(last);

    if (!isFirst) {
        open.node.querySelector('h1').focus({ preventScroll: true });
        scrollTo(0, 0);
    }
}

place('skip').addEventListener('click', (event) => {
    event.preventDefault();
    open.node.querySelector('h1').focus();
});
main.append(...Object.values(views).map(({ node }) => node), missing.node);
addEventListener('hashchange', () => navigate(false));
navigate(true);
now.start();
machines.start();
renewal.start();
