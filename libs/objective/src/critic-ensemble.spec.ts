import { describe, expect, it } from 'vitest';
import { combineValues, estimateEnsembleMetrics } from './critic-ensemble.js';
import { estimateCriticCredit } from './trajectory-credit.js';

/** Two loss tokens around an observation; what two critics say of them. */
const critics = [Float64Array.of(1, 0, 2), Float64Array.of(3, 0, 1)];
const trajectory = {
  group: 0,
  total: 4,
  rewards: Float64Array.of(0, 0, 4),
  lossMask: Uint8Array.of(1, 0, 1),
  turnEnds: [0, 2],
  values: critics[0]!,
  criticValues: critics,
};

describe('combineValues', () => {
  it('takes the mean, the least, or the mean less deviations, by hand', () => {
    expect([...combineValues(critics)]).toEqual([2, 0, 1.5]);
    expect([...combineValues(critics, { criticCombination: 'minimum' })]).toEqual([1, 0, 1]);
    // deviations 1 and ½
    expect([...combineValues(critics, { criticPessimism: 0.5 })]).toEqual([1.5, 0, 1.25]);
    expect([...combineValues(critics, { criticPessimism: 2 })]).toEqual([0, 0, 0.5]);
    const three = [[3], [6], [9]].map((own) => Float64Array.from(own));
    expect(combineValues(three, { criticPessimism: 1 })[0]).toBeCloseTo(6 - Math.sqrt(6), 12);
  });

  it('is the least of two where one deviation is taken off', () => {
    const [a, b] = [Float64Array.of(0.3, -2, 7), Float64Array.of(0.9, 5, -1)];
    const least = combineValues([a, b], { criticCombination: 'minimum' });
    expect([...least]).toEqual([0.3, -2, -1]);
    expect([...combineValues([a, b], { criticPessimism: 1 })]).toEqual(
      [...least].map((value) => expect.closeTo(value, 12) as number),
    );
  });

  it('leaves one critic, and several that agree, as they are', () => {
    for (const count of [1, 2, 4])
      for (const options of [{}, { criticCombination: 'minimum' as const }, { criticPessimism: 3 }])
        expect([...combineValues(new Array<Float64Array>(count).fill(critics[0]!), options)]).toEqual([
          1, 0, 2,
        ]);
  });

  it('refuses none, and critics of different lengths', () => {
    expect(() => combineValues([])).toThrow('combine values: there is no critic');
    expect(() => combineValues([Float64Array.of(1), Float64Array.of(1, 2)])).toThrow(
      'combine values: lengths differ, got critic 1 [1], critic 2 [2]',
    );
  });
});

describe('estimateEnsembleMetrics', () => {
  it('is the mean deviation over loss tokens', () => {
    const other = [Float64Array.of(5, 9), Float64Array.of(5, 0)];
    const masks = [trajectory.lossMask, Uint8Array.of(1, 0)];
    // deviations 1, ½ and 0
    expect(estimateEnsembleMetrics([critics, other], masks)).toEqual({ 'critic/ensemble_std': 0.5 });
    expect(estimateEnsembleMetrics([], [])).toEqual({ 'critic/ensemble_std': 0 });
  });
});

describe('estimateCriticCredit of several critics', () => {
  const discounts = { gamma: 0.5, lambda: 0.5 };

  // γ = λ = ½: δ = 4 − V₂ and ½ V₂ − V₀; A₀ = δ₀ + ¼ δ₂; R = A + V
  it.each([
    [{}, [2, 0, 1.5], [1.375, 0, 4], [-0.625, 2.5]],
    [{ criticCombination: 'minimum' }, [1, 0, 1], [1.25, 0, 4], [0.25, 3]],
    [{ criticPessimism: 0.5 }, [1.5, 0, 1.25], [1.3125, 0, 4], [-0.1875, 2.75]],
  ] as const)('estimates advantages and returns from what is combined (%o), by hand', (how, v, r, [a, b]) => {
    const { values, returns, advantages, metrics } = estimateCriticCredit([trajectory], {
      ...discounts,
      ...how,
    });
    expect([...(values?.[0] ?? [])]).toEqual(v);
    expect([...returns[0]!]).toEqual(r);
    expect(metrics['credit/advantage_mean']).toBeCloseTo((a + b) / 2, 12);
    expect(metrics['credit/advantage_max']).toBeCloseTo(Math.max(Math.abs(a), b), 12);
    // returns differ by r₂ − r₀, what is left of them by a − b
    expect(metrics['critic/explained_variance']).toBeCloseTo(1 - ((b - a) / (r[2] - r[0])) ** 2, 12);
    expect(metrics['critic/ensemble_std']).toBe(0.75);
    // whitened: the two are as far apart on either side
    expect(advantages[0]![2]).toBeCloseTo(Math.SQRT1_2, 6);
    expect(advantages[0]![0]).toBeCloseTo(-Math.SQRT1_2, 6);
  });

  it('reports no ensemble where there is one critic', () => {
    const { criticValues: _, ...alone } = trajectory;
    const credit = estimateCriticCredit([alone], { ...discounts, criticCombination: 'minimum' });
    expect(credit).not.toHaveProperty('values');
    expect(credit.metrics).not.toHaveProperty('critic/ensemble_std');
    // δ = 2 and 0
    expect([...credit.returns[0]!]).toEqual([1.5, 0, 4]);
  });
});
