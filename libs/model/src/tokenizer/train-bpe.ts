/**
 * @file Learns the merges of a byte-level BPE. Counts are over distinct pieces, so a small corpus takes
 * milliseconds; there is no priority queue, and none is needed for a few hundred merges.
 * Source: Sennrich et al. 2016, arXiv:1508.07909, algorithm 1.
 */
import { encodeBytes } from './byte-alphabet.js';

/** A distinct piece of the corpus with how often it occurs. */
interface Word {
  symbols: string[];
  readonly count: number;
}

/**
 * Learns merges from counted pieces; a merge never crosses a piece.
 *
 * @returns at most `mergeCount` pairs in order of application; fewer when every piece is one symbol
 */
export function trainBpe(pieces: ReadonlyMap<string, number>, mergeCount: number): [string, string][] {
  const words: Word[] = [...pieces].map(([text, count]) => ({ symbols: encodeBytes(text), count }));
  const merges: [string, string][] = [];
  while (merges.length < mergeCount) {
    const pair = mostFrequentPair(words);
    if (!pair) break;
    merges.push(pair);
    for (const word of words) if (word.symbols.length > 1) word.symbols = mergePair(word.symbols, pair);
  }
  return merges;
}

/** Ties go to the pair that is smaller as text, so that the result does not depend on the corpus' order. */
function mostFrequentPair(words: readonly Word[]): [string, string] | undefined {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let i = 0; i + 1 < symbols.length; i++) {
      const key = `${symbols[i]} ${symbols[i + 1]}`;
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  }
  let best: string | undefined;
  let bestCount = 0;
  for (const [key, count] of counts) {
    if (count > bestCount || (count === bestCount && best !== undefined && key < best)) {
      best = key;
      bestCount = count;
    }
  }
  return best?.split(' ') as [string, string] | undefined;
}

function mergePair(symbols: readonly string[], [left, right]: readonly [string, string]): string[] {
  const merged: string[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      merged.push(left + right);
      i++;
    } else merged.push(symbols[i]!);
  }
  return merged;
}
