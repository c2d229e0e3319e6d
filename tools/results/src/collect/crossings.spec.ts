import { describe, expect, it } from 'vitest';
import { findCrossings } from './crossings.js';

const points = (...values: number[]) => values.map((value, index) => [index + 1, value] as const);

describe('crossings', () => {
  it('are dated at the second of two iterations whose mean is past the mark', () => {
    const curves = { rewardDeviation: points(0.4, 0.4, 0.1, 0.4, 0.2, 0.1, 0.1) };
    expect(findCrossings(curves)).toEqual([
      { step: 5 + 1, curve: 'rewardDeviation', mark: 'below half of its start', start: 0.4, value: 0.15 },
    ]);
  });

  it('come in the order of steps, one for each mark that was passed', () => {
    const curves = {
      success: points(0.5, 0.5, 0.5, 0.1, 0.1),
      entropy: points(1, 1, 2, 2, 0.1, 0.1),
    };
    expect(findCrossings(curves).map(({ step, curve, mark }) => `${step} ${curve} ${mark}`)).toEqual([
      '4 success 10 points below its start',
      '4 entropy past 1.5 × its start',
      '6 entropy below half of its start',
    ]);
  });

  it('are none where a metric stays near its start, or is too short to have one', () => {
    expect(findCrossings({ success: points(0.5, 0.52, 0.48, 0.5), entropy: points(1) })).toEqual([]);
  });
});
