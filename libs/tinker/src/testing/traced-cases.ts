/** @file Losses of ours that have no name on a server, and a batch at which PyTorch computed what is sent of them. */
import type { Datum, LossSpec } from '@espalier/contracts';
import {
  clippedCovariance,
  clippedPolicyLoss,
  composePolicyLoss,
  type KlEstimator,
  klEstimators,
  maskedRatio,
  penalizedCovariance,
  probabilityMask,
  softGate,
} from '@espalier/objective';

const clip = { clipLow: 0.2, clipHigh: 0.3, entropyCoefficient: 0 };
const plain = { entropyCoefficient: 0 };
const penalty = (klEstimator: KlEstimator) => ({ klCoefficient: 0.1, klEstimator });

export const tracedCases: Readonly<Record<string, LossSpec>> = {
  'dual clip': clippedPolicyLoss('starpo-s', { ...clip, dualClip: 3 }),
  ...Object.fromEntries(
    klEstimators.map((name) => [
      `penalty ${name}`,
      clippedPolicyLoss('grpo', { ...clip, dualClip: 0 }, penalty(name)),
    ]),
  ),
  'adaptive penalty': clippedPolicyLoss(
    'grpo',
    { ...clip, dualClip: 0 },
    { ...penalty('k3'), klTarget: 0.05 },
  ),
  'soft gate': composePolicyLoss('sapo', plain, (input) =>
    softGate({ ...input, temperatureGood: 1, temperatureBad: 1.05 }),
  ),
  'masked ratio': composePolicyLoss('gmpo', plain, maskedRatio, undefined, ['learns']),
  'probability mask': composePolicyLoss('ipo', plain, (input) =>
    probabilityMask({ ...input, maxShift: 0.1, pull: 0.01 }),
  ),
  'covariance clipped': composePolicyLoss(
    'clip-cov',
    { ...clip },
    (input) => clippedCovariance({ ...input, ...clip, dualClip: 0 }),
    undefined,
    ['held'],
  ),
  'covariance penalised': composePolicyLoss(
    'kl-cov',
    plain,
    (input) => penalizedCovariance({ ...input, coefficient: 1 }),
    undefined,
    ['held'],
  ),
};

const advantages = [1.5, -0.75, 0.25, -2, 1, -0.5];
const ratios = [0.5, 0.9, 1.05, 1.25, 1.6, 4.5];

/** Two sequences: every ratio with advantages of both signs; positions between them are not asked about. */
export function tracedBatch(columns: readonly string[]): {
  readonly data: readonly Datum[];
  readonly logprobs: readonly Float32Array[];
} {
  const positions = Int32Array.of(2, 3, 5, 6, 8, 9);
  const each = (value: (n: number) => number): Float32Array =>
    Float32Array.from(positions, (_, n) => value(n));
  const one = (shift: number) => {
    const logprobs = each((n) => -0.25 - 0.375 * n);
    const given: Record<string, Float32Array> = {
      oldLogprobs: each((n) => (logprobs[n] as number) - Math.log(ratios[(n + shift) % 6] as number)),
      advantages: each((n) => advantages[n] as number),
      referenceLogprobs: each((n) => (logprobs[n] as number) + 0.25 - 0.125 * n),
      klCoefficient: each(() => 0.0625),
      learns: each((n) => Number(n % 3 > 0)),
      held: each((n) => Number(n % 3 === 0)),
    };
    const datum: Datum = {
      tokens: Int32Array.from({ length: 11 }, (_, t) => (5 * t + shift) % 61),
      positions,
      weights: each((n) => (1 + n) / 64),
      columns: Object.fromEntries(columns.map((name) => [name, given[name] as Float32Array])),
    };
    return { datum, logprobs };
  };
  const both = [one(0), one(3)];
  return { data: both.map(({ datum }) => datum), logprobs: both.map(({ logprobs }) => logprobs) };
}
