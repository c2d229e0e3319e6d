/** @file Counts replies and actions, for the probes that repeat the most frequent one. */
import type { Trajectory } from '@espalier/contracts';
import type { Part } from './kept-parts.js';

/** Texts that are counted at once, and how long they may be; more are not needed to find a frequent one. */
const mostTexts = 2000;
const longestText = 4000;
const kept = 3;

/** Adds the counts of several parts; the most frequent first, equal ones by text. */
export function rank(counts: Iterable<readonly [string, number]>): [string, number][] {
  const sums = new Map<string, number>();
  for (const [text, count] of counts) sums.set(text, (sums.get(text) ?? 0) + count);
  return [...sums].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
}

export function createTally(): {
  count(trajectory: Trajectory): void;
  most(): Pick<Part, 'replies' | 'actions'>;
} {
  const replies = new Map<string, number>();
  const actions = new Map<string, number>();
  const add = (counts: Map<string, number>, text: string): void => {
    if (text.length > longestText || (counts.size >= mostTexts && !counts.has(text))) return;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  };
  return {
    count({ turns }) {
      for (const turn of turns) {
        add(replies, turn.response);
        for (const { text } of turn.actions) add(actions, text);
      }
    },
    most: () => ({ replies: rank(replies).slice(0, kept), actions: rank(actions).slice(0, kept) }),
  };
}
