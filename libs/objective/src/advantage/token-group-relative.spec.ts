import { describe, expect, it } from 'vitest';
import { estimateGroupAdvantages } from './group-relative.js';
import { estimateTokenGroupAdvantages, type TokenGroupInput } from './token-group-relative.js';

const input = (totals: number[], evidence: number[][], groups = totals.map(() => 0)): TokenGroupInput => ({
  totals,
  groups,
  evidence: evidence.map((own) => Float64Array.from(own)),
  lossMask: evidence.map((own) => own.map(() => 1)),
});
const rounded = (arrays: readonly Float64Array[]) =>
  arrays.map((own) => [...own].map((value) => Number(value.toFixed(6)) + 0));

describe('estimateTokenGroupAdvantages', () => {
  it('credits evidence to the tokens up to it and not to those after it', () => {
    // Total 1.5 = 1 outcome + 0.5 evidence on token 1; the other has neither. Mean total 0.75, mean evidence 0.25.
    // First: 1.5 - 0.75 = 0.75 up to token 1, then without 0.5 - 0.25: 0.5. Second: -0.75 throughout, as it has no
    // piece along which the mean could be taken off.
    const { raw, normalized } = estimateTokenGroupAdvantages(
      input(
        [1.5, 0],
        [
          [0, 0.5, 0, 0],
          [0, 0, 0, 0],
        ],
      ),
      'group',
    );
    expect(rounded(raw)).toEqual([
      [0.75, 0.75, 0.5, 0.5],
      [-0.75, -0.75, -0.75, -0.75],
    ]);
    const std = Math.sqrt(2 * 0.75 ** 2) + 1e-6; // divisor n - 1
    expect(normalized[0]?.[0]).toBeCloseTo(0.75 / std, 12);
    expect(normalized[0]?.[2]).toBeCloseTo(0.5 / std, 12);
  });

  it('credits nothing for an average amount of evidence', () => {
    const { raw } = estimateTokenGroupAdvantages(
      input(
        [0.5, 0.5],
        [
          [0.5, 0, 0],
          [0, 0.25, 0.25],
        ],
      ),
      'none',
    );
    // it was earned early in one and late in the other: between them they differ, at the ends they do not
    expect(rounded(raw)).toEqual([
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });

  it('equals the advantages of trajectories where no evidence is', () => {
    const totals = [1, 0, 0.5, 2];
    const groups = [0, 0, 1, 1];
    const none = totals.map(() => [0, 0]);
    for (const normalization of ['group', 'batch', 'none', 'mean'] as const) {
      const { normalized } = estimateTokenGroupAdvantages(input(totals, none, groups), normalization);
      const whole = estimateGroupAdvantages(totals, groups, normalization);
      expect(rounded(normalized)).toEqual(rounded([...whole].map((value) => Float64Array.of(value, value))));
    }
  });

  it('stays finite where totals are equal and their evidence is not', () => {
    const { raw, normalized } = estimateTokenGroupAdvantages(
      input(
        [0, 0],
        [
          [0.1, 0, -0.1],
          [0, 0, 0],
        ],
      ),
      'group',
    );
    expect(rounded(raw)).toEqual([
      [0, -0.1, -0.1],
      [0, 0, 0],
    ]);
    // no larger than the advantage of the larger of two totals, 1/√2
    expect(normalized[0]?.[1]).toBeCloseTo(-Math.SQRT1_2, 6);
  });

  it('gives a group of one its own total', () => {
    const { raw } = estimateTokenGroupAdvantages(input([1], [[0.5, 0]]), 'group');
    expect(rounded(raw)).toEqual([[1, 0.5]]);
  });
});
