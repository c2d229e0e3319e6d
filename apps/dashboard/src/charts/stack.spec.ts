import { describe, expect, it } from 'vitest';
import { addRows, type Means, type Series } from './series.js';
import { stackColumns, stackSeries } from './stack.js';

const steps = Array.from({ length: 5000 }, (_, at) => at + 1);
/** Of sixteen groups of each step some are kept, some are flat, and now and then one failed. */
const failed = (step: number): number => (step % 7 === 0 ? 1 : 0);
const flat = (step: number): number => Math.round(6 + 6 * Math.sin(step * 12.9898));
const kept = (step: number): number => 16 - flat(step) - failed(step);

/** As the server decimates: extremes at their own steps, and the means of as many values each. */
function decimated(of: (step: number) => number, size: number, reported = steps): Series {
  const parts: number[][] = [];
  for (let at = 0; at < reported.length; at += size) parts.push(reported.slice(at, at + size));
  const extremes = parts.map((part) =>
    part.reduce((best, step) => (of(step) > of(best) ? step : best), part[0] ?? 0),
  );
  const means: Means = {
    firstSteps: parts.map((part) => part[0] ?? 0),
    lastSteps: parts.map((part) => part.at(-1) ?? 0),
    counts: parts.map((part) => part.length),
    values: parts.map((part) => part.reduce((sum, step) => sum + of(step), 0) / part.length),
    to: reported.at(-1) ?? 0,
  };
  return { steps: extremes, values: extremes.map(of), times: [], isDecimated: true, means };
}
const whole = (of: (step: number) => number, reported: readonly number[]): Series => ({
  steps: reported,
  values: reported.map(of),
  times: [],
  isDecimated: false,
});

describe('parts of a whole', () => {
  it('have the right sum at every place of a run of many steps', () => {
    const {
      steps: places,
      spans,
      own,
      stacked,
    } = stackSeries([
      decimated(kept, 25),
      decimated(flat, 25),
      whole(
        failed,
        steps.filter((step) => failed(step) > 0),
      ),
    ]);
    expect([places.length, spans[0], spans.at(-1)]).toEqual([
      200,
      { from: 0, to: 25 },
      { from: 4976, to: 5000 },
    ]);
    for (const sum of stacked[2] ?? []) expect(sum).toBeCloseTo(16, 9);
    expect(own[2]?.[0]).toBeCloseTo(3 / 25, 9);
  });

  it('lose nothing of a part whose means are over other steps', () => {
    const { own } = stackSeries([
      decimated(kept, 25),
      decimated(
        failed,
        3,
        steps.filter((step) => failed(step) > 0),
      ),
    ]);
    const sum = (own[1] ?? []).reduce<number>((all, mean) => all + 25 * (mean ?? 0), 0);
    expect(sum).toBeCloseTo(Math.floor(5000 / 7), 6);
  });

  it('go on step by step after the means, with what is pushed', () => {
    const known = {
      cursor: 1,
      attempt: 1,
      lastStep: 5000,
      series: { kept: decimated(kept, 25), flat: decimated(flat, 25) },
    };
    const rows = { cursor: 2, steps: [5001, 5002], times: [null, null], attempts: [1, 1] };
    const pushed = addRows(known, {
      ...rows,
      series: [
        { name: 'kept', values: [10, 4], notFinite: [] },
        { name: 'flat', values: [6, 12], notFinite: [] },
      ],
    });
    const { steps: places, spans, stacked } = stackSeries([pushed?.series['kept'], pushed?.series['flat']]);
    expect([places.slice(-2), spans.at(-1), stacked[1]?.slice(-2)]).toEqual([
      [5001, 5002],
      { from: 5002, to: 5002 },
      [16, 16],
    ]);
  });

  it('are drawn step by step where all are known', () => {
    const {
      steps: places,
      own,
      stacked,
    } = stackSeries([whole(kept, [1, 2, 7]), whole(failed, [7]), undefined]);
    expect([places, own[1], stacked[1]]).toEqual([
      [1, 2, 7],
      [undefined, undefined, 1],
      [kept(1), kept(2), kept(7) + 1],
    ]);
  });

  it('are absent where none is reported, and unknown from one that is not finite on', () => {
    expect(
      stackColumns([
        [1, undefined, 2, 2],
        [3, undefined, undefined, null],
        [1, undefined, 1, 1],
      ]),
    ).toEqual([
      [1, null, 2, 2],
      [4, null, 2, null],
      [5, null, 3, null],
    ]);
  });
});
