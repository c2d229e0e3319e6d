/** @file The parts of a report as Markdown. */
import type { Block, Inline, Sentence } from './document.js';

/**
 * Writes Markdown; cells must not hold line breaks.
 *
 * @param pictures folder of the charts, relative to the file; undefined: they are left out
 */
export function renderMarkdown(blocks: readonly Block[], pictures: string | undefined): string {
  return blocks
    .map((block) => renderBlock(block, pictures))
    .filter((part) => part !== '')
    .join('\n\n');
}

function renderBlock(block: Block, pictures: string | undefined): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${block.text}`;
    case 'paragraph':
      return sentence(block.content);
    case 'list':
      return block.items.map((item) => `- ${sentence(item)}`).join('\n');
    case 'table':
      return table(block.head, block.rows);
    case 'charts':
      return pictures === undefined
        ? ''
        : block.charts
            .flatMap((chart) =>
              chart.kind === 'curves'
                ? [`![${chart.caption ?? chart.title}](${pictures}/${chart.id}.svg)`]
                : [],
            )
            .join('\n\n');
    case 'code':
      return `\`\`\`\n${block.text}\n\`\`\``;
    case 'card':
      return renderMarkdown(block.content, pictures);
    case 'details':
      return `${sentence(block.summary)}\n\n${renderMarkdown(block.content, pictures)}`;
    case 'transcript':
      return sentence(block.transcript.title);
    case 'html':
      return ''; // notes are of the HTML alone
  }
}

const sentence = (content: Sentence): string => content.map(inline).join('');

function inline(part: Inline): string {
  if (typeof part === 'string') return part;
  const { text } = part;
  switch (part.kind) {
    case 'code':
      return `\`${text}\``;
    case 'strong':
      return `**${text}**`;
    case 'emphasis':
      return `*${text}*`;
    case 'muted':
    case 'badge':
      return text;
    case 'link':
      return `[${text}](#${part.to})`;
    case 'cite':
      return `${text}[^${part.source}]`;
  }
}

function table(head: readonly string[], rows: readonly (readonly Sentence[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map((row) => line(row.map(sentence)))].join('\n');
}
