/**
 * @file Words that repeat earlier ones: those of a row of `length` words that came before, where such rows are most of a
 * sentence or twice as long. A sentence that only begins or ends as another does says something else.
 */
import type { Word } from '@espalier/plugin-kit/reasoning';

/** Words `[from, to)` of a block. */
export interface Repeat {
  readonly from: number;
  readonly to: number;
}

/** The share of a sentence that has to be repeated. */
const mostOf = 0.75;

/** Finds the repeats of a text, ascending and apart, and adds its rows of `length` words to `seen`. */
export function findRepeats(
  text: string,
  words: readonly Word[],
  length: number,
  seen: Set<string>,
): Repeat[] {
  const isRow = new Uint8Array(words.length);
  for (let from = 0; from + length <= words.length; from++) {
    const row = words
      .slice(from, from + length)
      .map((word) => word.text)
      .join(' ');
    if (seen.has(row)) isRow.fill(1, from, from + length);
    seen.add(row);
  }
  const isRepeated = new Uint8Array(words.length);
  for (const { from, to } of runsOf(isRow)) if (to - from >= 2 * length) isRepeated.fill(1, from, to);
  for (const { from, to } of sentencesOf(text, words)) {
    const rows = isRow.subarray(from, to);
    const count = rows.reduce((sum, one) => sum + one, 0);
    if (count > mostOf * rows.length) isRepeated.set(rows, from);
  }
  return runsOf(isRepeated);
}

/** Words up to a full stop, another sign that ends a sentence, or a line break; a point within a number ends none. */
function sentencesOf(text: string, words: readonly Word[]): Repeat[] {
  const sentences: Repeat[] = [];
  let from = 0;
  for (let to = 1; to <= words.length; to++) {
    const between = text.slice(words[to - 1]!.end, words[to]?.start);
    if (to < words.length && !/[!?;。！？\n]|\.[^\d]/.test(between)) continue;
    sentences.push({ from, to });
    from = to;
  }
  return sentences;
}

/** Where marks stand in a row. */
function runsOf(marks: Uint8Array): Repeat[] {
  const runs: Repeat[] = [];
  let from = -1;
  for (let index = 0; index <= marks.length; index++) {
    if (marks[index] === 1) from = from < 0 ? index : from;
    else if (from >= 0) {
      runs.push({ from, to: index });
      from = -1;
    }
  }
  return runs;
}
