// Builds resources/dist, which is committed so that users need no Node: `npm ci && npm run build` in this directory.
// With --check it writes nothing, and fails if the committed files differ from those that these sources build.

import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = `${here}../dist/`;
const BUNDLED = ['echarts', 'zrender', 'tslib'];

const read = (path) => readFile(`${here}${path}`, 'utf8');

async function bundle(entry) {
    const { outputFiles } = await build({
        absWorkingDir: here,
        entryPoints: [entry],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
        target: ['chrome109', 'firefox115', 'safari16'],
        charset: 'utf8',
        legalComments: 'none',
        banner: entry.endsWith('.js') ? { js: '/*! Licences of what is in here: LICENSES.txt */' } : {},
    });

    return outputFiles[0].text;
}

async function licenses() {
    const parts = ['charts.js, report.js and dashboard.js contain the packages below, of which only what is used is in them.'];

    for (const name of BUNDLED) {
        const { version, license, homepage } = JSON.parse(await read(`node_modules/${name}/package.json`));
        parts.push(`${name} ${version}, ${license}, ${homepage}`);

        for (const file of ['NOTICE', 'LICENSE', 'LICENSE.txt']) {
            parts.push(await read(`node_modules/${name}/${file}`).catch(() => ''));
        }
    }

    return `${parts.map((part) => part.replaceAll('\r', '').trim()).filter(Boolean).join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const files = {
    'charts.js': await bundle('charts.js'),
    'charts.css': await bundle('charts.css'),
    'report.js': await bundle('report.js'),
    'report.css': await bundle('report.css'),
    'dashboard.js': await bundle('dashboard/dashboard.js'),
    'dashboard.css': await bundle('dashboard.css'),
    'LICENSES.txt': await licenses(),
};

for (const name of ['charts', 'dashboard']) {
    let page = await read(`${name}.html`);

    for (const kind of ['js', 'css']) {
        const hash = (algorithm, encoding) => createHash(algorithm).update(files[`${name}.${kind}`]).digest(encoding);
        page = page.replaceAll(`{${kind}.integrity}`, `sha384-${hash('sha384', 'base64')}`).replaceAll(`{${kind}.version}`, hash('sha256', 'hex').slice(0, 12));
    }

    files[`${name}.html`] = page;
}

// A report is one file, so the program that writes it puts the script and the style into this template.
files['report.html'] = await read('report.html');
let differing = 0;

for (const [name, text] of Object.entries(files)) {
    if (process.argv.includes('--check')) {
        if (text !== await readFile(`${dist}${name}`, 'utf8').catch(() => '')) {
            differing++;
            console.error(`resources/dist/${name} is not what resources/js builds. Run: make pages`);
        }
    } else {
        await mkdir(dist, { recursive: true });
        await writeFile(`${dist}${name}`, text);
        console.log(`${name}: ${Buffer.byteLength(text)} bytes`);
    }
}

process.exit(differing === 0 ? 0 : 1);
