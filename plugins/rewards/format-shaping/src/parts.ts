/**
 * @file What a reply has of the demanded format, part by part. A block that is empty, that holds no letter or digit, or
 * only a placeholder such as `[your answer]`, counts as absent, so that nothing is earned by tags alone or by the demand
 * itself.
 */
import type { Turn } from '@espalier/plugin-kit';

export const partNames = ['present', 'closed', 'order', 'alone', 'action'] as const;
export type PartName = (typeof partNames)[number];
/** Each part in 0..1. */
export type Parts = Readonly<Record<PartName, number>>;

interface Tag {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const controlTokens = /<\|[^<>|]{1,40}\|>/g;

function tagsOf(response: string): Tag[] {
  return Array.from(response.matchAll(/<\/?(?:think|answer)>/g), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));
}

/** Says something: a letter or digit, and more than a bracketed placeholder. */
function isFilled(content: string): boolean {
  const text = content.trim();
  return /[\p{L}\p{N}]/u.test(text) && !/^(?:\[[^\]]*\]|\{[^}]*\}|<[^>]*>)$/.test(text);
}

interface Block {
  /** opened once, with content after it */
  readonly isPresent: boolean;
  /** also closed once, right after its content */
  readonly isClosed: boolean;
}

function readBlock(name: string, tags: readonly Tag[], response: string): Block {
  const openings = tags.filter(({ text }) => text === `<${name}>`);
  const [opening] = openings;
  if (opening === undefined || openings.length > 1) return { isPresent: false, isClosed: false };
  const next = tags[tags.indexOf(opening) + 1];
  const isPresent = isFilled(response.slice(opening.end, next?.start));
  const closings = tags.filter(({ text }) => text === `</${name}>`);
  return { isPresent, isClosed: isPresent && closings.length === 1 && next === closings[0] };
}

/** The blocks that count: where thoughts are required, their tag is given to the model, so the reply has it. */
function demandedBlocks(response: string): readonly string[] {
  return response.includes('<think>') ? ['think', 'answer'] : ['answer'];
}

/** Reads the parts of one turn; takes time linear in the reply. */
export function readParts({ response, actions }: Pick<Turn, 'response' | 'actions'>): Parts {
  const names = demandedBlocks(response);
  const tags = tagsOf(response);
  const blocks = names.map((name) => readBlock(name, tags, response));
  const share = (test: (block: Block) => boolean): number => blocks.filter(test).length / blocks.length;
  const expected = names.map((name) => `<${name}></${name}>`).join('');
  const isWhole = blocks.every(({ isClosed }) => isClosed);
  const isOrdered = isWhole && tags.map(({ text }) => text).join('') === expected;
  const isAction = actions.some(({ valid }) => valid);
  return {
    present: share(({ isPresent }) => isPresent),
    closed: share(({ isClosed }) => isClosed),
    order: isOrdered ? 1 : 0,
    alone: isOrdered && textAround(response, tags) === '' ? 1 : 0,
    action: isAction ? 1 : 0,
  };
}

/** What stands outside the blocks of an ordered reply, control tokens left out. */
function textAround(response: string, tags: readonly Tag[]): string {
  let text = '';
  let from = 0;
  for (const [index, tag] of tags.entries()) {
    if (index % 2 === 0) text += response.slice(from, tag.start);
    from = tag.end;
  }
  return (text + response.slice(from)).replace(controlTokens, '').trim();
}
