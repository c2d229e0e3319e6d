/**
 * @file A bandit with a safe and a risky arm, played by groups under a policy of one logit. What a group learns depends on
 * whether its members share the draw of the risky arm: docs/learn/theory.md, "Shared noise", has the derivation.
 */
import { estimateGroupAdvantages } from '@espalier/objective';
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import { binomial } from './binomial.js';
import { logitOf, sigmoid } from './sigmoid.js';

export type Divisor = 'group' | 'batch' | 'none';
export type NoiseSeed = 'per-trajectory' | 'per-group';

export interface SharedNoise {
  /** pay of the safe arm; the risky one pays 1 or 0 */
  readonly safe: number;
  /** probability that the risky arm pays */
  readonly chance: number;
  readonly groupSize: number;
  readonly groups: number;
  /** probability of the risky arm at the beginning */
  readonly start: number;
  readonly learningRate: number;
  readonly steps: number;
}

interface Outcome {
  readonly weight: number;
  /** rewards of a group: risky and paid, risky and not paid, safe */
  readonly counts: readonly [paid: number, unpaid: number, safe: number];
}

/** Lists what a group can come to, with its probability. */
function listOutcomes({ groupSize, chance }: SharedNoise, p: number, noiseSeed: NoiseSeed): Outcome[] {
  return Array.from(binomial(groupSize, p)).flatMap((ofRisky, risky) => {
    const safe = groupSize - risky;
    if (noiseSeed === 'per-group')
      return [
        { weight: ofRisky * chance, counts: [risky, 0, safe] as const },
        { weight: ofRisky * (1 - chance), counts: [0, risky, safe] as const },
      ];
    return Array.from(binomial(risky, chance), (ofPaid, paid) => ({
      weight: ofRisky * ofPaid,
      counts: [paid, risky - paid, safe] as const,
    }));
  });
}

/** Sums over a group: of rewards, of their squares, and of rewards where the arm is risky. */
function sumGroup({ counts: [paid, unpaid, safeCount] }: Outcome, safe: number) {
  const size = paid + unpaid + safeCount;
  const mean = (paid + safe * safeCount) / size;
  const squares = paid * (1 - mean) ** 2 + unpaid * mean ** 2 + safeCount * (safe - mean) ** 2;
  return { risky: paid + unpaid, size, mean, paid, variance: squares / (size - 1) };
}

export interface ExpectedStep {
  /** expected gradient of the objective for the logit */
  readonly gradient: number;
  /** expected standard deviation of the rewards in a group, divisor n − 1 */
  readonly deviation: number;
  /** probability that the rewards of a group differ */
  readonly signal: number;
}

/**
 * Computes exactly what a group teaches a policy that takes the risky arm with probability `p`: the expectation of
 * (1/G) Σ Aᵢ ∂log π(aᵢ)/∂θ over all outcomes. With the divisor `batch`, in the limit of many groups.
 */
export function expectStep(
  model: SharedNoise,
  p: number,
  divisor: Divisor,
  noiseSeed: NoiseSeed,
): ExpectedStep {
  const sums = { gradient: 0, deviation: 0, signal: 0, variance: 0 };
  for (const outcome of listOutcomes(model, p, noiseSeed)) {
    const { risky, size, mean, paid, variance } = sumGroup(outcome, model.safe);
    const scale = divisor === 'group' ? 1 / (Math.sqrt(variance) + 1e-6) : 1;
    // Σ Aᵢ (aᵢ − p) = Σ over the risky ones of Aᵢ, because advantages sum to zero
    sums.gradient += (outcome.weight * (paid - risky * mean) * scale) / size;
    sums.deviation += outcome.weight * Math.sqrt(variance);
    sums.variance += (outcome.weight * variance * (size - 1)) / size;
    if (variance > 1e-15) sums.signal += outcome.weight;
  }
  const batch = divisor === 'batch' ? Math.sqrt(sums.variance) + 1e-6 : 1;
  return { gradient: sums.gradient / batch, deviation: sums.deviation, signal: sums.signal };
}

export interface Path {
  /** probability of the risky arm before each step, and at the end */
  readonly success: readonly number[];
  /** expected deviation within groups at the same moments */
  readonly deviation: readonly number[];
}

/** Follows the expected steps: the path of a run with infinitely many groups. */
export function followExpected(model: SharedNoise, divisor: Divisor, noiseSeed: NoiseSeed): Path {
  let logit = logitOf(model.start);
  const success: number[] = [];
  const deviation: number[] = [];
  for (let step = 0; step <= model.steps; step++) {
    const p = sigmoid(logit);
    const expected = expectStep(model, p, divisor, noiseSeed);
    success.push(p);
    deviation.push(expected.deviation);
    logit += model.learningRate * expected.gradient;
  }
  return { success, deviation };
}

/** Plays groups under a policy that takes the risky arm with probability `p`. */
export function playGroups(
  { groups, groupSize, chance, safe }: SharedNoise,
  p: number,
  noiseSeed: NoiseSeed,
  stream: RandomStream,
) {
  const groupOf = Array.from({ length: groups * groupSize }, (_, i) => Math.floor(i / groupSize));
  const draws = Array.from({ length: groups }, () => stream.next() < chance);
  const risky = groupOf.map(() => stream.next() < p);
  const totals = groupOf.map((group, i) => {
    const own = stream.next() < chance;
    if (risky[i] !== true) return safe;
    return (noiseSeed === 'per-group' ? draws[group] : own) === true ? 1 : 0;
  });
  return { totals, risky, groupOf };
}

/** Trains the policy by sampling, with the estimator of advantages that runs use; gives the probability of the risky arm. */
export function simulate(model: SharedNoise, divisor: Divisor, noiseSeed: NoiseSeed, seed: number): number[] {
  const stream = createStream(deriveSeed(seed, 'shared-noise', divisor, noiseSeed));
  let logit = logitOf(model.start);
  const path = [sigmoid(logit)];
  for (let step = 0; step < model.steps; step++) {
    const p = sigmoid(logit);
    const { totals, risky, groupOf } = playGroups(model, p, noiseSeed, stream);
    const advantages = estimateGroupAdvantages(totals, groupOf, divisor);
    const gradient = advantages.reduce((sum, value, i) => sum + value * ((risky[i] === true ? 1 : 0) - p), 0);
    logit += (model.learningRate * gradient) / advantages.length;
    path.push(sigmoid(logit));
  }
  return path;
}
