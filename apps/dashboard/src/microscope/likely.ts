/** @file What checkpoints think of a sentence: which tokens it has, and from when on it was likely. Pure functions. */

/** Tokens from the first to before the last. */
export interface TokenRange {
  readonly start: number;
  readonly end: number;
}

/** A longer one is cut: text without an end is no sentence. */
const mostTokens = 200;

/** The sentence that a token is in, within its turn. @param textOf undefined: not known, which ends it, too */
export function sentenceAround(
  token: number,
  { start: first, end: last }: TokenRange,
  textOf: (token: number) => string | undefined,
): TokenRange {
  const isEnd = (at: number): boolean => {
    const text = textOf(at);
    return text === undefined || text.includes('\n') || /[.!?]$/.test(text.trimEnd());
  };
  let start = token;
  while (start > first && token - start < mostTokens && !isEnd(start - 1)) start--;
  let end = token + 1;
  while (end < last && end - token < mostTokens && !isEnd(end - 1)) end++;
  return { start, end };
}

/** Mean log-probability of the tokens that have one; undefined: none has. */
export function meanOver(
  logprobs: (token: number) => number | null | undefined,
  { start, end }: TokenRange,
): number | undefined {
  let [sum, count] = [0, 0];
  for (let token = start; token < end; token++) {
    const value = logprobs(token);
    if (value === null || value === undefined) continue;
    sum += value;
    count += 1;
  }
  return count === 0 ? undefined : sum / count;
}

/** A token is likely from one half on; of several, their geometric mean. */
const likely = Math.log(0.5);

/** The first of some checkpoints, oldest first, from which on a text is likely under all of them; undefined: under the last it is not. */
export function likelyFrom(
  checkpoints: readonly { readonly step: number; readonly mean: number | undefined }[],
): number | undefined {
  const known = checkpoints.filter(({ mean }) => mean !== undefined);
  const lastUnlikely = known.findLastIndex(({ mean }) => (mean ?? 0) < likely);
  return known[lastUnlikely + 1]?.step;
}

/** The mean over tokens whose means by bucket are known; undefined: no bucket has one. */
export function meanOfBuckets(
  means: readonly (number | null)[],
  counts: readonly (number | null)[],
): number | undefined {
  let [sum, count] = [0, 0];
  for (const [at, mean] of means.entries()) {
    if (mean === null) continue;
    sum += mean * (counts[at] ?? 0);
    count += counts[at] ?? 0;
  }
  return count === 0 ? undefined : sum / count;
}
