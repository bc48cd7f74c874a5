// Draws the JSON in the page: blocks of src/Report/Page, or the report of a load run. Its strings become text nodes, so
// text of logs and URLs is never read as markup.

import { drawLoad } from './load.js';
import { drawPage } from './page/page.js';

// Characters that are invisible, end a line or change the direction of text.
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const data = JSON.parse(document.getElementById('page_data').textContent, (_, value) => (typeof value === 'string' ? value.replace(UNSEEN, '\ufffd') : value));

(data.kind === 'page' ? drawPage : drawLoad)(data);
