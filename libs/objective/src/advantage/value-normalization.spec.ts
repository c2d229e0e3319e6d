import { describe, expect, it } from 'vitest';
import {
  denormalizeValues,
  normalizeValues,
  scaleOfReturns,
  updateReturnMoments,
} from './value-normalization.js';

/** One trajectory of which the first and the last token are in the loss. */
const add = (
  before: ReturnType<typeof updateReturnMoments>,
  pair: readonly [number, number],
  memory: number,
) => updateReturnMoments(before, [[pair[0], 999, pair[1]]], [[1, 0, 1]], memory);

describe('updateReturnMoments', () => {
  it('weighs iterations by how long ago they were, by hand', () => {
    const first = add(undefined, [1, 3], 0.5);
    // half of mean 2, mean square 5 and weight 1
    expect(first).toEqual({ weight: 0.5, mean: 1, square: 2.5 });
    expect(scaleOfReturns(first)).toEqual({ mean: 2, std: 1 });
    const second = add(first, [5, 7], 0.5);
    // 0.5 · 1 + 0.5 · 6, 0.5 · 2.5 + 0.5 · 37, 0.5 · 0.5 + 0.5
    expect(second).toEqual({ weight: 0.75, mean: 3.5, square: 19.75 });
    const scale = scaleOfReturns(second);
    expect(scale.mean).toBeCloseTo(14 / 3, 12);
    // (1·5 + 2·37) / 3 − (14/3)²
    expect(scale.std).toBeCloseTo(Math.sqrt(79 / 3 - 196 / 9), 12);
  });

  it('equals the moments of all returns, each weighted by the age of its iteration', () => {
    const memory = 0.8;
    const iterations: readonly [number, number][] = [
      [3, -1],
      [0.5, 2],
      [-4, 7],
      [1, 1],
      [2.25, -3],
    ];
    const scale = scaleOfReturns(
      iterations.reduce<ReturnType<typeof add>>((m, own) => add(m, own, memory), undefined),
    );
    const weighted = iterations.flatMap((own, age) =>
      own.map((value) => ({ value, weight: memory ** (iterations.length - 1 - age) })),
    );
    const total = weighted.reduce((sum, { weight }) => sum + weight, 0);
    const mean = weighted.reduce((sum, { value, weight }) => sum + weight * value, 0) / total;
    const variance =
      weighted.reduce((sum, { value, weight }) => sum + weight * (value - mean) ** 2, 0) / total;
    expect(scale.mean).toBeCloseTo(mean, 12);
    expect(scale.std).toBeCloseTo(Math.sqrt(variance), 12);
  });

  it('with memory 0 knows the latest iteration only', () => {
    const moments = add(add(undefined, [100, -100], 0), [1, 3], 0);
    expect(scaleOfReturns(moments)).toEqual({ mean: 2, std: 1 });
  });

  it('stays as it was without a loss token', () => {
    const before = add(undefined, [1, 3], 0.9);
    expect(updateReturnMoments(before, [[4, 4]], [[0, 0]], 0.9)).toBe(before);
    expect(updateReturnMoments(undefined, [], [], 0.9)).toBeUndefined();
  });
});

describe('scaleOfReturns', () => {
  it('gives targets that do not depend on the scale of rewards', () => {
    const targets = (factor: number) => {
      const returns = Float32Array.from([2, -1, 5], (value) => value * factor);
      const moments = updateReturnMoments(undefined, [returns], [[1, 1, 1]], 0.9);
      return [...normalizeValues(returns, scaleOfReturns(moments))];
    };
    const one = targets(1);
    expect(one.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
    expect(one.reduce((sum, value) => sum + value * value, 0) / 3).toBeCloseTo(1, 6);
    for (const factor of [1e-3, 1024])
      expect(targets(factor)).toEqual(one.map((target) => expect.closeTo(target, 5) as number));
  });

  it('does not divide by nothing: equal returns, zeros, and before the first', () => {
    const equal = (value: number) =>
      scaleOfReturns(updateReturnMoments(undefined, [[value, value]], [[1, 1]], 0.9));
    expect(equal(10).std).toBeCloseTo(0.1, 12);
    expect(equal(0)).toEqual({ mean: 0, std: 1 });
    expect(scaleOfReturns(undefined)).toEqual({ mean: 0, std: 1 });
  });

  it('is undone by denormalizeValues', () => {
    const values = Float32Array.of(-2, 0, 7);
    const scale = { mean: 3, std: 4 };
    expect([...normalizeValues(values, scale)]).toEqual([-1.25, -0.75, 1]);
    expect([...denormalizeValues(normalizeValues(values, scale), scale)]).toEqual([-2, 0, 7]);
  });
});
