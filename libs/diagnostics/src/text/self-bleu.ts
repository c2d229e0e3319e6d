import { countNgrams } from './words.js';

const orders = [1, 2, 3] as const;

/**
 * Estimates BLEU of a text against others: the geometric mean of clipped n-gram precisions, n = 1 to 3, times the
 * brevity penalty. A precision of zero for n > 1 is smoothed by adding one to its count and its total, so that one
 * missing trigram of a short text is not the end of it; texts shorter than n have fewer orders.
 *
 * @returns 0 to 1; NaN for an empty text or without others
 * @see Papineni et al. 2002, equations 1 to 3; smoothing: Lin and Och 2004, "ORANGE", section 4.1
 */
export function estimateBleu(text: readonly string[], others: readonly (readonly string[])[]): number {
  if (text.length === 0 || others.length === 0) return Number.NaN;
  const used = orders.filter((n) => n <= text.length);
  const logs = used.map((n) => Math.log(estimatePrecision(text, others, n)));
  const mean = logs.reduce((sum, value) => sum + value, 0) / used.length;
  return brevityPenalty(text.length, others) * Math.exp(mean);
}

function estimatePrecision(
  text: readonly string[],
  others: readonly (readonly string[])[],
  n: number,
): number {
  const references = others.map((other) => countNgrams(other, n));
  let matched = 0;
  for (const [gram, count] of countNgrams(text, n)) {
    const most = references.reduce((max, reference) => Math.max(max, reference.get(gram) ?? 0), 0);
    matched += Math.min(count, most);
  }
  const total = text.length - n + 1;
  return matched === 0 && n > 1 ? 1 / (total + 1) : matched / total;
}

/** The reference closest in length counts; of two equally close ones the shorter. */
function brevityPenalty(length: number, others: readonly (readonly string[])[]): number {
  const lengths = others.map((other) => other.length);
  const closest = lengths.reduce((best, own) => {
    const gap = Math.abs(own - length) - Math.abs(best - length);
    return gap < 0 || (gap === 0 && own < best) ? own : best;
  });
  return length >= closest ? 1 : Math.exp(1 - closest / length);
}

/**
 * Estimates Self-BLEU: the mean over texts of the BLEU of each against all others. Texts without words do not count.
 *
 * @returns 0 to 1, 1 when all say the same; NaN for fewer than two texts with words
 * @see Zhu et al. 2018, "Texygen: A Benchmarking Platform for Text Generation Models", section 3.2
 */
export function estimateSelfBleu(texts: readonly (readonly string[])[]): number {
  const spoken = texts.filter((words) => words.length > 0);
  if (spoken.length < 2) return Number.NaN;
  const scores = spoken.map((words, index) => estimateBleu(words, spoken.toSpliced(index, 1)));
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}
