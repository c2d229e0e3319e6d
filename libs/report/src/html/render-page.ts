/** @file The file of a report: one page that loads nothing and sends nothing. */
import { createHash } from 'node:crypto';
import type { Block } from '../document.js';
import { hashText } from '../fingerprint.js';
import type { ReportManifest } from '../manifest.js';
import type { Source } from '../sources.js';
import { embedJson, escapePlain, escapeText } from './escape.js';
import { pageScript } from './page-script.js';
import { pageStyle } from './page-style.js';
import { idOf, renderBlock, renderSources } from './render-blocks.js';

const allow = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing is loaded or sent; the one script and the one style are named by their hashes. */
const policy = [
  "default-src 'none'",
  `style-src ${allow(pageStyle)}`,
  `script-src ${allow(pageScript)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export interface Page {
  readonly title: string;
  /** when and with what it was made */
  readonly about: string;
  readonly blocks: readonly Block[];
  readonly sources: readonly Source[];
  readonly manifest: Omit<ReportManifest, 'document'>;
}

/** Writes the page; its manifest has the hash of all the rest. */
export function renderPage({ title, about, blocks, sources, manifest }: Page): string {
  const parts = blocks.flatMap((block) => (block.kind === 'heading' && block.level === 2 ? [block] : []));
  const html = [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapePlain(title)}</title>`,
    `<style>${pageStyle}</style>`,
    '</head>',
    '<body>',
    '<div class="page">',
    '<nav aria-label="Parts of the report">',
    ...parts.map(({ id, text }) => `<a href="#${escapePlain(idOf(id))}">${escapeText(text)}</a>`),
    ...(sources.length === 0 ? [] : ['<a href="#sources">Sources</a>']),
    '<button id="theme" type="button" hidden>Light or dark</button>',
    '</nav>',
    '<main>',
    `<h1>${escapeText(title)}</h1>`,
    `<p class="meta">${escapeText(about)}</p>`,
    ...blocks.map(renderBlock),
    ...(sources.length === 0 ? [] : describeSources(sources)),
    '</main>',
    '</div>',
    '<div id="tip" role="status" hidden></div>',
    `<script type="application/json" id="espalier-report">${embedJson({ ...manifest, document: '' })}</script>`,
    `<script>${pageScript}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
  return html.replace('"document":""', `"document":"${hashText(html)}"`);
}

const describeSources = (sources: readonly Source[]): string[] => [
  '<h2 id="sources">Sources</h2>',
  `<p class="note">Every number above that is underlined with dots leads here. To cite one in notes: <code>[[source]]</code>. To check this file against its runs: <code>espalier report --check FILE</code>.</p>`,
  renderSources(sources),
];
