/** @file The parts of a report as HTML. */
import { createHash } from 'node:crypto';
import type { Block, Inline, Sentence, Transcript } from '../document.js';
import type { Source } from '../sources.js';
import { drawChart, drawLegend, drawSpark } from './draw-chart.js';
import { escapePlain, escapeText } from './escape.js';

/** Names that can be ids of elements. */
export const idOf = (name: string): string =>
  /^[\w.-]+$/.test(name)
    ? name
    : `${name.replaceAll(/[^\w.-]+/g, '-')}-${createHash('sha256').update(name).digest('hex').slice(0, 6)}`;

/** Writes a citation: it leads to its source, and says what that is. */
export function writeInline(part: Inline): string {
  if (typeof part === 'string') return escapeText(part);
  const { text } = part;
  switch (part.kind) {
    case 'code':
      return `<code>${escapeText(text)}</code>`;
    case 'strong':
      return `<strong>${escapeText(text)}</strong>`;
    case 'emphasis':
      return `<em>${escapeText(text)}</em>`;
    case 'muted':
      return `<span class="muted">${escapeText(text)}</span>`;
    case 'badge':
      return `<span class="badge ${part.tone}">${escapeText(text)}</span>`;
    case 'link':
      return `<a href="#${escapePlain(idOf(part.to))}">${escapeText(text)}</a>`;
    case 'cite':
      return `<a class="cite" href="#source-${part.source}">${escapeText(text)}</a>`;
  }
}

const sentence = (content: Sentence): string => content.map(writeInline).join('');

/** Writes a part of a report. */
export function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level} id="${escapePlain(idOf(block.id))}">${escapeText(block.text)}</h${block.level}>`;
    case 'paragraph':
      return `<p${block.muted === true ? ' class="note"' : ''}>${sentence(block.content)}</p>`;
    case 'list':
      return `<ul>${block.items.map((item) => `<li>${sentence(item)}</li>`).join('')}</ul>`;
    case 'table':
      return renderTable(block);
    case 'charts':
      return renderCharts(block);
    case 'code':
      return `<pre class="code" tabindex="0">${escapeText(block.text)}</pre>`;
    case 'card':
      return `<section class="card ${block.tone}" id="${escapePlain(idOf(block.id))}"><div>${block.content.map(renderBlock).join('')}</div>${block.spark === undefined ? '' : drawSpark(block.spark)}</section>`;
    case 'details':
      return `<details${block.id === undefined ? '' : ` id="${escapePlain(idOf(block.id))}"`}><summary>${sentence(block.summary)}</summary>${block.content.map(renderBlock).join('')}</details>`;
    case 'transcript':
      return renderTranscript(block.transcript);
    case 'notes':
      return `<div class="notes">${block.html}</div>`;
  }
}

function renderTable({ head, rows, numeric = [], id }: Extract<Block, { kind: 'table' }>): string {
  const kind = (index: number): string => (numeric.includes(index) ? ' class="number"' : '');
  const heads = head
    .map((words, index) => `<th scope="col"${kind(index)}>${escapeText(words)}</th>`)
    .join('');
  const body = rows
    .map(
      (cells) =>
        `<tr>${cells.map((cell, index) => `<td${kind(index)}>${sentence(cell)}</td>`).join('')}</tr>`,
    )
    .join('');
  const name = id === undefined ? '' : ` id="${escapePlain(idOf(id))}"`;
  return `<div class="scroll" tabindex="0"><table${name}><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}

function renderCharts({ charts }: Extract<Block, { kind: 'charts' }>): string {
  const labels = charts.flatMap((chart) =>
    chart.kind === 'curves' ? [chart.curves.map(({ label }) => label)] : [],
  );
  const legend = drawLegend(labels[0] ?? []);
  const wide = charts.length === 1 ? ' one' : '';
  const figures = charts.map(
    (chart) =>
      `<figure id="${escapePlain(idOf(chart.id))}"><figcaption>${escapeText(chart.title)}</figcaption>${drawChart(chart)}</figure>`,
  );
  return `${legend}<div class="charts${wide}">${figures.join('')}</div>`;
}

const picture = /^[A-Za-z0-9+/=]+$/;

function renderTranscript({ id, title, about, turns }: Transcript): string {
  const body = turns.map((turn) => {
    const image =
      turn.picture !== undefined && picture.test(turn.picture)
        ? `<img alt="state before the actions of turn ${turn.number}" src="data:image/png;base64,${turn.picture}">`
        : '';
    const actions =
      turn.actions.length === 0
        ? '<span class="muted">no action</span>'
        : turn.actions.map((action) => `<code>${escapeText(action)}</code>`).join(' ');
    return `<li id="${escapePlain(idOf(turn.id))}"><h3>Turn ${turn.number}</h3><div class="turn"><div class="state">${image}<pre tabindex="0">${escapeText(turn.state)}</pre></div><div class="reply"><pre tabindex="0">${escapeText(turn.response)}</pre><p>${actions} <span class="muted">→ ${escapeText(turn.outcome)}</span></p></div></div></li>`;
  });
  return `<details class="transcript" id="${escapePlain(idOf(id))}"><summary>${sentence(title)}</summary><p class="note">${sentence(about)}</p><ol>${body.join('')}</ol></details>`;
}

/** The list of sources: what every citation rests on, as it was stored. */
export function renderSources(sources: readonly Source[]): string {
  const rows = sources.map(({ number, parts, how, place }) => {
    const names = parts.map(({ reference }) => `<code>${escapeText(reference)}</code>`).join('<br>');
    const values = parts.map(({ value }) => escapeText(shorten(String(value)))).join('<br>');
    const wheres = [...new Set(parts.map(({ where }) => where))].map(escapeText).join('<br>');
    const shown = place === undefined ? '' : ` <a href="#${escapePlain(idOf(place))}">shown</a>`;
    const words = how === undefined ? '' : `<p>${escapeText(how)}</p>`;
    return `<tr id="source-${number}"><td class="number">${number}</td><td>${names}${words}</td><td>${values}</td><td>${wheres}${shown}</td></tr>`;
  });
  return `<div class="scroll" tabindex="0"><table class="sources"><thead><tr><th scope="col" class="number">no.</th><th scope="col">source</th><th scope="col">stored value</th><th scope="col">where</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`;
}

const shorten = (text: string): string => (text.length > 300 ? `${text.slice(0, 299)}…` : text);
