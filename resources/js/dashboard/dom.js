// Changes of the document that leave alone what has not changed: focus, selection, scroll position and open details stay.

import { element, wrappable } from '../words.js';
import { words } from '../page/tables.js';

const written = new WeakMap();

export { element };

/** Writes only a text that is new. */
export function say(node, text) {
    if (written.get(node) !== text) {
        written.set(node, text);
        node.textContent = text;
    }
}

/** As say(), for names and paths, which may be long. */
export function sayLong(node, text) {
    if (written.get(node) !== text) {
        written.set(node, text);
        node.replaceChildren(...wrappable(text));
    }
}

/** As say(), for sentences whose code is in backticks. */
export function sayWords(node, text) {
    if (written.get(node) !== text) {
        written.set(node, text);
        node.replaceChildren(...words(text));
    }
}

/** Sets an attribute that is new, and removes it for null. */
export function set(node, name, value) {
    if (value === null) {
        node.removeAttribute(name);
    } else if (node.getAttribute(name) !== value) {
        node.setAttribute(name, value);
    }
}

export function show(node, isShown) {
    if (node.hidden === isShown) {
        isShown || leave(node);
        node.hidden = !isShown;
    }
}

/** The focus of a part that goes is at the heading of its view then, and not at the start of the page. */
function leave(node) {
    if (node.contains(document.activeElement)) {
        document.querySelector('.view:not([hidden]) h1')?.focus({ preventScroll: true });
    }
}

/**
 * Makes, updates, moves and removes children, one for each item with its key.
 *
 * @template T
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => Element} make
 * @param {(child: Element, item: T) => void} update
 * @param {{keeps?: (child: Element) => boolean, behind?: ?Element}} options keeps: whether a child stays whose item is
 *     gone; behind: the child after which they stand
 */
export function keyed(parent, items, keyOf, make, update, { keeps = () => false, behind = null } = {}) {
    const before = written.get(parent) ?? new Map();
    const after = new Map();
    let place = behind === null ? parent.firstElementChild : behind.nextElementSibling;

    for (const item of items) {
        const key = keyOf(item);

        if (after.has(key)) {
            continue;
        }

        const child = before.get(key) ?? make(item);
        after.set(key, child);
        update(child, item);
    }

    for (const [key, child] of before) {
        if (!after.has(key) && keeps(child)) {
            after.set(key, child);
        } else if (!after.has(key)) {
            place = child === place ? child.nextElementSibling : place;
            leave(child);
            child.remove();
        }
    }

    for (const child of after.values()) {
        if (child === place) {
            place = place.nextElementSibling;
        } else {
            moved(parent, child, place);
        }
    }

    written.set(parent, after);
}

/** A moved element loses the focus that is in it. */
function moved(parent, child, place) {
    const focused = child.contains(document.activeElement) ? document.activeElement : null;
    parent.insertBefore(child, place);
    focused?.focus({ preventScroll: true });
}

export function button(text, onClick, attributes = {}) {
    const made = element('button', { type: 'button', ...attributes }, text);
    made.addEventListener('click', onClick);

    return made;
}
