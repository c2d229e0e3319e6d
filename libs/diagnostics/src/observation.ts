/**
 * @file What the monitor looks at, and what it remembers of it: one number per input and check. An input that a run does
 * not have (no update, no reasoning) is absent, and rules about it say nothing.
 */

/** The inputs, each with what it is. */
export const healthInputs = {
  success: 'share of training trajectories with success',
  rewardDeviation: 'mean standard deviation of the totals within groups',
  entropy: 'mean entropy of the sampling distributions, in nats',
  gradientNorm: 'norm of the policy gradient before clipping',
  reasoningLength: 'tokens of reasoning per turn',
  replyLength: 'tokens of the reply per turn',
  validFormat: 'share of turns whose reply has the required format',
  distinct: 'distinct-2 of what is said to different prompts',
  difference: '1 − Self-BLEU of what is said to different prompts',
  updateDrift: 'KL divergence from the policy that sampled to the updated one, in nats',
  information:
    'mutual information of reasoning and prompt, estimated by cross-scoring, in nats per reasoning',
  probeDrift: 'KL divergence from the starting policy to the present one on fixed prompts, in nats per token',
  validationSuccess: 'success on the validation states',
} as const;
export type HealthInput = keyof typeof healthInputs;

/** The inputs of one check. */
export interface Observation {
  /** completed iterations */
  readonly step: number;
  readonly values: InputValues;
  /** of each environment of a run in several; of what is measured there */
  readonly tags?: Readonly<Record<string, InputValues>>;
}

export type InputValues = Readonly<Partial<Record<HealthInput, number>>>;

/** What is remembered of one input: enough for every rule, and no more with each step. */
export interface InputMemory {
  /** the first ten values, which later ones are compared with */
  readonly first: readonly number[];
  /** the latest ten values, oldest first */
  readonly recent: readonly number[];
  /** values so far */
  readonly count: number;
  /** the highest mean of five values in a row; null: fewer than five */
  readonly best: number | null;
  /** how far the values have gone below the first two, in deviations of their noise, summed (CUSUM); of positive values */
  readonly decline: number;
}

const length = 10;
const bestLength = 5;
export const noMemory: InputMemory = { first: [], recent: [], count: 0, best: null, decline: 0 };

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[(sorted.length >> 1) - 1] as number) + upper) / 2;
}

/** Remembers one more value; one that is not finite is left out. */
export function remember(memory: InputMemory, value: number | undefined): InputMemory {
  if (value === undefined || !Number.isFinite(value)) return memory;
  const recent = [...memory.recent, value].slice(-length);
  const own = recent.length < bestLength ? null : mean(recent.slice(-bestLength));
  return {
    first: memory.first.length < length ? [...memory.first, value] : memory.first,
    recent,
    count: memory.count + 1,
    decline: declineOf(memory, value),
    best: own === null ? memory.best : Math.max(memory.best ?? own, own),
  };
}

/** A decline smaller than this much noise counts for nothing: a step of chance must not add up. */
const allowance = 0.25;
/** Values are compared by logarithms, as a loss of half weighs alike everywhere; below this share of the start they are alike. */
const leastShare = 0.05;
/** Noise is never taken for less: values that are equal by chance would make any other one an alarm. */
const leastNoise = 0.05;
/** One value counts for no more, so that no single one is an alarm. */
const mostPerValue = 3;
/** The fourth value and the fifth count for no more: fewer than four differences hardly tell the noise. */
const mostPerEarlyValue = 1;

/**
 * The cumulative sum of the falls below the mean of the first two values.
 *
 * @see Page 1954, "Continuous inspection schemes", Biometrika 41, section 2: the one-sided scheme
 */
function declineOf({ first, recent, count, decline }: InputMemory, value: number): number {
  const start = mean(first.slice(0, 2));
  if (count < 3 || start <= 0) return 0;
  const levelOf = (one: number): number => Math.log(Math.max(one / start, leastShare));
  const noise = Math.max(leastNoise, noiseOf(recent.map(levelOf)));
  const most = count < 5 ? mostPerEarlyValue : mostPerValue;
  return Math.max(0, decline + Math.min(most, -levelOf(value) / noise) - allowance);
}

/**
 * The mean of up to five first values that a window of the latest does not cover; undefined where there are none.
 *
 * @param window values at the end that are compared with it
 */
export function baselineOf({ first, count }: InputMemory, window: number): number | undefined {
  const before = first.slice(0, Math.min(5, Math.max(0, count - window)));
  return before.length === 0 ? undefined : mean(before);
}

/**
 * Estimates the noise of one value from differences of neighbours, which a slow change hardly enters.
 *
 * @see von Neumann 1941, "Distribution of the ratio of the mean square successive difference to the variance"
 */
export const estimateNoise = ({ recent }: InputMemory): number => noiseOf(recent);

function noiseOf(values: readonly number[]): number {
  const squares = values.slice(1).map((value, index) => (value - (values[index] as number)) ** 2);
  return squares.length === 0 ? 0 : Math.sqrt(mean(squares) / 2);
}
