/**
 * @file What a reply has of the demanded format, part by part. A block that is empty, that holds no letter or digit, or
 * only a placeholder such as `[your answer]`, counts as absent, so that nothing is earned by tags alone or by the demand
 * itself. Where the prompt demands parts of the think block, each of them is a block, too.
 */
import type { Turn } from '@espalier/plugin-kit';
import { saysSomething, type ThinkPart } from '@espalier/plugin-kit/reasoning';

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
const blockTags = /<\/?(?:think|answer)>/g;
const allTags = /<\/?(?:think|answer|observation|reasoning|prediction)>/g;

function tagsOf(response: string, pattern: RegExp): Tag[] {
  return Array.from(response.matchAll(pattern), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));
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
  const isPresent = saysSomething(response.slice(opening.end, next?.start));
  const closings = tags.filter(({ text }) => text === `</${name}>`);
  return { isPresent, isClosed: isPresent && closings.length === 1 && next === closings[0] };
}

/** The think block as far as its parts are there: opened and closed once, around parts that say something. */
function readContainer(parts: readonly Block[], tags: readonly Tag[]): Block {
  const places = (text: string): number[] => tags.flatMap((tag, index) => (tag.text === text ? [index] : []));
  const [openings, closings] = [places('<think>'), places('</think>')];
  const isPresent = openings.length === 1 && parts.some((part) => part.isPresent);
  const isClosed = isPresent && closings.length === 1 && (closings[0] ?? 0) > (openings[0] ?? 0);
  return { isPresent, isClosed };
}

/** Reads the parts of one turn; takes time linear in the reply. */
export function readParts(
  { response, actions }: Pick<Turn, 'response' | 'actions'>,
  thinkParts: readonly ThinkPart[] = [],
): Parts {
  const hasParts = thinkParts.length > 0;
  const tags = tagsOf(response, hasParts ? allTags : blockTags);
  // where thoughts are required, their tag is given to the model, so the reply has it
  const isThought = hasParts || response.includes('<think>');
  const leaves = hasParts ? [...thinkParts, 'answer'] : isThought ? ['think', 'answer'] : ['answer'];
  const read = leaves.map((name) => readBlock(name, tags, response));
  const blocks = hasParts ? [readContainer(read.slice(0, -1), tags), ...read] : read;
  const share = (test: (block: Block) => boolean): number => blocks.filter(test).length / blocks.length;
  const inner = thinkParts.map((name) => `<${name}></${name}>`).join('');
  const expected = `${isThought ? `<think>${inner}</think>` : ''}<answer></answer>`;
  const isWhole = blocks.every(({ isClosed }) => isClosed);
  const isOrdered = isWhole && tags.map(({ text }) => text).join('') === expected;
  const isAction = actions.some(({ valid }) => valid);
  return {
    present: share(({ isPresent }) => isPresent),
    closed: share(({ isClosed }) => isClosed),
    order: isOrdered ? 1 : 0,
    alone: isOrdered && textAround(response, tags, leaves) === '' ? 1 : 0,
    action: isAction ? 1 : 0,
  };
}

/** What stands outside the blocks of an ordered reply, control tokens left out. */
function textAround(response: string, tags: readonly Tag[], leaves: readonly string[]): string {
  const closings = new Set(leaves.map((name) => `</${name}>`));
  let text = '';
  let from = 0;
  for (const tag of tags) {
    if (!closings.has(tag.text)) text += response.slice(from, tag.start);
    from = tag.end;
  }
  return (text + response.slice(from)).replace(controlTokens, '').trim();
}
