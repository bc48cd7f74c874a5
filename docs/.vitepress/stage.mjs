// Copies pages and files to where VitePress reads them. They stay as they are: links.mjs changes links while a page is rendered.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { files, pages, ROOT } from './pages.mjs';

export const STAGED = join(ROOT, 'build/site-source');

/** A page of a check begins with its id, and says below its title what the front matter says. */
const check = (text) => {
    const { id, severity, layer, minutes } = Object.fromEntries([...text.split('---')[1].matchAll(/^(\w+): (.+)$/gm)].map(([, key, value]) => [key, value]));

    return text.replace(/^# (.+)$/m, `# ${id}: $1\n\nSeverity ${severity} · [${layer}](../../docs/checks.md#${layer}) · about ${minutes} minutes to fix`);
};

const write = (path, content) => {
    // VitePress renders a page again when its file changes.
    if (existsSync(path) && readFileSync(path).equals(content)) {
        return;
    }

    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
};

export const stage = () => {
    const staged = new Set();
    const put = (path, content) => {
        write(join(STAGED, path), content);
        staged.add(path);
    };

    for (const [path, page] of pages()) {
        const content = readFileSync(join(ROOT, path));
        put(page, path.startsWith('resources/checks/') ? Buffer.from(check(content.toString())) : content);
    }

    for (const [path, file] of files()) {
        put(join('public', file), readFileSync(join(ROOT, path)));
    }

    // Compiled pages import packages, which Node looks for above them.
    rmSync(join(STAGED, 'node_modules'), { force: true });
    symlinkSync(join(ROOT, 'docs/node_modules'), join(STAGED, 'node_modules'));

    for (const path of readdirSync(STAGED, { recursive: true, withFileTypes: true })) {
        const file = join(path.parentPath ?? path.path, path.name);

        if (path.isFile() && ! staged.has(file.slice(STAGED.length + 1))) {
            rmSync(file);
        }
    }
};
