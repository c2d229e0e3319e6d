/** @file Words that repeat earlier ones: every word of a row of `length` words that came before. */
import type { Word } from '@espalier/plugin-kit/reasoning';

/** Words `[from, to)` of a block. */
export interface Repeat {
  readonly from: number;
  readonly to: number;
}

/** Finds the repeats, ascending and apart, and adds the rows of these words to `seen`. */
export function findRepeats(words: readonly Word[], length: number, seen: Set<string>): Repeat[] {
  const isRepeated = new Uint8Array(words.length);
  for (let from = 0; from + length <= words.length; from++) {
    const row = words
      .slice(from, from + length)
      .map(({ text }) => text)
      .join(' ');
    if (seen.has(row)) isRepeated.fill(1, from, from + length);
    seen.add(row);
  }
  const repeats: Repeat[] = [];
  let from = -1;
  for (let index = 0; index <= words.length; index++) {
    if (isRepeated[index] === 1) from = from < 0 ? index : from;
    else if (from >= 0) {
      repeats.push({ from, to: index });
      from = -1;
    }
  }
  return repeats;
}
