/**
 * @file Settings of a run around an algorithm against PyTorch (test/golden/loss/make_algorithms.py): the corrections between
 * sampler and trainer, the mask of decided tokens, normalised rewards and sums over constants, by the parts of a run.
 */
import { resolveSamplerCorrection } from '@espalier/contracts/sampler-correction';
import { correctSampling, type LossAggregation } from '@espalier/objective';
import { describe, expect, it, vi } from 'vitest';
import { type TrainingExample, weighTokens } from '../../libs/trainer/src/batch.js';
import { composeStep, type ComposedStep, type UpdateSettings } from './loss-algorithms.js';
import { type DrawnTrajectory, loadBatches } from './loss-batches.js';
import { Distances, sumLoss } from './sum-loss.js';
import { isLong } from '../support/long.js';
import { loadTorch, project } from './torch-algorithms.js';

vi.setConfig({ testTimeout: 240_000 });

const batches = loadBatches();
const { cases, settings, results } = loadTorch();
const names = Object.keys(settings);
const STRIDE = isLong ? 1 : 20;

/** Weights of tokens, corrections and masked advantages are float32 in a run. */
const BOUND = 1e-6;

/** A trajectory as the trainer weighs it; what the sampler said are the reference's log-probabilities. */
function exampleOf({ columns }: DrawnTrajectory, update: UpdateSettings): TrainingExample {
  const { oldLogprobs: logprobs = [], referenceLogprobs: sampled = [] } = columns;
  const { samplerCorrection } = update;
  const rule = samplerCorrection && resolveSamplerCorrection({ device: {}, update: { samplerCorrection } });
  const weights = rule && correctSampling({ logprobs, sampled }, rule).weights;
  // the trainer asks for positions to count them
  return {
    positions: Int32Array.from(logprobs, (_, n) => n),
    columns: weights === undefined ? {} : { samplerWeights: weights },
  } as unknown as TrainingExample;
}

const weightsOf = (
  { trajectories }: ComposedStep,
  aggregation: LossAggregation,
  update: UpdateSettings,
): number[] => {
  const { lossAggregation = aggregation, lossConstant } = update;
  const examples = trajectories.map((one) => exampleOf(one, update));
  return weighTokens(examples, { lossAggregation, lossConstant }, 'samplerWeights').flatMap((own) => [
    ...own,
  ]);
};

/** How far a setting is from PyTorch over its batches; `change` goes over it. */
function measure(name: string, change: object = {}): { distances: Distances; compared: number } {
  const distances = new Distances();
  const setting = settings[name]!;
  const update: UpdateSettings = { ...setting.update, ...change };
  const { use, options } = cases[setting.case]!;
  let compared = 0;
  results.forEach((result, index) => {
    if (index % STRIDE !== names.indexOf(name) % STRIDE) return;
    const batch = batches[index]!;
    const step = composeStep(use, batch, options, update);
    const golden = result[name] ?? null;
    expect(step === undefined, `${name}, batch ${index}`).toBe(golden === null);
    if (step === undefined || golden === null) return;
    compared += 1;
    const at = `batch ${index}`;
    const [advantages, loss, gradient] = golden;
    const weights = weightsOf(step, batch.options.aggregation, update);
    const own = sumLoss(step.policy.loss, step.policy.numbers, weights);
    const credit = project(step.advantages);
    const slope = project(own.gradients['logprobs'] ?? []);
    distances.add('advantages', at, [credit.sum], [advantages], Math.max(credit.size, 1e-3));
    distances.add('loss', at, [own.loss], [loss], Math.max(own.sizes['loss'] ?? 0, 1e-3));
    distances.add('gradient', at, [slope.sum], [gradient], Math.max(slope.size, 1e-3));
  });
  return { distances, compared };
}

describe.each(names)('%s', (name) => {
  it(`agrees with PyTorch in advantages, loss and gradient within ${BOUND}`, () => {
    const { distances, compared } = measure(name);
    expect(compared).toBeGreaterThan(results.length / STRIDE / 2);
    expect(distances.beyond(BOUND)).toEqual([]);
  });
});

const correction = (use: string, maxRatio: number, minRatio?: number) => ({
  samplerCorrection: { use, maxRatio, ...(minRatio === undefined ? {} : { minRatio }) },
});
const normalization = (by: string, method: string) => ({ rewardNormalization: { by, method } });

describe('almost correct settings', () => {
  it.each([
    ['sampler-truncated', correction('truncated', 1.6), 'gradient'],
    ['sampler-truncated', correction('mask', 1.5), 'gradient'],
    ['sampler-mask', correction('truncated', 1.5), 'gradient'],
    ['sampler-mask', correction('sequence-mask', 1.5), 'gradient'],
    ['sampler-icepop', correction('icepop', 2.5, 0.7), 'gradient'],
    ['sampler-icepop', correction('mask', 2.5), 'gradient'],
    ['sampler-sequence-truncated', correction('sequence-truncated', 2.8), 'gradient'],
    ['sampler-sequence-truncated', correction('truncated', 3), 'gradient'],
    ['sampler-sequence-mask', correction('sequence-mask', 2.5), 'gradient'],
    ['sampler-sequence-mask', correction('sequence-truncated', 3), 'gradient'],
    ['top-entropy', { topEntropyShare: 0.33 }, 'advantages'],
    ['top-entropy-gmpo', { topEntropyShare: 0.33 }, 'loss'],
    ['normalized-by-state', normalization('batch', 'mean'), 'advantages'],
    ['normalized-by-state', normalization('state', 'mean-std'), 'advantages'],
    ['normalized-by-batch', normalization('tag', 'mean-std'), 'advantages'],
    ['normalized-by-batch', normalization('batch', 'asymmetric-clip'), 'advantages'],
    ['normalized-by-tag', normalization('state', 'asymmetric-clip'), 'advantages'],
    ['normalized-by-tag', normalization('tag', 'mean-std'), 'advantages'],
    ['normalized-totals', normalization('batch', 'mean-std'), 'advantages'],
    ['sequence-mean-constant', { lossConstant: 23.9 }, 'loss'],
    ['sequence-mean-constant', { lossAggregation: 'sum-constant' }, 'gradient'],
    ['sum-constant', { lossAggregation: 'sequence-mean-constant' }, 'gradient'],
    ['sum-constant', { lossAggregation: 'token-mean' }, 'gradient'],
  ] as const)('differ: %s with %o', (name, change, what) => {
    const wrong = measure(name, change).distances.beyond(1e-3);
    expect(wrong.map((line) => line.split(':')[0])).toContain(what);
  });
});
