/** @file The parts of a report as Markdown. Names and texts of models stay text; citations are footnotes. */
import type { BarChart, CurveChart } from './charts/chart.js';
import type { Block, Inline, Sentence, Transcript } from './document.js';
import { escapeMarkdown, fenceCode, quoteCode } from './markdown-text.js';
import type { Source } from './sources.js';

interface Place {
  /** folder of the charts, relative to the file; undefined: they are left out */
  readonly pictures: string | undefined;
  /** where links lead: names of headings as GitHub makes them, by the id of the part */
  readonly anchors: ReadonlyMap<string, string>;
}

/** Writes Markdown, the sources last. @param pictures folder of the charts, relative to the file; undefined: they are left out */
export function renderMarkdown(
  blocks: readonly Block[],
  sources: readonly Source[],
  pictures: string | undefined,
): string {
  const place = { pictures, anchors: findAnchors(blocks) };
  const footnotes = sources.map(writeSource).join('\n');
  return [renderBlocks(blocks, place), ...(footnotes === '' ? [] : ['## Sources', footnotes])].join('\n\n');
}

/** The curves of a report, which are pictures beside Markdown. */
export const curvesOf = (blocks: readonly Block[]): CurveChart[] =>
  blocks.flatMap((block) => {
    if (block.kind === 'charts') return block.charts.filter((chart) => chart.kind === 'curves');
    return block.kind === 'card' || block.kind === 'details' ? curvesOf(block.content) : [];
  });

const renderBlocks = (blocks: readonly Block[], place: Place): string =>
  blocks
    .map((block) => renderBlock(block, place))
    .filter((part) => part !== '')
    .join('\n\n');

function renderBlock(block: Block, place: Place): string {
  const line = (content: Sentence): string => writeSentence(content, place);
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${escapeMarkdown(block.text)}`;
    case 'paragraph':
      return line(block.content);
    case 'list':
      return block.items.map((item) => `- ${line(item)}`).join('\n');
    case 'table':
      return writeTable(block.head.map(escapeMarkdown), block.rows.map((row) => row.map(line))); // prettier-ignore
    case 'charts':
      return block.charts
        .map((chart) => {
          if (chart.kind === 'curves') return writePicture(chart, place);
          // differences and their intervals are in the sentences beside them
          return chart.kind === 'bars' ? writeBars(chart) : '';
        })
        .filter((part) => part !== '')
        .join('\n\n');
    case 'code':
      return fenceCode(block.text);
    case 'card':
      return renderBlocks(block.content, place);
    case 'details':
      return `${line(block.summary)}\n\n${renderBlocks(block.content, place)}`;
    case 'transcript':
      return writeTranscript(block.transcript, place);
    case 'notes':
      return block.markdown;
  }
}

const writeSentence = (content: Sentence, place: Place): string =>
  content
    .map((part) => writeInline(part, place))
    .join('')
    .trim()
    .replace(/^(\d*|#*)([#>+.)-])(?=\s)/, String.raw`$1\$2`);

function writeInline(part: Inline, { anchors }: Pick<Place, 'anchors'>): string {
  if (typeof part === 'string') return escapeMarkdown(part);
  if (part.kind === 'code') return quoteCode(part.text);
  const text = escapeMarkdown(part.text);
  switch (part.kind) {
    case 'strong':
      return `**${text}**`;
    case 'emphasis':
      return `*${text}*`;
    case 'muted':
    case 'badge':
      return text;
    case 'link': {
      const anchor = anchors.get(part.to);
      return anchor === undefined ? text : `[${text}](#${anchor})`;
    }
    case 'cite':
      return `${text}${markOf(part.source)}`;
  }
}

/** Writes a citation in notes; beside a value that is written already it is the footnote alone. */
export const writeCitation = (cite: Inline): string =>
  typeof cite !== 'string' && cite.kind === 'cite' && cite.text === `[${cite.source}]`
    ? markOf(cite.source)
    : writeInline(cite, { anchors: new Map() });

const markOf = (source: number): string => `[^source-${source}]`;

const maxValue = 300;

function writeSource({ number, parts, how }: Source): string {
  const stored = parts.map(({ reference, value, where }) => {
    const text = String(value);
    const shown = text.length > maxValue ? `${text.slice(0, maxValue - 1)}…` : text;
    return `${quoteCode(reference)} is ${escapeMarkdown(shown)} (${escapeMarkdown(where)})`;
  });
  return `${markOf(number)}: ${stored.join('; ')}${how === undefined ? '' : `: ${escapeMarkdown(how)}`}`;
}

const writePicture = ({ id, title, caption }: CurveChart, { pictures }: Place): string =>
  pictures === undefined
    ? ''
    : `![${escapeMarkdown(caption ?? title)}](${encodeURI(`${pictures}/${pictureOf(id)}`)})`;

/** The file of a chart. */
export const pictureOf = (id: string): string => `${id.replaceAll(/[^\w.-]+/g, '-')}.svg`;

const writeBars = ({ title, parts, rows, format }: BarChart): string =>
  writeTable(
    [title, ...parts].map(escapeMarkdown),
    rows.map(({ label, values }) => [label, ...values.map(format)].map(escapeMarkdown)),
  );

function writeTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function writeTranscript({ title, about, turns }: Transcript, place: Place): string {
  return [
    `### ${writeSentence(title, place)}`,
    writeSentence(about, place),
    ...turns.flatMap(({ number, state, response, actions, outcome }) => [
      `Turn ${number}:`,
      fenceCode(state),
      fenceCode(response),
      `${actions.length === 0 ? 'no action' : actions.map(quoteCode).join(' ')} → ${escapeMarkdown(outcome)}`,
    ]),
  ].join('\n\n');
}

/** Headings that the same words made before get a number. */
function findAnchors(blocks: readonly Block[]): Map<string, string> {
  const taken = new Map<string, number>();
  const anchors = new Map<string, string>();
  for (const block of blocks) {
    if (block.kind !== 'heading') continue;
    const words = block.text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = taken.get(words) ?? 0;
    taken.set(words, before + 1);
    anchors.set(block.id, before === 0 ? words : `${words}-${before}`);
  }
  return anchors;
}
