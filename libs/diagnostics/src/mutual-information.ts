/**
 * @file RAGEN-2's proxy for the mutual information of prompt and reasoning: each reasoning is scored under its own prompt and
 * under those of the others. Where it is as likely under any of them, replies have become a template.
 *
 * @see RAGEN-2 (2604.06268), mutual information by cross-scoring
 */

/** A reasoning under every prompt. */
export interface CrossScores {
  /** log-probability of the reasoning under each prompt, in nats; all rows have the same length */
  readonly scores: readonly (readonly number[])[]; // [N, N]
  /** equal for equal prompts */
  readonly prompts: readonly unknown[]; // [N]
}

export interface InformationEstimate {
  /** mean log-probability under the own prompt: minus the conditional entropy H(Z|X), nats */
  readonly matched: number;
  /** mean log-probability under the mixture of all prompts: minus the entropy H(Z), nats */
  readonly marginal: number;
  /** matched − marginal, an estimate of I(X;Z) of at most log N nats */
  readonly information: number;
  /** mean of (matched − marginal) / (standard deviation of marginal + 0.001) */
  readonly zScore: number;
}

/** Keeps the z-score finite where all marginals are the same. */
const smallestDeviation = 1e-3;

/**
 * Estimates the mutual information of N reasonings and their prompts: Î = mean of log p(zᵢ|xᵢ) − log (1/N) Σⱼ p(zᵢ|xⱼ).
 *
 * @returns NaN for no reasoning; the deviation is that of a sample (N − 1), 0 for one
 */
export function estimateInformation({ scores }: Pick<CrossScores, 'scores'>): InformationEstimate {
  const matched = scores.map((row, index) => row[index] ?? Number.NaN);
  const marginals = scores.map((row) => logMeanExp(row));
  const deviation = sampleDeviation(marginals) + smallestDeviation;
  const gaps = matched.map((own, index) => own - (marginals[index] as number));
  return {
    matched: mean(matched),
    marginal: mean(marginals),
    information: mean(gaps),
    zScore: mean(gaps.map((gap) => gap / deviation)),
  };
}

/**
 * Estimates how often the own prompt is among the k under which a reasoning is most likely. Equal prompts count as the own one;
 * of prompts that score the same, each order is as likely, so a template is found by chance only.
 *
 * @returns 0 to 1; NaN for no reasoning
 */
export function estimateRetrieval({ scores, prompts }: CrossScores, k: number): number {
  return mean(
    scores.map((row, index) => {
      const isOwn = prompts.map((prompt) => prompt === prompts[index]);
      const best = Math.max(...row.filter((_, column) => isOwn[column]));
      const better = row.filter((score) => score > best).length;
      const tied = row.filter((score, column) => score === best && !isOwn[column]).length;
      const own = row.filter((score, column) => score === best && isOwn[column]).length;
      return hitChance(own, tied, k - better);
    }),
  );
}

/** What {@link estimateRetrieval} gives for scores that say nothing. */
export const estimateChanceRetrieval = ({ prompts }: Pick<CrossScores, 'prompts'>, k: number): number =>
  mean(
    prompts.map((prompt) => {
      const own = prompts.filter((other) => other === prompt).length;
      return hitChance(own, prompts.length - own, k);
    }),
  );

/** Probability that at least one of `own` is among the first `places` of `own + others` in random order. */
function hitChance(own: number, others: number, places: number): number {
  if (places <= 0) return 0;
  if (places > others) return 1;
  let miss = 1;
  for (let place = 0; place < places; place += 1) miss *= (others - place) / (own + others - place);
  return 1 - miss;
}

/** log of the mean of exponentials, without overflow. */
function logMeanExp(values: readonly number[]): number {
  const largest = Math.max(...values);
  if (!Number.isFinite(largest)) return largest;
  return largest + Math.log(mean(values.map((value) => Math.exp(value - largest))));
}

function sampleDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const center = mean(values);
  const squares = values.map((value) => (value - center) ** 2);
  return Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / (values.length - 1));
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
