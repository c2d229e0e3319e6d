import { describe, expect, it } from 'vitest';
import {
  addRows,
  alignLines,
  firstValue,
  type MetricRows,
  type RunMetrics,
  type Series,
  valueAt,
} from './series.js';

const seriesOf = (steps: number[], values: (number | null)[], isDecimated = false): Series => ({
  steps,
  values,
  times: [],
  isDecimated,
});
const known: RunMetrics = {
  cursor: 10,
  attempt: 1,
  lastStep: 2,
  series: { loss: seriesOf([1, 2], [5, 4]) },
};
/** Rows are reported at the thousandfold of their step. */
const rowsOf = (
  cursor: number,
  steps: number[],
  attempts: number[],
  values: (number | null)[],
  name = 'loss',
  notFinite: number[] = [],
) => ({
  cursor,
  steps,
  attempts,
  times: steps.map((step) => step * 1000),
  series: [{ name, values, notFinite }],
});

/** Rows of no later attempt. */
function add(before: RunMetrics, rows: MetricRows): RunMetrics {
  const next = addRows(before, rows);
  if (next === undefined) throw new Error('the history has to be read again');
  return next;
}

describe('pushed rows', () => {
  it('follow what is known, with new metrics', () => {
    const next = add(known, rowsOf(12, [3, 4], [1, 1], [3, 2]));
    expect(next.series['loss']).toEqual(seriesOf([1, 2, 3, 4], [5, 4, 3, 2]));
    expect([next.cursor, next.lastStep]).toEqual([12, 4]);
    expect(add(next, rowsOf(13, [5], [1], [1], 'new')).series['new']).toEqual(seriesOf([5], [1]));
  });

  it('are taken once', () => {
    expect(addRows(known, rowsOf(10, [2], [1], [9]))).toBe(known);
  });

  it('do not turn what is absent into a number', () => {
    expect(add(known, rowsOf(11, [3], [1], [null])).series['loss']).toEqual(known.series['loss']);
  });

  it('tell a value that is not finite from one that is absent', () => {
    const next = add(known, rowsOf(12, [3, 4], [1, 1], [null, null], 'loss', [1]));
    expect(next.series['loss']).toEqual(seriesOf([1, 2, 4], [5, 4, null]));
    expect(valueAt(next.series['loss'])).toBeNull();
  });

  it('give a second row of a step, such as its validation, to the same step', () => {
    const next = add(known, rowsOf(11, [2], [1], [0.5], 'validation'));
    expect(next.series['loss']).toEqual(known.series['loss']);
    expect(next.series['validation']).toEqual(seriesOf([2], [0.5]));
  });

  it('of an attempt that has begun since ask for the history, as they alone do not tell what still counts', () => {
    expect(addRows(known, rowsOf(11, [2], [2], [8]))).toBeUndefined();
    expect(addRows(known, rowsOf(12, [3, 3], [1, 2], [8, 7]))).toBeUndefined();
    expect(addRows(known, rowsOf(10, [2], [2], [8]))).toBe(known);
  });

  it('bring the times of phases, and of nothing else', () => {
    const name = 'time/save_seconds';
    const first = add(known, rowsOf(12, [3, 4], [1, 1], [1, 1], name));
    expect(first.series[name]).toEqual({ ...seriesOf([3, 4], [1, 1]), times: [3000, 4000] });
    const again = add(first, rowsOf(13, [4], [1], [2], name));
    expect(again.series[name]).toEqual({ ...seriesOf([3, 4], [1, 2]), times: [3000, 4000] });
  });
});

it('means stay as they are when later steps are pushed', () => {
  const means = { firstSteps: [1, 11], lastSteps: [10, 20], counts: [10, 10], values: [3, 4], to: 20 };
  const long = { ...known, lastStep: 20, series: { loss: { ...seriesOf([4, 15], [1, 9], true), means } } };
  expect(add(long, rowsOf(11, [21], [1], [5])).series['loss']?.means).toEqual(means);
});

describe('lines of a chart', () => {
  it('break where a metric of every step is missing or no number, and pass over steps of a sparse one', () => {
    const { steps, columns } = alignLines([
      { series: seriesOf([1, 2, 4], [1, null, 3]), isSparse: false },
      { series: seriesOf([0, 3], [7, 9]), isSparse: true },
      { series: undefined, isSparse: false },
    ]);
    expect(steps).toEqual([0, 1, 2, 3, 4]);
    expect(columns).toEqual([
      [null, 1, null, null, 3],
      [7, undefined, undefined, 9, undefined],
      [null, null, null, null, null],
    ]);
  });

  it('say nothing about steps that decimation left out', () => {
    const { columns } = alignLines([
      { series: seriesOf([1, 9], [1, 2], true), isSparse: false },
      { series: seriesOf([5], [1]), isSparse: false },
    ]);
    expect(columns[0]).toEqual([1, undefined, 2]);
  });

  it('have a value at a step, or the newest before it', () => {
    const series = seriesOf([0, 4], [1, 2]);
    expect([valueAt(series), valueAt(series, 3), valueAt(series, 4), valueAt(undefined)]).toEqual([
      2,
      1,
      2,
      undefined,
    ]);
    expect(firstValue(seriesOf([0, 1], [null, 3]))).toBe(3);
    expect(valueAt(seriesOf([2], [1]), 1)).toBeUndefined();
  });
});
