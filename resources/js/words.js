// Numbers and times in the locale of the browser.

const number = new Intl.NumberFormat();
const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 1 });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

const DAY = 86_400;

export const count = (value) => number.format(value);
// A part above zero never reads "0 %".
export const percent = (part, whole) => (part > 0 && part / whole < 0.001 ? `< ${share.format(0.001)}` : share.format(part / whole));
export const at = (millis) => moment.format(millis);
export const now = () => clock.format(new Date());
export const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** The label below a point, as precise as its interval. */
export function tick(millis, interval, isLong) {
    const options = interval >= DAY ? { day: 'numeric', month: 'short' }
        : interval < 60 ? { timeStyle: 'medium' }
            : isLong ? { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
                : { hour: '2-digit', minute: '2-digit' };

    return new Intl.DateTimeFormat(undefined, options).format(millis);
}

export function duration(seconds) {
    for (const [unit, length] of [['day', DAY], ['hour', 3_600], ['minute', 60]]) {
        if (seconds % length === 0) {
            return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
        }
    }

    return new Intl.NumberFormat(undefined, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(seconds);
}

// A longer word, such as a path or a command, may wrap after these characters.
const LONG = 28;
export const JOINTS = /(?<=[/\\._:;,&?=|@+-])(?=[^/\\._:;,&?=|@+-])/;

// A word without such a character wraps after this many, because it would leave its box.
const PIECE = /.{1,16}/gsu;

// A line ends neither between a number and its unit nor at the hyphens of an option or a date.
const UNIT = /(\d) (?=(?:%|s|ms|µs|B|kB|MB|GB|TB|Hz)(?![\p{L}\d]))/gu;
const WHOLE = /^[("]?-|^\d{4}-\d\d-\d\d/;

/** Text as children of an element, with the places at which a long word may wrap. */
export function wrappable(text) {
    const whole = (word) => (WHOLE.test(word) ? element('span', { class: 'whole' }, word) : word);
    const pieces = (word) => (word.length <= LONG ? [whole(word)] : word.split(JOINTS).flatMap((part) => (part.length <= LONG ? [part] : part.match(PIECE))));

    return text.replace(UNIT, '$1\u00a0').split(/([^\S\u00a0]+)/).flatMap((word) => pieces(word).flatMap((piece, at) => (at === 0 ? [piece] : [document.createElement('wbr'), piece])));
}

// Characters that are invisible, end a line or change the direction of text.
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** JSON whose strings have a sign in place of each such character. */
export const parsed = (text) => JSON.parse(text, (_, value) => (typeof value === 'string' ? value.replace(UNSEEN, '\ufffd') : value));

export function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);

    for (const [key, value] of Object.entries(attributes)) {
        made.setAttribute(key, value);
    }

    made.append(...children);

    return made;
}
