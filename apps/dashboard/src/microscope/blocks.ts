/** @file A trajectory as blocks of tokens that are drawn together, and the texts of their tokens. Pure functions. */
import type { OpenedTrajectory, TokenPage } from '../data/types.js';

/** Tokens of a turn that are drawn together: few enough for a screen, so that only what is seen is in the page. */
export interface Block {
  readonly turn: number;
  readonly start: number;
  readonly end: number;
  /** it is the first of its turn; how many tokens were read before it */
  readonly read: number | undefined;
  /** how many tokens were sampled in its turn */
  readonly sampled: number;
}

const blockTokens = 128;
/** tokens that are asked for at once */
export const pageTokens = 2048;

export function blocksOf(turns: OpenedTrajectory['turns']): Block[] {
  let before = 0;
  return turns.flatMap(({ index: turn, sampled: { start, end } }) => {
    const read = Math.max(0, start - before);
    before = end;
    const sampled = Math.max(0, end - start);
    return Array.from({ length: Math.max(1, Math.ceil(sampled / blockTokens)) }, (_, at): Block => ({
      turn,
      start: start + at * blockTokens,
      end: Math.min(end, start + (at + 1) * blockTokens),
      read: at === 0 ? read : undefined,
      sampled,
    }));
  });
}

/** The block with a token, or the last one before it. */
export function blockAt(blocks: readonly Block[], token: number): number {
  let [low, high] = [0, blocks.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((blocks[middle]?.start ?? 0) <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** First tokens of the pages that hold a range; each page begins one earlier, where the text before it ends. */
export function pagesOf(start: number, end: number): number[] {
  const first = Math.floor(start / pageTokens);
  const last = Math.floor(Math.max(start, end - 1) / pageTokens);
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * pageTokens);
}

/**
 * The text of a token: its part of the response. A reply begins with text that was given, not sampled.
 *
 * @returns undefined: not recorded
 */
export function textOf(
  { response, sampled }: OpenedTrajectory['turns'][number],
  page: TokenPage,
  token: number,
): string | undefined {
  const endAt = (at: number): number | undefined => page.textEnds?.[at - page.from] ?? undefined;
  const end = endAt(token);
  if (end === undefined) return undefined;
  if (token > sampled.start) return response.slice(endAt(token - 1) ?? end, end);
  const opened = /^<\w+>/.exec(response)?.[0].length ?? 0;
  return response.slice(end > opened ? opened : 0, end);
}

/** Why a value is missing, told apart. */
export function whyAbsent(
  trajectory: Pick<OpenedTrajectory, 'update' | 'row'>,
  mask: number | null | undefined,
): string {
  const { update, row } = trajectory;
  if (mask === 0) return 'not sampled';
  if (update === null)
    return row.split === 'train' ? 'not recorded by this version' : `not trained: ${row.split}`;
  if (update.outcome !== 'trained' && !update.hasTokens)
    return `not trained: ${update.outcome.replaceAll('-', ' ')}`;
  if (!update.hasTokens) return 'not stored: beyond update.tokenRecords';
  if (mask === 1) return 'outside the loss mask';
  return update.outcome === 'trained' ? 'none: the algorithm or engine gives no such value' : 'not trained';
}
