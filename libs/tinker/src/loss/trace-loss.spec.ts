/** What is sent of our losses is what PyTorch computed, and PyTorch computed what we do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineLoss } from '@espalier/objective';
import { cumSum, mul } from '@espalier/graph';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { tracedBatch, tracedCases } from '../testing/traced-cases.js';
import type { TracedLoss } from '../wire/traced-loss.js';
import { evaluateBatch } from './loss-route.js';
import { traceLoss } from './trace-loss.js';
import { tracedData } from './wire-data.js';

interface Computed extends Pick<TracedLoss, 'graph' | 'inputs'> {
  readonly title: string;
  readonly results: readonly { readonly loss: number; readonly gradient: readonly number[] }[];
}

const golden = join(goldenFolder('traced-losses'), 'golden.json');
const { ours } = JSON.parse(readFileSync(golden, 'utf8')) as { readonly ours: readonly Computed[] };

describe('a loss as a graph', () => {
  it('was computed by PyTorch for every loss that has no name', () => {
    expect(ours.map(({ title }) => title)).toEqual(Object.keys(tracedCases));
  });

  it.each(ours)('is what PyTorch was given, and has our values and gradients: $title', (case_) => {
    const loss = tracedCases[case_.title];
    if (loss === undefined) throw new Error('no such loss');
    const traced = traceLoss(loss);
    expect(traced?.graph).toEqual(case_.graph);
    expect(traced?.inputs).toEqual(case_.inputs);
    const { data, logprobs } = tracedBatch(loss.columns);
    const evaluated = evaluateBatch(loss, data, logprobs, logprobs);
    const total = case_.results.reduce((sum, { loss: value }) => sum + value, 0);
    expect(evaluated.loss).toBeCloseTo(total, 6);
    case_.results.forEach(({ gradient }, i) => {
      const own = gradient.map(() => 0);
      data[i]?.positions.forEach((t, n) => (own[t - 1] = evaluated.gradients[i]?.[n] as number));
      gradient.forEach((value, t) => expect(own[t]).toBeCloseTo(value, 6));
      expect(gradient.some((value) => value !== 0)).toBe(true);
    });
  });

  it('is sent with the columns of the loss, 0 where nothing is asked', () => {
    const loss = tracedCases['masked ratio'];
    const traced = loss && traceLoss(loss);
    if (loss === undefined || traced === undefined) throw new Error('no such loss');
    const { data } = tracedBatch(loss.columns);
    const [datum] = tracedData(data, traced, loss.columns).data;
    expect(Object.keys(datum?.inputs ?? {})).toEqual([
      'target_tokens',
      'weights',
      'old_logprobs',
      'advantages',
      'learns',
    ]);
    const weights = [0, 1, 2, 0, 3, 4, 0, 5, 6].map((n) => n / 64);
    expect([...(datum?.inputs['weights']?.data ?? [])]).toEqual(weights);
    expect([...(datum?.inputs['learns']?.data ?? [])]).toEqual([0, 0, 1, 0, 1, 0, 0, 1, 1]);
  });

  it('does not exist where PyTorch has no function for a part of it', () => {
    const loss = defineLoss({
      id: 'own/sums',
      params: {},
      columns: ['advantages'],
      build: ({ logprobs, columns: { advantages } }) => ({
        perToken: mul(cumSum(logprobs, 0), advantages),
        metrics: {},
      }),
    });
    expect(traceLoss(loss)).toBeUndefined();
  });
});
