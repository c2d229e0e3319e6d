/** @file Whether the agent told what it had to, read in the whole of each message, and whether it only told everything. */

/** What was told so far, as plain JSON. */
export interface Told {
  /** numbers of the outputs that were told */
  readonly outputs: readonly number[];
  /** different words and figures so far, at most one more than may be */
  readonly words: readonly string[];
}

/** Who says more different words than this lists what there is, instead of answering; the longest reference needs 7. */
export const maxWords = 400;

/** Reads a message, whole. */
export function hear(told: Told, message: string, outputs: readonly string[]): Told {
  const text = plain(message);
  const words = new Set(told.words);
  for (const [word] of text.matchAll(/\d+(?:\.\d+)?|\p{L}+/gu)) {
    if (words.size > maxWords) break;
    // a figure counts by its value, as it is compared below
    words.add(/^\d/.test(word) ? String(Number(word)) : word.slice(0, 40));
  }
  const heard = outputs.flatMap((output, number) => (isTold(plain(output), text) ? [number] : []));
  return {
    outputs: [...new Set([...told.outputs, ...heard])].sort((one, other) => one - other),
    words: [...words],
  };
}

/** Whether all outputs were told, and not by telling everything. */
export function hasTold({ outputs, words }: Told, wanted: readonly string[]): boolean {
  return wanted.length === 0 || (outputs.length === wanted.length && words.length <= maxWords);
}

/** Lower case, without the commas of large numbers, as tau-bench compares. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(',', '');
}

/** A number by its value (`481.50` is 481.5, and `100` is not 10), a text where a word begins. */
function isTold(output: string, text: string): boolean {
  if (/^\d+(?:\.\d+)?$/.test(output)) {
    for (const [figure] of text.matchAll(/\d+(?:\.\d+)?/g))
      if (Number(figure) === Number(output)) return true;
    return false;
  }
  for (let at = text.indexOf(output); at >= 0; at = text.indexOf(output, at + 1))
    if (!/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))) return true;
  return false;
}
