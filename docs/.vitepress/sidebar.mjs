// The tree of the site is in sidebar.json, with paths of the repository. Checks and decisions have trees of their own.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { address, files, pages, ROOT } from './pages.mjs';

const read = (path) => readFileSync(join(ROOT, path), 'utf8');

const title = (path) => /^# (.+)$/m.exec(read(path))[1];

const isListed = (path) => ! /^(resources\/checks\/|docs\/adr\/\d|docs\/index\.md$)/.test(path);

const tree = (entries, found) => entries.map(({ text, page, file, collapsed, items }) => {
    const target = page === undefined ? files().get(file) : pages().get(page);
    found.set(page ?? file, target);

    return {
        text,
        ...(target === undefined ? {} : { link: address(target) }),
        ...(file === undefined ? {} : { target: '_self' }),
        ...(items === undefined ? {} : { items: tree(items, found), collapsed: collapsed ?? false }),
    };
});

const checks = () => {
    const layers = new Map();

    for (const [path, page] of pages()) {
        if (path.startsWith('resources/checks/')) {
            const text = read(path);
            const [id, layer] = ['id', 'layer'].map((key) => new RegExp(`^${key}: (.+)$`, 'm').exec(text)[1]);
            layers.set(layer, [...(layers.get(layer) ?? []), { id, text: `${id}: ${title(path)}`, link: address(page) }]);
        }
    }

    const order = [...read('docs/checks.md').matchAll(/^## (.+)$/gm)].map(([, layer]) => layer);
    const natural = (a, b) => a.id.localeCompare(b.id, 'en', { numeric: true });

    return [
        { text: 'Doctor', items: [{ text: 'Overview', link: '/doctor' }, { text: 'All checks', link: '/checks/' }] },
        ...order.map((layer) => ({ text: layer, collapsed: true, items: layers.get(layer).sort(natural) })),
    ];
};

const decisions = () => [
    { text: 'Project', items: [{ text: 'Architecture', link: '/architecture' }, { text: 'All decisions', link: '/adr/' }] },
    {
        text: 'Decisions',
        items: [...pages()].filter(([path]) => /^docs\/adr\/\d/.test(path)).map(([path, page]) => ({ text: title(path), link: address(page) })),
    },
];

export const sidebar = () => {
    const found = new Map();
    const all = tree(JSON.parse(read('docs/.vitepress/sidebar.json')), found);
    const problems = [
        ...[...found].filter(([path, target]) => path !== undefined && target === undefined).map(([path]) => `has ${path}, which is not there`),
        ...[...pages().keys()].filter((path) => isListed(path) && ! found.has(path)).map((path) => `has no entry for ${path}`),
    ];

    if (problems.length > 0) {
        throw new Error(problems.map((problem) => `sidebar.json ${problem}.`).join('\n'));
    }

    return { '/checks/': checks(), '/adr/': decisions(), '/': all };
};
