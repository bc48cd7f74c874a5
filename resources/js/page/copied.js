// Lines that the reader copies.

import { element } from '../words.js';

/** Colours a line that a fix removes or adds. */
const diffed = (line) => (/^[-+] /.test(line) ? element('span', { class: line.startsWith('+') ? 'added' : 'removed' }, line) : line);

export function copied({ text }) {
    const made = element('pre', { class: 'copied', tabindex: '0' }, element('code', {}, ...text.split('\n').flatMap((line, at) => [at === 0 ? '' : '\n', diffed(line)])));

    if (navigator.clipboard) {
        const button = element('button', { type: 'button' }, 'Copy');
        const told = (word) => () => { button.textContent = word; };
        button.addEventListener('click', () => navigator.clipboard.writeText(text).then(told('Copied'), told('Select it')));

        return element('div', { class: 'code' }, made, button);
    }

    return element('div', { class: 'code' }, made);
}
