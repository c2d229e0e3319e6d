/**
 * @file Whole algorithms against an independent implementation in float64, on 1,000 ragged batches (test/golden/loss):
 * which groups are kept, advantages, returns, losses, metrics and gradients; with defaults and with options one by one.
 */
import { describe, expect, it, vi } from 'vitest';
import { type AlgorithmName, algorithmNames, composeStep, type ComposedStep } from './loss-algorithms.js';
import {
  type DrawnBatch,
  type ExpectedAlgorithm,
  type ExpectedLoss,
  loadBatches,
  loadLines,
  spreadWeights,
} from './loss-batches.js';
import { Distances, sumLoss } from './sum-loss.js';

vi.setConfig({ testTimeout: 120_000 }); // seconds of work, more where the machine is shared

const batches = loadBatches();
const expected = loadLines<Record<AlgorithmName, ExpectedAlgorithm>>('algorithms');

function compare(distances: Distances, at: string, step: ComposedStep, golden: ExpectedAlgorithm): void {
  const metrics = golden.metrics ?? {};
  expect(step.kept, at).toEqual(golden.kept);
  distances.add('advantages', at, step.advantages, golden.advantages ?? []);
  const size = Math.max(1, metrics['credit/advantage_max'] ?? 0);
  distances.add('returns', at, step.returns ?? [], golden.returns ?? [], size);
  expect(Object.keys(step.metrics).sort()).toEqual(Object.keys(metrics).sort());
  for (const [name, value] of Object.entries(metrics)) {
    // a mean is as precise as its largest summand
    distances.add(name, at, [step.metrics[name] as number], [value], Math.max(size, Math.abs(value)));
  }
  const weights = spreadWeights(step.trajectories, golden.weights ?? []);
  for (const model of ['policy', 'critic'] as const) {
    const own = step[model];
    expect(own === undefined).toBe(golden[model] === undefined);
    if (own === undefined) continue;
    distances.addLoss(model, at, sumLoss(own.loss, own.numbers, weights), golden[model] as ExpectedLoss);
  }
}

/** How far an algorithm is from the golden one, where `isMeant` of its options; `change` goes over them. */
function measure(
  name: AlgorithmName,
  isMeant: (options: Readonly<Record<string, unknown>>) => boolean = () => true,
  change: object = {},
): Distances {
  const distances = new Distances();
  batches.forEach((batch, index) => {
    const golden = expected[index]?.[name] as ExpectedAlgorithm;
    if (!isMeant(golden.params)) return;
    const step = composeStep(name, batch, { ...golden.params, ...change });
    if (step === undefined || golden.policy === undefined) expect(golden.policy).toBe(step);
    else compare(distances, `batch ${index} ${JSON.stringify(golden.params)}`, step, golden);
  });
  return distances;
}

describe.each(algorithmNames)('%s, against an independent implementation', (name) => {
  it('is compared with default options and each other option in at least 50 batches', () => {
    const uses = new Map<string, number>();
    for (const { [name]: golden } of expected) {
      const options = Object.keys(golden.params);
      for (const option of options.length === 0 ? ['defaults'] : options)
        uses.set(option, (uses.get(option) ?? 0) + 1);
    }
    const shape = { ppo: 10, grpo: 7, 'starpo-s': 8 };
    expect(uses.size).toBe(shape[name] + 1);
    expect(Math.min(...uses.values())).toBeGreaterThanOrEqual(50);
  });

  it('agrees in kept groups, advantages, returns, losses, metrics and gradients within 1e-10', () => {
    const distances = measure(name);
    expect(distances.names).toContain('policy gradient logprobs');
    expect(distances.names.includes('critic gradient values')).toBe(name !== 'grpo');
    expect(distances.beyond(1e-10)).toEqual([]);
  });
});

describe('almost correct algorithms', () => {
  it.each([
    ['ppo', 'discounts exchanged', { gamma: 0.9, lambda: 0.95 }, { gamma: 0.95, lambda: 0.9 }],
    ['ppo', 'a little less clipping above', {}, { clipHigh: 0.21 }],
    ['grpo', 'the deviation of the group for that of the batch', {}, { normalization: 'group' }],
    ['starpo-s', 'clipping above as below', {}, { clipHigh: 0.2 }],
  ] as const)('differ: %s with %s', (name, _, where, change) => {
    const isMeant = (options: Readonly<Record<string, unknown>>) => {
      const wanted = Object.entries(where);
      if (wanted.length === 0) return Object.keys(options).length === 0;
      return wanted.every(([option, value]) => options[option] === value);
    };
    const wrong = measure(name, isMeant, change).beyond(1e-3);
    expect(wrong.map((line) => line.split(':')[0])).toContain('policy gradient logprobs');
  });

  it('differ: every group kept by starpo-s', () => {
    const batch = batches.find(
      ({ trajectories }) => new Set(trajectories.map(({ group }) => group)).size > 2,
    );
    const step = composeStep('starpo-s', batch as DrawnBatch, { keepRatio: 1 });
    expect(step?.kept.length).toBeGreaterThan(2);
  });
});
