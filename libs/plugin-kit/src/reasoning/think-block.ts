/**
 * @file The think block of a reply: its text, its parts, and which tokens a piece of it is. Everything is in characters of
 * the turn's `response`, so that evidence names the very tokens that were sampled.
 */
import type { Turn } from '@espalier/contracts';
import { type ThinkPart, thinkParts } from '@espalier/contracts/prompt-format';
import type { UnscoredTrajectory } from '../define-reward.js';

/** A piece of a reply, `[start, end)` in characters of its response. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

export { type ThinkPart, thinkParts };

export interface ThinkBlock extends TextRange {
  readonly turn: number;
  readonly text: string;
  /** the block was closed by `</think>` */
  readonly isClosed: boolean;
  /** parts that are there, tags left out; the first of each name */
  readonly parts: Readonly<Partial<Record<ThinkPart, TextRange>>>;
}

/** Reads the think block of a turn; undefined: the reply has none. Takes time linear in the reply. */
export function readThinkBlock({
  index,
  response,
}: Pick<Turn, 'index' | 'response'>): ThinkBlock | undefined {
  const opening = response.indexOf('<think>');
  if (opening < 0) return undefined;
  const start = opening + '<think>'.length;
  const closing = response.indexOf('</think>', start);
  const answer = response.indexOf('<answer>', start);
  const end = closing >= 0 ? closing : answer >= 0 ? answer : response.length;
  const text = response.slice(start, end);
  return { turn: index, start, end, text, isClosed: closing >= 0, parts: readParts(text, start) };
}

function readParts(text: string, offset: number): ThinkBlock['parts'] {
  const parts: Partial<Record<ThinkPart, TextRange>> = {};
  for (const name of thinkParts) {
    const opening = text.indexOf(`<${name}>`);
    if (opening < 0) continue;
    const start = opening + name.length + 2;
    const next = text.slice(start).search(/<\/?(?:observation|reasoning|prediction)>/);
    parts[name] = { start: offset + start, end: offset + (next < 0 ? text.length : start + next) };
  }
  return parts;
}

/** The think block of each turn; undefined for turns without one. */
export function readThinkBlocks({ turns }: Pick<UnscoredTrajectory, 'turns'>): (ThinkBlock | undefined)[] {
  return turns.map(readThinkBlock);
}

/** Whether a text says something: it has a letter or digit, and is more than a bracketed placeholder. */
export function saysSomething(text: string): boolean {
  const trimmed = text.trim();
  return /[\p{L}\p{N}]/u.test(trimmed) && !/^(?:\[[^\]]*\]|\{[^}]*\}|<[^>]*>)$/.test(trimmed);
}

/**
 * Finds the sampled tokens of a piece of a turn's response: those with a character in it.
 *
 * @returns `[start, end)` of the trajectory's tokens; undefined: the piece was given to the model, not sampled
 */
export function tokensOf(
  { turns, textEnds }: Pick<UnscoredTrajectory, 'turns' | 'textEnds'>,
  turn: number,
  { start, end }: TextRange,
): TextRange | undefined {
  const { sampled } = turns[turn] ?? { sampled: { start: 0, end: 0 } };
  let first = -1;
  let after = -1;
  let from = 0;
  for (let t = sampled.start; t < sampled.end; t++) {
    const to = textEnds[t] ?? 0;
    const isInside = from < end && (to > start || (to === from && from >= start));
    if (isInside) {
      if (first < 0) first = t;
      after = t + 1;
    }
    from = to;
  }
  return first < 0 ? undefined : { start: first, end: after };
}
