// A page links to other files of the repository, so that its links work in an editor and where the repository is. On the site a
// link to a page leads to the page, a link to a published file to the file, and any other link to the source.

import { existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { address, files, pages, ROOT, SOURCE } from './pages.mjs';

const isElsewhere = (link) => /^([a-z][a-z\d+.-]*:|\/\/|#|$)/i.test(link);

// The highlighter does not know these.
const HIGHLIGHTED = { cron: 'text', caddy: 'nginx' };

/** Resolves the links of a page. */
class Links {
    #pages = pages();

    #files = files();

    #sources = new Map([...this.#pages].map(([path, page]) => [page, path]));

    /** @returns {{href: string, isFile: boolean}} */
    of(page, link) {
        const source = this.#sources.get(page);

        if (source === undefined || isElsewhere(link)) {
            return { href: link, isFile: false };
        }

        const [path, anchor] = link.split(/(?=#)/);
        const target = posix.join(dirname(source), decodeURI(path)).replace(/\/$/, '');
        const to = this.#pages.get(target) ?? this.#pages.get(`${target}/README.md`);

        if (to !== undefined) {
            return { href: `/${to}${anchor ?? ''}`, isFile: false };
        }

        if (this.#files.has(target)) {
            return { href: address(this.#files.get(target)), isFile: true };
        }

        if (! existsSync(join(ROOT, target))) {
            throw new Error(`${source} links to ${link}, and ${target} is not there.`);
        }

        return { href: `${SOURCE}${target}${anchor ?? ''}`, isFile: false };
    }
}

/** GitHub's anchors, which the links have. */
export const slugify = (heading) => heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');

/** A plugin of markdown-it. */
export const links = (markdown) => {
    const links = new Links();

    const link = (token, page) => {
        const { href, isFile } = links.of(page, token.attrGet('href'));
        token.attrSet('href', href);

        // Or VitePress looks for a page of that name.
        if (isFile) {
            token.attrSet('target', '_self');
        }
    };

    const image = (token, page) => token.attrSet('src', links.of(page, token.attrGet('src')).href);

    const html = (token, page) => {
        token.content = token.content.replace(/(?<=\s(?:href|src|srcset)=")[^"]*(?=")/g, (value) => links.of(page, value).href);
    };

    const rules = { link_open: link, image, html_inline: html, html_block: html };

    const visit = (tokens, page, isCell = false) => tokens.forEach((token) => {
        isCell = token.type === 'td_open' || (isCell && token.type !== 'td_close');
        rules[token.type]?.(token, page);

        if (isCell && token.type === 'code_inline') {
            token.meta = { isCell };
        }

        if (token.type === 'fence') {
            token.info = token.info.replace(/^(cron|caddy)\b/, (language) => HIGHLIGHTED[language]);
        }

        // VitePress has a box that scrolls only for blocks with fences.
        if (token.type === 'code_block') {
            Object.assign(token, { type: 'fence', info: 'text' });
        }

        visit(token.children ?? [], page, isCell);
    });

    markdown.core.ruler.push('repository-links', (state) => visit(state.tokens, state.env.relativePath));

    // Vue takes "{{" for the beginning of an expression. Blocks of code have "v-pre" from VitePress.
    for (const rule of ['text', 'code_inline']) {
        const render = markdown.renderer.rules[rule];
        markdown.renderer.rules[rule] = (tokens, at, ...rest) => {
            const html = render(tokens, at, ...rest).replaceAll('{{', '&#123;&#123;');

            // On a phone, a long name in a table wraps where it has a sign or a capital.
            return tokens[at].meta?.isCell ? html.replace(/(?<=\w[_/.:=\\-]+)(?=\w)(?![^<]*>)|(?<=[a-z])(?=[A-Z])(?![^<]*>)/g, '<wbr>') : html;
        };
    }
};
