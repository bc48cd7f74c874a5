// Events as the lists of dead letters and of waiting events show them.

import { say } from './dom.js';
import { NONE } from './format.js';

const PREVIEW = 160;

/** Text whose invisible characters and characters of direction are visible; the keys of an event have them too. */
const visible = (text) => text.replace(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\ufffd');

/** One line of an event. */
export function preview(event) {
    const text = visible(typeof event === 'string' ? event : Object.entries(event ?? {}).map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`).join(', '));

    // Half of a pair of surrogates is no character.
    return text === '' ? NONE : text.length > PREVIEW ? `${text.slice(0, PREVIEW).replace(/[\ud800-\udbff]$/, '')} …` : text;
}

/** All of an event, indented. */
export const whole = (event) => visible(typeof event === 'string' ? event : JSON.stringify(event, null, 4));

export function sayEvent(node, event) {
    say(node, whole(event));
}
