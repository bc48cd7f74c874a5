// Which file of the repository is which page of the site. Paths are from the repository's root, and from the site's.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

// A placeholder until the project has a public address: CONTRIBUTING.md.
export const SOURCE = 'https://headroom.example/source/';

// The first pattern that fits a file decides.
const PAGES = [
    [/^docs\/adr\/0000-/, null],
    [/^docs\/(?:node_modules|\.vitepress)\//, null],
    [/^docs\/checks\.md$/, 'checks/index.md'],
    [/^docs\/adr\/README\.md$/, 'adr/index.md'],
    [/^docs\/(.+\.md)$/, '$1'],
    [/^resources\/checks\/(.+\.md)$/, 'checks/$1'],
    [/^benchmarks\/README\.md$/, 'benchmarks/index.md'],
    [/^benchmarks\/([\w-]+)\/README\.md$/, 'benchmarks/$1.md'],
    [/^([A-Z_]+)\.md$/, (_, name) => `${name.toLowerCase().replaceAll('_', '-')}.md`],
];

// Files that the site serves as they are.
const FILES = [
    [/^docs\/images\/(.+)$/, 'images/$1'],
    [/^docs\/(collector\.openapi\.json)$/, '$1'],
    [/^benchmarks\/results\/((?!.*-quick\.).+\.html)$/, 'reports/$1'],
];

const DIRECTORIES = ['docs', 'docs/adr', 'docs/images', 'docs/uses', 'resources/checks', 'benchmarks', 'benchmarks/results'];

/** @returns {string[]} the files that may be part of the site */
const candidates = () => [
    ...['', ...DIRECTORIES].flatMap((directory) => readdirSync(join(ROOT, directory)).map((name) => join(directory, name))),
    ...readdirSync(join(ROOT, 'benchmarks')).map((name) => `benchmarks/${name}/README.md`).filter((path) => existsSync(join(ROOT, path))),
];

/** @returns {Map<string, string>} */
const matching = (rules) => new Map(candidates().flatMap((path) => {
    const [pattern, target] = rules.find(([pattern]) => pattern.test(path)) ?? [null, null];

    return target === null ? [] : [[path, path.replace(pattern, target)]];
}));

export const pages = () => matching(PAGES);

export const files = () => matching(FILES);

/** @returns {string} the address of a page or file on the site */
export const address = (path) => `/${path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`;
