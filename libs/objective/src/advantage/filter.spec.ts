import { describe, expect, it } from 'vitest';
import { filterGroups, type GroupRule } from './filter.js';
import { estimateGroupWeights } from './filter-weights.js';

/** Totals [0, d·√2] have the standard deviation d with divisor n − 1. */
const groupsOf = (...deviations: number[]) => deviations.map((d) => ({ totals: [0, d * Math.SQRT2] }));
const rule = (kind: GroupRule['kind'], value: number, zeros: GroupRule['zeros'] = 'drop') => ({
  kind,
  value,
  zeros,
});
const keptOf = (deviations: number[], ...args: Parameters<typeof rule>) =>
  filterGroups(groupsOf(...deviations), rule(...args)).kept;

describe('filterGroups', () => {
  it('keeps a share of all groups, those whose totals differ most, in order, with reasons and numbers', () => {
    const { kept, reasons, numbers, scores } = filterGroups(
      [
        [0, 1],
        [5, 5],
        [0, 10],
        [0, 2],
      ].map((totals) => ({ totals })),
      rule('ratio', 0.5),
    );
    expect(kept).toEqual([2, 3]);
    expect(reasons).toEqual(['low-variance', 'zero-variance', 'kept', 'kept']);
    expect(scores[3]).toBeCloseTo(Math.SQRT2, 12);
    expect(numbers[0]).toEqual({ deviation: Math.SQRT1_2, rank: 3, limit: 2 });
    expect(numbers[1]).toEqual({ deviation: 0 });
  });

  it.each<[string, GroupRule['kind'], number, number[]]>([
    ['rounds a share down, but to one at least', 'ratio', 0.3, [1]],
    ['keeps a number of groups', 'top-k', 2, [1, 4]],
    ['keeps the fewest with a share of the sum, here 4 + 3 of 10', 'top-p', 0.7, [1, 4]],
    ['takes one more where that is not enough', 'top-p', 0.71, [1, 3, 4]],
    ['keeps scores near the largest', 'min-p', 0.5, [1, 3, 4]],
    ['keeps scores of at least a number', 'absolute', 3, [1, 4]],
    ['keeps all that differ with top-p 1', 'top-p', 1, [0, 1, 3, 4]],
    ['keeps all that differ above 0', 'absolute', 0, [0, 1, 3, 4]],
  ])('%s', (_, kind, value, expected) => {
    expect(keptOf([1, 4, 0, 2, 3], kind, value)).toEqual(expected);
  });

  it('keeps a share of softmax probabilities, by hand', () => {
    // e^{0, ln 2, ln 5} / 8: 0.125, 0.25, 0.625
    const deviations = [Math.log(1) + 1, Math.log(2) + 1, Math.log(5) + 1];
    expect(keptOf(deviations, 'top-p-softmax', 0.62)).toEqual([2]);
    expect(keptOf(deviations, 'top-p-softmax', 0.63)).toEqual([1, 2]);
    expect(keptOf(deviations, 'top-p-softmax', 0.88)).toEqual([0, 1, 2]);
  });

  it('lets zeros take places if asked', () => {
    expect(keptOf([0, 2, 0], 'top-k', 2, 'keep')).toEqual([0, 1]);
    expect(keptOf([0, 2, 0], 'top-k', 2, 'drop')).toEqual([1]);
    expect(keptOf([0, 2, 0], 'absolute', 0, 'keep')).toEqual([0, 1, 2]);
    expect(keptOf([0, 1], 'top-p-softmax', 0.9, 'keep')).toEqual([0, 1]);
    expect(keptOf([0, 2, 0], 'top-p', 0.99, 'keep')).toEqual([1]);
    expect(keptOf([0, 2, 0], 'top-p', 1, 'keep')).toEqual([0, 1, 2]);
  });

  it.each(['ratio', 'top-k', 'top-p', 'top-p-softmax', 'min-p', 'absolute'] as const)(
    '%s keeps nothing where all groups agree, all but of zeros, and one group alone',
    (kind) => {
      expect(keptOf([0, 0, 0], kind, 1)).toEqual([]);
      expect(keptOf([], kind, 1)).toEqual([]);
      expect(keptOf([1], kind, 1)).toEqual([0]);
      expect(filterGroups([{ totals: [3] }], rule(kind, 1)).reasons).toEqual(['zero-variance']);
    },
  );

  it('breaks ties by the lower index, whatever the order of the totals or rounding', () => {
    const totals = [
      [0.1, 0.7, 0.4],
      [0.7, 0.4, 0.1],
      [0.4, 0.1, 0.7],
    ].map((own) => ({ totals: own }));
    for (const kind of ['ratio', 'top-p'] as const)
      expect(filterGroups(totals, rule(kind, 0.33)).kept).toEqual([0]);
    expect(filterGroups(totals, rule('min-p', 1)).kept).toEqual([0, 1, 2]);
    const [oneOfFive, fourOfFive] = [
      [1, 0, 0, 0, 0],
      [1, 1, 1, 1, 0],
    ].map((own) => ({ totals: own }));
    for (const groups of [
      [oneOfFive!, fourOfFive!],
      [fourOfFive!, oneOfFive!],
    ]) {
      const { kept, scores } = filterGroups(groups, rule('ratio', 0.5));
      expect(scores[0]).not.toBe(scores[1]);
      expect(kept).toEqual([0]);
    }
  });

  it('corrects binary fractions of a share', () => {
    const groups = groupsOf(...Array.from({ length: 100 }, (_, index) => index + 1));
    expect(filterGroups(groups, rule('ratio', 0.29)).kept).toHaveLength(29);
  });

  it('chooses alike whatever the unit of the rewards, unless a score is given', () => {
    for (const kind of ['ratio', 'top-p', 'min-p'] as const) {
      const large = keptOf([1, 4, 0, 2, 3], kind, 0.7);
      expect(
        keptOf(
          [1, 4, 0, 2, 3].map((d) => d / 1e6),
          kind,
          0.7,
        ),
      ).toEqual(large);
    }
  });

  it('takes off what chance explains, by hand', () => {
    // variances 2 and 4.5; of the second, 4 is chance: 0.5 is left. In the third chance is more than all of it
    const groups = [
      { totals: [0, 2], chance: 0 },
      { totals: [0, 3], chance: 4 },
      { totals: [0, 1], chance: 0.75 },
    ];
    const { kept, reasons, numbers, scores } = filterGroups(groups, rule('top-k', 1));
    expect(kept).toEqual([0]);
    expect(reasons).toEqual(['kept', 'low-variance', 'chance']);
    expect([...scores]).toEqual([Math.SQRT2, Math.SQRT1_2, 0].map((x) => expect.closeTo(x, 12) as number));
    expect(numbers[1]).toMatchObject({ chance: 2, rank: 2 });
    expect(
      filterGroups(
        groups.map(({ totals }) => ({ totals })),
        rule('top-k', 1),
      ).kept,
    ).toEqual([1]);
  });

  it.each([
    ['ratio', 0, 'a number in (0, 1]'],
    ['top-p', 1.5, 'a number in (0, 1]'],
    ['min-p', NaN, 'a number in (0, 1]'],
    ['top-k', 1.5, 'an integer of at least 1'],
    ['absolute', -1, 'a number of at least 0'],
  ] as const)('rejects %s with %d', (kind, value, expected) => {
    expect(() => filterGroups(groupsOf(1), rule(kind, value))).toThrow(
      `value is ${value} with kind ${kind}; expected ${expected}`,
    );
  });

  it('rejects totals that are not finite', () => {
    expect(() => filterGroups([{ totals: [0, NaN] }], rule('ratio', 1))).toThrow('group 0 has the total NaN');
  });
});

describe('estimateGroupWeights', () => {
  const weights = (scores: number[], groups: number, options: object) => [
    ...estimateGroupWeights(scores, groups, { scaling: 'none', reweight: 'none', ...options }),
  ];

  it('scales by the kept share or its root, by hand', () => {
    expect(weights([3, 1], 8, {})).toEqual([1, 1]);
    expect(weights([3, 1], 8, { scaling: 'linear' })).toEqual([0.25, 0.25]);
    expect(weights([3, 1], 8, { scaling: 'sqrt' })).toEqual([0.5, 0.5]);
  });

  it('weighs groups by their score, which without differences changes nothing', () => {
    expect(weights([4, 1], 8, { reweight: 'score' })).toEqual([1, 0.25]);
    expect(weights([4, 1], 8, { reweight: 'score', scaling: 'sqrt' })).toEqual([0.5, 0.125]);
    expect(weights([0, 0], 2, { reweight: 'score' })).toEqual([1, 1]);
    expect(weights([], 2, { scaling: 'linear' })).toEqual([]);
  });

  it('rejects more groups kept than there were', () => {
    expect(() => weights([1, 1], 1, {})).toThrow('2 groups kept of 1');
  });
});
