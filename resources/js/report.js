// Draws what is in the page as JSON: a page of blocks (src/Report/Page), or the report of a load run. Whatever somebody
// wrote into it is text here, never markup.

import { drawLoad } from './load.js';
import { drawPage } from './page/page.js';

// What would turn the direction of writing, end a line or be seen by nobody.
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const data = JSON.parse(document.getElementById('page_data').textContent, (_, value) => (typeof value === 'string' ? value.replace(UNSEEN, '\ufffd') : value));

(data.kind === 'page' ? drawPage : drawLoad)(data);
