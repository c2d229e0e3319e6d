/** Splits a text into lower-case words, and every other mark on its own; spaces separate. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+|[^\s\p{L}\p{M}\p{N}]/gu) ?? [];
}

/** Counts the n-grams of a text. */
export function countNgrams(words: readonly string[], n: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let start = 0; start + n <= words.length; start += 1) {
    // words hold no spaces, so the key is unique
    const key = words.slice(start, start + n).join(' ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
