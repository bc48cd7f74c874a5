// Numbers, spans and times in words.

import { at as moment } from '../words.js';
import { unit } from '../page/units.js';
import { set, say } from './dom.js';

export const NONE = '–';

const known = (format) => (value) => (value === null || value === undefined ? NONE : format(value));
const clockWithSeconds = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

export const count = known(unit('count'));
export const rate = known(unit('per_second'));
export const bytes = known(unit('bytes'));
export const millis = known(unit('millis'));
export const clock = (seconds) => clockWithSeconds.format(seconds * 1000);
export const many = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

const UNITS = [[86_400, 'd', 3_600, 'h'], [3_600, 'h', 60, 'min'], [60, 'min', 1, 's']];

/** A span with its two largest units: "3 min 20 s". */
export const span = known((seconds) => {
    const whole = Math.max(0, Math.floor(seconds));
    const found = UNITS.find(([length]) => whole >= length);

    if (!found) {
        return seconds > 0 && whole === 0 ? '< 1 s' : `${whole} s`;
    }

    const [length, name, part, partName] = found;
    const parts = Math.floor((whole % length) / part);

    return `${Math.floor(whole / length)} ${name}${parts > 0 ? ` ${parts} ${partName}` : ''}`;
});

/** A span on an axis, in one unit. */
export function shortSpan(seconds) {
    const [length, name] = [[86_400, 'd'], [3_600, 'h'], [60, 'min']].find(([least]) => seconds >= least) ?? [1, 's'];

    return seconds === 0 ? '0' : `${unit('count')(Math.round((seconds / length) * 10) / 10)} ${name}`;
}

export const ago = known((seconds) => (seconds < 1 ? 'just now' : `${span(seconds)} ago`));
export const ahead = known((seconds) => (seconds < 1 ? 'now' : `in ${span(seconds)}`));

/** Unix seconds of a number or of a text in ISO 8601; null if it is neither. */
export function seconds(value) {
    const found = typeof value === 'number' ? value : typeof value === 'string' ? Date.parse(value) / 1000 : NaN;

    // Beyond this a Date has no text.
    return Number.isFinite(found) && Math.abs(found) < 8.64e12 ? found : null;
}

/** Writes a time in the reader's zone into a <time>, with UTC in its title. */
export function sayTime(node, value) {
    const found = seconds(value);
    const utc = found === null ? null : new Date(found * 1000).toISOString();
    say(node, found === null ? (value === null || value === undefined ? NONE : String(value)) : moment(found * 1000));
    set(node, 'datetime', utc);
    set(node, 'title', utc === null ? null : `${utc.slice(0, 19).replace('T', ' ')} UTC`);
}
