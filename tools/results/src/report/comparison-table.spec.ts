import { describe, expect, it } from 'vitest';
import type { EntryResult } from '../collect/result.js';
import type { Matrix } from '../matrix.js';
import { comparisonSection } from './comparison-table.js';

const entry = (name: string, seeds: readonly Record<number, number>[]): EntryResult =>
  ({
    name,
    seeds: seeds.map((validations, index) => ({
      seed: index + 1,
      validations: Object.entries(validations).map(([step, success]) => ({ step: Number(step), success })),
    })),
  }) as unknown as EntryResult;

const compareWith = { title: 'Compared with float32', docs: 'docs/results' };
const matrixOf = (other?: string) =>
  ({ compareWith, entries: [{ name: 'lake-bf16', compareWith: other }] }) as unknown as Matrix;

const section = (ours: readonly Record<number, number>[], theirs: readonly Record<number, number>[]) =>
  comparisonSection(matrixOf('lake'), new Map([['lake-bf16', entry('lake-bf16', ours)]]), [
    entry('lake', theirs),
  ]).at(-1);

describe('comparisonSection', () => {
  it('pairs seeds at the last iteration that both validated', () => {
    // differences 0.01, 0.02, 0.06: mean 0.03, deviation √7 / 100, t(2) = 4.303: half width 6.573 points
    const ours = [
      { 20: 0.4, 40: 0.51 },
      { 20: 0.4, 40: 0.52 },
      { 20: 0.4, 40: 0.56 },
    ];
    const theirs = [{ 40: 0.5, 110: 0.9 }, { 40: 0.5, 110: 0.1 }, { 40: 0.5 }];
    expect(section(ours, theirs)?.split('\n').at(-1)).toBe(
      '| [lake-bf16](#lake-bf16) | `lake` | 40 | +1.0, +2.0, +6.0 | +3.0 [-3.6, 9.6] |',
    );
  });

  it('leaves out seeds and iterations that only one side has, and the interval of a single seed', () => {
    expect(
      section([{ 20: 0.5 }, { 20: 0.5 }], [{ 20: 0.6, 40: 0.7 }])
        ?.split('\n')
        .at(-1),
    ).toBe('| [lake-bf16](#lake-bf16) | `lake` | 20 | −10.0 | −10.0 |');
  });

  it('is absent where there is nothing to compare with', () => {
    const ours = new Map([['lake-bf16', entry('lake-bf16', [{ 20: 0.5 }])]]);
    expect(comparisonSection(matrixOf(), ours, [])).toEqual([]);
    expect(comparisonSection({ ...matrixOf('lake'), compareWith: undefined }, ours, [])).toEqual([]);
    expect(comparisonSection(matrixOf('lake'), ours, [])).toEqual([]);
  });
});
