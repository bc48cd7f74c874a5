// Checks a built site: node check.mjs DIRECTORY. Each link, anchor and image leads to something, no page loads anything from
// another host, and each has a heading. VitePress checks links between pages, and neither anchors nor files.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

const site = process.argv[2];
const problems = [];
const names = readdirSync(site, { recursive: true }).map((name) => name.replaceAll('\\', '/'));
const html = names.filter((name) => name.endsWith('.html'));
const decode = (value) => value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
// Code shows tags that are none.
const tags = (text) => [...text.replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, (script) => script.slice(0, script.indexOf('>') + 1)).matchAll(/<([a-z][a-z\d-]*)((?:\s+[^\s"'>/=]+(?:="[^"]*"|='[^']*'|=[^\s"'>]*)?)*)\s*\/?>/gi)]
    .map(([, name, attributes]) => ({ name: name.toLowerCase(), attributes: Object.fromEntries([...attributes.matchAll(/([^\s"'>/=]+)="([^"]*)"/g)].map(([, key, value]) => [key, decode(value)])) }));
const documents = new Map(html.map((name) => [name, tags(readFileSync(join(site, name), 'utf8'))]));
const anchors = new Map([...documents].map(([name, all]) => [name, new Set(all.map(({ attributes }) => attributes.id))]));

/** @returns {string|undefined} the file that a server with clean addresses sends */
const served = (path) => [path, `${path}.html`, posix.join(path, 'index.html')]
    .map((name) => name.replace(/^\//, ''))
    .find((name) => existsSync(join(site, name)) && statSync(join(site, name)).isFile());

const isElsewhere = (address) => /^([a-z][a-z\d+.-]*:|\/\/)/i.test(address);

const LOADING = { img: ['src', 'srcset'], script: ['src'], source: ['src', 'srcset'], iframe: ['src'], video: ['src', 'poster'], audio: ['src'], object: ['data'], link: ['href'] };

/** @returns {string[]} */
const addresses = ({ name, attributes }) => (name === 'a' ? ['href'] : LOADING[name] ?? [])
    .flatMap((key) => (key === 'srcset' ? (attributes.srcset ?? '').split(',').map((one) => one.trim().split(/\s/)[0]) : [attributes[key] ?? '']))
    .filter((address) => address !== '' && ! address.startsWith('data:'));

const follow = (name, address) => {
    const [path, anchor] = address.replace(/\?[^#]*/, '').split('#');
    const target = path === '' ? name : served(posix.resolve('/', posix.dirname(name), decodeURI(path)));

    if (target === undefined) {
        problems.push(`${name} leads to ${address}, which is not there.`);
    } else if (anchor && documents.has(target) && ! anchors.get(target).has(decodeURIComponent(anchor))) {
        problems.push(`${name} leads to ${address}: ${target} has no such anchor.`);
    }
};
let links = 0;

for (const [name, all] of documents) {
    // VitePress prints an error while it renders a page, and ends with 0.
    if (name !== '404.html' && ! all.some((tag) => tag.name === 'h1')) {
        problems.push(`${name} has no heading.`);
    }

    for (const tag of all) {
        for (const address of addresses(tag)) {
            if (! isElsewhere(address)) {
                links++;
                follow(name, address);
            } else if (tag.name !== 'a') {
                problems.push(`${name} loads ${address}.`);
            }
        }
    }
}

for (const name of names.filter((name) => name.endsWith('.css'))) {
    for (const [load] of readFileSync(join(site, name), 'utf8').matchAll(/(?:url\(|@import)\s*["']?(?:https?:)?\/\/[^)"';]*/g)) {
        problems.push(`${name} loads ${load}.`);
    }
}

if (problems.length > 0) {
    console.error([...new Set(problems)].join('\n'));
    process.exit(1);
}

console.log(`${documents.size} pages, ${links} links, anchors and images: each leads to something, and nothing comes from elsewhere.`);
