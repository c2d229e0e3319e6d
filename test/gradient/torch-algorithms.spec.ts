/**
 * @file Algorithms against PyTorch in float64 on ragged batches: advantages, losses and gradients, the latter by
 * autograd (test/golden/loss/make_algorithms.py); and in ONNX Runtime, in float32 as a run computes them.
 */
import { estimateTokenWeights } from '@espalier/objective';
import { describe, expect, it, vi } from 'vitest';
import { composeStep, type ComposedStep } from './loss-algorithms.js';
import { type DrawnBatch, loadBatches, lossMasksOf } from './loss-batches.js';
import { compareInRuntime } from './loss-runtime.js';
import { Distances, sumLoss } from './sum-loss.js';
import { isLong } from '../support/long.js';
import { loadTorch, project } from './torch-algorithms.js';

vi.setConfig({ testTimeout: 240_000 }); // seconds of work, more where the machine is shared

const batches = loadBatches();
const { cases, results } = loadTorch();
const names = Object.keys(cases);

const weightsOf = ({ trajectories }: ComposedStep, { options }: DrawnBatch): number[] => {
  const counts = lossMasksOf(trajectories);
  const tokens = counts.reduce((sum, count) => sum + count, 0);
  return counts.flatMap((count) => {
    const weights = {
      'token-mean': 1 / tokens,
      'sequence-mean-token-mean': 1 / (counts.length * count),
      'sequence-mean-token-sum': 1 / counts.length,
    };
    return new Array<number>(count).fill(weights[options.aggregation as keyof typeof weights]);
  });
};

/** A batch as a case sees it. */
const asSeen = (batch: DrawnBatch, rewards: 'magnitudes' | undefined): DrawnBatch => {
  if (rewards === undefined) return batch;
  const trajectories = batch.trajectories.map((one) => ({ ...one, rewards: one.rewards.map(Math.abs) }));
  return { ...batch, trajectories };
};

/** Each case is compared in every 20th batch, cases in different ones; in the long form in all of them. */
const STRIDE = isLong ? 1 : 20;

/** Among 1,000 batches is one (447) with turns whose returns differ by rounding only: 1e-7 of a loss, divided by 1e-6. */
const BOUND = isLong ? 1e-6 : 1e-8;

/** How far a case is from PyTorch over its batches; `change` goes over its options. */
function measure(name: string, change: object = {}): { distances: Distances; compared: number } {
  const distances = new Distances();
  const { use, options, rewards } = cases[name]!;
  let compared = 0;
  results.forEach((result, index) => {
    if (index % STRIDE !== names.indexOf(name) % STRIDE) return;
    const batch = asSeen(batches[index]!, rewards);
    const step = composeStep(use, batch, { ...options, ...change });
    const golden = result[name] ?? null;
    expect(step === undefined, `${name}, batch ${index}`).toBe(golden === null);
    if (step === undefined || golden === null) return;
    compared += 1;
    const at = `batch ${index}`;
    const [advantages, loss, gradient] = golden;
    const own = sumLoss(step.policy.loss, step.policy.numbers, weightsOf(step, batch));
    const credit = project(step.advantages);
    const slope = project(own.gradients['logprobs'] ?? []);
    distances.add('advantages', at, [credit.sum], [advantages], Math.max(credit.size, 1e-3));
    distances.add('loss', at, [own.loss], [loss], Math.max(own.sizes['loss'] ?? 0, 1e-3));
    distances.add('gradient', at, [slope.sum], [gradient], Math.max(slope.size, 1e-3));
  });
  return { distances, compared };
}

it('weighs tokens as a run does', () => {
  const step = composeStep('starpo', batches[0]!, {})!;
  const { options } = batches[0]!;
  const own = estimateTokenWeights(lossMasksOf(step.trajectories), options.aggregation).flatMap((one) => [
    ...one,
  ]);
  weightsOf(step, batches[0]!).forEach((weight, i) => expect(own[i]).toBeCloseTo(weight, 6));
});

describe.each(names)('%s', (name) => {
  it(`agrees with PyTorch in advantages, losses and gradients within ${BOUND}`, () => {
    const { distances, compared } = measure(name);
    expect(compared).toBeGreaterThan(results.length / STRIDE / 2);
    expect(distances.beyond(BOUND)).toEqual([]);
  });

  it('agrees in ONNX Runtime within 1e-5', async () => {
    const distances = new Distances();
    const { use, options, rewards } = cases[name]!;
    for (let index = 0; index < 200; index += 20) {
      const batch = asSeen(batches[index]!, rewards);
      const step = composeStep(use, batch, options);
      if (step === undefined) continue;
      await compareInRuntime(distances, `batch ${index}`, { ...step.policy, name }, weightsOf(step, batch));
    }
    expect(distances.names.length).toBeGreaterThan(2);
    expect(distances.beyond(1e-5)).toEqual([]);
  });
});

describe('almost correct algorithms', () => {
  it.each([
    ['rae', { baselineMemory: 0.8 }, 'advantages'],
    ['remax', { clipHigh: 0.3 }, 'gradient'],
    ['maxrl', { normalization: 'none' }, 'advantages'],
    ['gigpo', { turnGamma: 0.95 }, 'advantages'],
    ['kevin', { compare: 'index' }, 'advantages'],
    ['reinforce', { klRewardCoefficient: 0.05 }, 'advantages'],
    ['bi-level', { wholeTurns: false }, 'advantages'],
    ['gspo', { clipHigh: 0.3 }, 'gradient'],
    ['gmpo', { clipHigh: 0.25 }, 'gradient'],
    ['kl-cov', { coefficient: 0.6 }, 'gradient'],
    ['clip-cov', { high: 0.4 }, 'gradient'],
    ['cispo', { clipHigh: 1.1 }, 'gradient'],
    ['sapo', { temperatureBad: 2.1 }, 'gradient'],
    ['ipo', { maxShift: 0.06 }, 'gradient'],
    ['ipo', { pull: 0.2 }, 'loss'],
    ['mt-grpo-outcome', { outcome: 'total' }, 'advantages'],
    ['mt-grpo-outcome', { outcomeWeight: 0.3 }, 'advantages'],
    ['turn-credit', { spread: false }, 'advantages'],
    ['hybrid', { gamma: 0.5 }, 'advantages'],
    ['hybrid', { estimator: 'group' }, 'advantages'],
    ['grpo-kl', { klEstimator: 'k3' }, 'gradient'],
    ['ppo', { lambda: 0.94 }, 'advantages'],
    ['ppo-kl-reward', { klRewardEstimator: 'k2' }, 'advantages'],
    ['bi-level-kl-reward', { klRewardEstimator: 'k1' }, 'advantages'],
    ['hybrid-kl-reward', { klRewardCoefficient: 0.11 }, 'advantages'],
    ['reinforce-baseline-kl-reward', { klRewardEstimator: 'k1' }, 'advantages'],
    ['critics-mean', { critics: 2 }, 'advantages'],
    ['critics-minimum', { criticCombination: 'mean' }, 'advantages'],
    ['critics-pessimism', { criticPessimism: 0.4 }, 'advantages'],
  ] as const)('differ: %s with %o', (name, change, what) => {
    const wrong = measure(name, change).distances.beyond(1e-3);
    expect(wrong.map((line) => line.split(':')[0])).toContain(what);
  });
});
