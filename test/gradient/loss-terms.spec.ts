/**
 * @file Loss terms, their gradients and their aggregation against an independent implementation in float64, on 1,000
 * ragged batches (test/golden/loss). The last tests show that almost correct formulas fail.
 */
import type { LossSpec } from '@espalier/contracts';
import { estimateTokenWeights } from '@espalier/objective';
import { describe, expect, it, vi } from 'vitest';
import {
  lossMasksOf,
  type DrawnBatch,
  type ExpectedLoss,
  loadBatches,
  loadLines,
  spreadWeights,
} from './loss-batches.js';
import { defineTerms, numbersOf, surrogateLoss } from './loss-definitions.js';
import { Distances, sumLoss } from './sum-loss.js';

vi.setConfig({ testTimeout: 120_000 }); // seconds of work, more where the machine is shared

type ExpectedTerms = Record<string, ExpectedLoss> & { readonly weights: number[] };

const batches = loadBatches();
const expected = loadLines<ExpectedTerms>('terms');
const names = Object.keys(expected[0] ?? {}).filter((name) => name !== 'weights');

/** How far a loss, made for each batch, is from a golden term, over every `stride`th batch. */
function measure(name: string, make: (batch: DrawnBatch) => LossSpec, stride = 1): Distances {
  const distances = new Distances();
  batches.forEach((batch, index) => {
    if (index % stride !== 0) return;
    const golden = expected[index] as ExpectedTerms;
    const loss = make(batch);
    const weights = spreadWeights(batch.trajectories, golden.weights);
    const actual = sumLoss(loss, numbersOf(loss, batch.trajectories), weights);
    distances.addLoss(name, `batch ${index}`, actual, golden[name] as ExpectedLoss);
  });
  return distances;
}

describe('loss terms, against an independent implementation', () => {
  it('has a thousand varied batches', () => {
    expect(batches).toHaveLength(1000);
    expect(expected).toHaveLength(1000);
    const counts = batches.flatMap(({ trajectories }) => lossMasksOf(trajectories));
    expect(counts).toContain(0);
    expect(new Set(counts).size).toBeGreaterThan(8);
    for (const metric of ['low', 'high', 'dual'].map((side) => `policy/clip_fraction_${side}`)) {
      const hits = expected.filter((terms) => (terms['surrogate-dual']?.metrics[metric] ?? 0) > 0);
      expect(hits.length, metric).toBeGreaterThan(200);
    }
    expect(names).toEqual(Object.keys(defineTerms((batches[0] as DrawnBatch).options)));
  });

  it.each(names)('agrees in loss, metrics and gradient within 1e-10: %s', (name) => {
    const distances = measure(name, ({ options }) => defineTerms(options)[name] as LossSpec);
    expect(distances.names.length).toBeGreaterThan(2);
    expect(distances.beyond(1e-10)).toEqual([]);
  });

  it('weights tokens like the independent implementation, bit for bit in float32', () => {
    const distances = new Distances();
    batches.forEach(({ trajectories, options }, index) => {
      const counts = lossMasksOf(trajectories);
      const weights = estimateTokenWeights(counts, options.aggregation);
      expect(weights.map((own) => own.length)).toEqual(counts);
      const golden = spreadWeights(trajectories, expected[index]?.weights ?? []);
      weights
        .flatMap((own) => [...own])
        .forEach((weight, i) => distances.add('weights', `batch ${index}`, [weight], [golden[i] as number]));
    });
    expect(distances.beyond(2 ** -23.99)).toEqual([]);
  });
});

describe('almost correct formulas', () => {
  const stride = 10;

  it('differ: clip bounds swapped', () => {
    const swapped = measure(
      'surrogate',
      ({ options: { clipLow, clipHigh } }) =>
        surrogateLoss({ clipLow: clipHigh, clipHigh: clipLow, dualClip: 0 }),
      stride,
    );
    expect(swapped.beyond(0.1).length).toBeGreaterThan(3);
  });

  it('differ: dual clip forgotten', () => {
    const forgotten = measure(
      'surrogate-dual',
      ({ options }) => surrogateLoss({ ...options, dualClip: 0 }),
      stride,
    );
    expect(forgotten.beyond(0.1).length).toBeGreaterThan(1);
  });

  it('differ: the gradients of k2 and k3 exchanged', () => {
    for (const [name, other] of [
      ['kl-k3-straight-through', 'kl-k3'],
      ['kl-k3', 'kl-k3-straight-through'],
    ] as const) {
      const exchanged = measure(name, ({ options }) => defineTerms(options)[other] as LossSpec, stride);
      expect(exchanged.beyond(1e-10).map((line) => line.split(':')[0])).toEqual([
        `${name} gradient logprobs`,
      ]);
    }
  });

  it('differ: values not clipped around the old ones', () => {
    const free = measure(
      'value-clip',
      ({ options }) => defineTerms({ ...options, valueClip: 1e6 })['value-clip'] as LossSpec,
      stride,
    );
    expect(free.beyond(0.1).length).toBeGreaterThan(2);
  });

  it('differ: another loss aggregation', () => {
    const distances = new Distances();
    batches.forEach(({ trajectories }, index) => {
      const weights = estimateTokenWeights(lossMasksOf(trajectories), 'token-mean');
      distances.add(
        'weights',
        `batch ${index}`,
        weights.map((own) => own[0] ?? 0),
        expected[index]?.weights ?? [],
      );
    });
    expect(distances.beyond(0.1)).toHaveLength(1);
  });
});
