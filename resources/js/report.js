// Draws the JSON in the page: blocks of src/Report/Page, or the report of a load run. Its strings become text nodes, so
// text of logs and URLs is never read as markup.

import { drawLoad } from './load.js';
import { drawPage } from './page/page.js';
import { parsed } from './words.js';

const data = parsed(document.getElementById('page_data').textContent);

(data.kind === 'page' ? drawPage : drawLoad)(data);
