// Small parts that several views have.

import { button, element, say, sayWords, set, show } from './dom.js';
import { address } from './route.js';

/** A state in a word, with the tone and the shape of its sign, so that it needs no colour. */
const STATES = {
    ok: ['delivers', 'good'],
    waiting: ['waits', 'quiet'],
    paused: ['paused', 'pause'],
    late: ['late', 'warn'],
    failing: ['fails', 'alert'],
    stopped: ['stopped', 'alert'],
    forked: ['forked', 'alert'],
    error: ['unreadable', 'alert'],
    undeclared: ['not declared', 'warn'],
};

export const wordOf = (state) => (STATES[state] ?? [state])[0];

export const badge = () => element('span', { class: 'badge' });

export function sayState(node, state) {
    set(node, 'data-state', (STATES[state] ?? ['', 'quiet'])[1]);
    say(node, wordOf(state));
}

/** Writes to the clipboard, also where the page has no secure context. */
async function copy(text, node) {
    if (navigator.clipboard) {
        return navigator.clipboard.writeText(text);
    }

    getSelection().selectAllChildren(node);

    if (!document.execCommand('copy')) {
        throw new Error('no clipboard');
    }
}

/** @param {Element} node has the text, for a page that may only select it */
export function copyButton(text, node) {
    const word = element('span', {}, 'Copy');
    const told = (now) => {
        word.textContent = now;
        clearTimeout(timer);
        timer = setTimeout(() => { word.textContent = 'Copy'; }, 2_000);
    };
    let timer = 0;
    const made = button('', () => copy(text, node).then(() => told('Copied'), () => told('Select it')), { class: 'small' });
    made.append(word, element('span', { class: 'unseen' }, ` ${text}`));

    return made;
}

const COMMAND = /`([^`]* [^`]*)`/g;

/** One sentence with its commands, each with a button that copies it. */
export class Advice {
    #words = element('span');
    #commands = element('span', { class: 'commands' });
    #text = '';
    node = element('p', { class: 'advice' }, this.#words, ' ', this.#commands);

    say(text) {
        show(this.node, (text ?? '') !== '');

        if (text === this.#text || !text) {
            return;
        }

        this.#text = text;
        sayWords(this.#words, text);
        const commands = [...new Set([...text.matchAll(COMMAND)].map(([, command]) => command))];
        this.#commands.replaceChildren(...commands.map((command) => copyButton(command, [...this.#words.querySelectorAll('code')].find((code) => code.textContent === command))));
    }
}

export const card = (title, ...children) => element('section', {}, element('h2', {}, title), ...children);

export const link = (text, view, bucket, query) => element('a', { href: address(view, bucket, query) }, text);
