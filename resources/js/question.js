// The form. The address of the page follows it, so that a reader can share a link.

import { zone } from './words.js';

const form = document.getElementById('question');
const own = document.getElementById('own');
const REMEMBERED = ['range', 'from', 'to', 'split', 'prefix', 'refresh'];

const field = (name) => form.elements.namedItem(name);

export function read() {
    const asked = new URLSearchParams(location.search);

    for (const name of REMEMBERED) {
        const value = asked.get(name);

        if (value !== null && field(name)) {
            field(name).value = value;
        }
    }

    if (asked.has('from')) {
        field('range').value = 'own';
    }

    // The address may have a value that the form does not offer.
    field('range').value ||= '24h';
    field('split').value ||= 'type';
    field('refresh').value ||= '60';
    showOwn();
}

function showOwn() {
    own.hidden = field('range').value !== 'own';

    if (!own.hidden && field('from').value === '') {
        const local = (date) => new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
        field('from').value = local(new Date(Date.now() - 86_400_000));
        field('to').value = local(new Date());
    }
}

/** Parameters of the answer, or null while the range is not there yet. */
export function parameters(group) {
    const asked = new URLSearchParams({ group, split: field('split').value, zone: zone() });

    if (field('range').value === 'own') {
        const [from, to] = ['from', 'to'].map((name) => new Date(field(name).value));

        if (Number.isNaN(from.getTime()) || Number.isNaN(to.getTime())) {
            return null;
        }

        asked.set('from', from.toISOString().replace(/\.\d+Z$/, 'Z'));
        asked.set('to', to.toISOString().replace(/\.\d+Z$/, 'Z'));
    } else {
        asked.set('range', field('range').value);
    }

    if (field('prefix').value !== '') {
        asked.set('prefix', field('prefix').value);
    }

    return asked;
}

export const refreshSeconds = () => Number(field('refresh').value) || 0;

function remember() {
    const said = new URLSearchParams();

    for (const name of REMEMBERED) {
        const isOwn = field('range').value === 'own';

        if (field(name).value !== '' && !(isOwn ? name === 'range' : ['from', 'to'].includes(name))) {
            said.set(name, field(name).value);
        }
    }

    history.replaceState(null, '', `?${said}`);
}

export function listen(ask) {
    form.addEventListener('change', (event) => {
        showOwn();

        // The user may still be typing a range of times.
        if (!['from', 'to'].includes(event.target.name)) {
            remember();
            ask();
        }
    });
    form.addEventListener('submit', (event) => {
        event.preventDefault();
        remember();
        ask();
    });
}
