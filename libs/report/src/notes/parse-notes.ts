/** @file Markdown of a person with citations `[[run:metric@step]]`. HTML in it stays text, and nothing is loaded from elsewhere. */
import { toVisible } from '@espalier/contracts/visible-text';
import MarkdownIt, { type StateInline, type Token } from 'markdown-it';

/** A citation, and where it stands. */
export interface Citation {
  /** what is between the brackets */
  readonly reference: string;
  /** text of the paragraph before it */
  readonly before: string;
  /** from 1 */
  readonly line: number;
}

export interface ParsedNotes {
  readonly citations: readonly Citation[];
  /** Writes HTML. @param write gives the HTML of each citation, in their order */
  render(write: (index: number) => string): string;
  /** Gives the Markdown as it was written. @param write gives the Markdown of each citation, in their order */
  insert(write: (index: number) => string): string;
}

const pattern = /\[\[([^\n[\]]{1,500})\]\]/y;
const every = /\[\[[^\n[\]]{1,500}\]\]/g;
const type = 'citation';

/** Reads notes; every citation is listed, those in code are none. */
export function parseNotes(text: string): ParsedNotes {
  const markdown = toVisible(text.replaceAll(/\r\n?/g, '\n').replace(/^\ufeff/, ''));
  const parser = createParser();
  const lines = markdown.split('\n');
  const tokens = parser.parse(markdown, {});
  const citations: Citation[] = [];
  for (const token of tokens) {
    const [first = 0] = token.map ?? [];
    let line = first;
    for (const child of token.children ?? []) {
      if (child.type !== type) continue;
      const written = `[[${child.content}]]`;
      const found = lines.findIndex((text, index) => index >= line && text.includes(written));
      line = found < 0 ? line : found;
      const { before } = child.meta as { before: string };
      child.meta = citations.length;
      citations.push({ reference: child.content.trim(), before, line: line + 1 });
    }
  }
  return {
    citations,
    render(write) {
      parser.renderer.rules[type] = (all, index) => write(all[index]?.meta as number);
      return parser.renderer.render(tokens, parser.options, {});
    },
    insert: (write) => insertInto(markdown, write),
  };
}

function createParser(): MarkdownIt {
  const parser = new MarkdownIt('default', { html: false, linkify: false, typographer: false });
  // pictures would have to be loaded; as links they are one click away
  parser.disable('image');
  parser.inline.ruler.before('link', type, readCitation);
  return parser;
}

/** Brackets in code are no citations: all are numbered, and the parser says which ones it took for some. */
function insertInto(markdown: string, write: (index: number) => string): string {
  let count = 0;
  const numbered = markdown.replaceAll(every, () => `[[${count++}]]`);
  const taken = createParser()
    .parse(numbered, {})
    .flatMap(({ children }) => children ?? [])
    .filter((token) => token.type === type)
    .map(({ content }) => Number(content));
  const written = new Map(taken.map((number, index) => [number, write(index)]));
  let next = 0;
  return markdown.replaceAll(every, (text) => written.get(next++) ?? text).trim();
}

function readCitation(state: StateInline, silent: boolean): boolean {
  pattern.lastIndex = state.pos;
  const found = pattern.exec(state.src);
  if (found === null) return false;
  if (!silent) {
    const before = `${state.tokens.map(textOf).join('')}${state.pending}`;
    const token = state.push(type, '', 0);
    token.content = found[1] ?? '';
    token.meta = { before };
  }
  state.pos += found[0].length;
  return true;
}

const textOf = ({ type: kind, content }: Token): string =>
  kind === type ? '\u0000' : kind === 'softbreak' || kind === 'hardbreak' ? ' ' : content;
