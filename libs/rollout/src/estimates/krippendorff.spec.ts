import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { krippendorffAlpha, type MeasurementLevel, type UnitRatings } from './krippendorff.js';
import { estimatePreference } from './preference.js';

const levels: readonly MeasurementLevel[] = ['nominal', 'ordinal', 'interval'];

/** The ratings of observers, a row each, as units. */
const unitsOf = (...observers: string[]): UnitRatings[] =>
  [...(observers[0] as string)].map((_, u) =>
    observers.map((row) => (row[u] === '.' ? null : Number(row[u]))),
  );

describe("Krippendorff's alpha", () => {
  it('is that of the example of the paper, section C', () => {
    const units = unitsOf('123321412...', '1233224125.3', '.3332342251.', '12332441251.');
    expect(levels.map((level) => krippendorffAlpha(units, level).alpha?.toFixed(3))).toEqual([
      '0.743',
      '0.815',
      '0.849',
    ]);
  });

  it('is that of the binary example of the paper, section A', () => {
    const units = unitsOf('0100000010', '1110010000');
    expect(krippendorffAlpha(units, 'nominal').alpha).toBeCloseTo(0.095, 3);
  });

  it('counts units with two ratings and their ratings', () => {
    expect(
      krippendorffAlpha(
        [
          [1, null],
          [1, 2],
          [2, 2, null],
        ],
        'nominal',
      ),
    ).toMatchObject({
      units: 2,
      ratings: 4,
    });
  });

  it('is undefined where nothing differs or nothing can be paired', () => {
    const none = { alpha: null, low: null, high: null };
    expect(
      krippendorffAlpha(
        [
          [3, 3],
          [3, 3],
        ],
        'ordinal',
      ),
    ).toMatchObject(none);
    expect(
      krippendorffAlpha(
        [
          [1, null],
          [null, 2],
        ],
        'nominal',
      ),
    ).toMatchObject(none);
    expect(krippendorffAlpha([], 'interval')).toMatchObject({ ...none, units: 0 });
  });

  it('has an interval around it that shrinks with the number of units', () => {
    const some = Array.from({ length: 12 }, (_, i) => [i % 3, i % 4 === 0 ? 1 : i % 3]);
    const narrow = krippendorffAlpha([...some, ...some, ...some, ...some], 'nominal');
    const wide = krippendorffAlpha(some, 'nominal');
    for (const { low, alpha, high } of [narrow, wide]) {
      expect(low).toBeLessThan(alpha as number);
      expect(high).toBeGreaterThanOrEqual(alpha as number);
    }
    const width = ({ low, high }: typeof wide): number => (high as number) - (low as number);
    expect(width(narrow)).toBeLessThan(0.7 * width(wide));
    expect(krippendorffAlpha(some, 'nominal')).toEqual(wide);
  });

  const { cases } = JSON.parse(readFileSync(join(goldenFolder('estimates'), 'agreement.json'), 'utf8')) as {
    cases: (Record<MeasurementLevel, number> & { units: UnitRatings[] })[];
  };
  it.each(cases)('is that of the Python package krippendorff', (golden) => {
    for (const level of levels)
      expect(krippendorffAlpha(golden.units, level).alpha).toBeCloseTo(golden[level], 10);
  });
});

it('a preference leaves ties out of the win rate, and counts them', () => {
  expect(estimatePreference([1, 2, -1, 0, 1])).toEqual({
    wins: 3,
    ties: 1,
    losses: 1,
    winRate: 0.75,
    // Wilson 1927 for 3 of 4
    low: expect.closeTo(0.3006, 4),
    high: expect.closeTo(0.9544, 4),
  });
  expect(estimatePreference([0])).toMatchObject({ winRate: null, low: 0, high: 1 });
});
