import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { links, slugify } from './links.mjs';
import { pages, ROOT, SOURCE } from './pages.mjs';
import { sidebar } from './sidebar.mjs';
import { stage, STAGED } from './stage.mjs';

stage();

const sources = new Map([...pages()].map(([path, page]) => [page, path]));

export default defineConfig({
    lang: 'en-GB',
    title: 'Headroom',
    description: 'A durable write buffer for Laravel, and the tools that prove what it gains',
    srcDir: STAGED,
    outDir: join(ROOT, 'build/site'),
    cacheDir: join(ROOT, 'build/site-cache'),
    cleanUrls: true,
    metaChunk: true,
    markdown: {
        anchor: { slugify },
        config: (markdown) => markdown.use(links),
    },
    transformPageData: (page) => {
        page.frontmatter.source = `${SOURCE}${sources.get(page.relativePath)}`;
    },
    vite: {
        // The index of the search is one file, which a page loads when its reader searches.
        build: { chunkSizeWarningLimit: 2_000 },
        plugins: [{
            name: 'headroom-stage',
            // `npm run dev` shows a page again when its source in the repository changes.
            configureServer: (server) => {
                server.watcher.add([...sources.values()].map((path) => join(ROOT, path)));
                server.watcher.on('change', (path) => path.startsWith(STAGED) || stage());
            },
        }],
    },
    themeConfig: {
        nav: [
            { text: 'Quickstart', link: '/quickstart' },
            { text: 'Failure modes', link: '/failure-model' },
            { text: 'Configuration', link: '/configuration' },
            { text: 'Doctor', link: '/doctor', activeMatch: '^/(doctor|checks/)' },
        ],
        sidebar: sidebar(),
        outline: [2, 3],
        search: { provider: 'local' },
        externalLinkIcon: true,
        editLink: { pattern: ({ frontmatter }) => frontmatter.source, text: 'Source of this page' },
        footer: { message: 'Released under the MIT License.', copyright: 'The contributors of Headroom' },
    },
});
