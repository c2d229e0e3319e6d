import { describe, expect, it } from 'vitest';
import type { MetricBlock } from '../../database/entities/metric-block.js';
import { buildBlocks, type MetricRow } from './build-blocks.js';
import { mergeBuckets, toBuckets, toLine } from './decimate.js';
import { SeriesValues } from './series-values.js';

/** Numbers that look random and are the same each time. */
function noise(count: number, seed = 1): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648 - 0.5;
  });
}

function unpack(block: MetricBlock): SeriesValues {
  const series = new SeriesValues(block.count);
  series.addBlock(block, { fromStep: 0, toStep: Infinity, cuts: () => Infinity });
  return series;
}

const start = Date.UTC(2026, 0, 1);

describe('decimation', () => {
  it('keeps every bucket’s extremes at their own steps, however buckets are merged', () => {
    const values = noise(10_000).map((value, index) => (index % 97 === 0 ? Number.NaN : value * index));
    const steps = values.map((_, index) => index * 3);
    const times = steps.map((step) => start + step * 1000);
    for (const [size, merged] of [
      [1, 7],
      [13, 5],
      [256, 4],
      [10_000, 1],
    ] as const) {
      const buckets = mergeBuckets(toBuckets({ steps, times, values }, size), merged);
      const line = toLine(buckets);
      expect(line.steps.length).toBeLessThanOrEqual(2 * Math.ceil(10_000 / (size * merged)));
      expect(line.steps).toEqual([...line.steps].sort((a, b) => a - b));
      expect(line.times).toEqual(line.steps.map((step) => start + step * 1000));
      buckets.forEach((bucket, index) => {
        const from = index * size * merged;
        const part = values.slice(from, from + size * merged).filter((value) => !Number.isNaN(value));
        expect(bucket).toMatchObject({
          min: Math.min(...part),
          max: Math.max(...part),
          numbers: part.length,
        });
        expect(values[bucket.minStep / 3]).toBe(bucket.min);
        expect(values[bucket.maxStep / 3]).toBe(bucket.max);
      });
    }
  });

  it('draws a bucket without numbers as one empty point', () => {
    const empty = { steps: [4, 5], times: [40, 50], values: [Number.NaN, Number.NaN] };
    expect(toLine(toBuckets(empty, 2))).toEqual({ steps: [4], times: [40], values: [null] });
  });
});

describe('a block of values', () => {
  it('gives back what was packed, whatever the steps', () => {
    const rows: MetricRow[] = noise(50).map((value, index) => ({
      cursor: index + 1,
      attempt: 1,
      step: index < 20 ? index : index * 2,
      time: start + index * index * 10_000_000,
      values: { a: value, ...(index % 10 === 0 ? { b: null } : {}) },
    }));
    const [a, b] = buildBlocks('r', rows);
    if (a === undefined || b === undefined) throw new Error('two blocks expected');
    expect([...unpack(a).values]).toEqual(noise(50));
    expect([...unpack(a).steps]).toEqual(rows.map(({ step }) => step));
    expect([...unpack(a).times]).toEqual(rows.map(({ time }) => time));
    expect(b).toMatchObject({ count: 5, numbers: 0, min: null, max: null });
    expect([...unpack(b).values]).toEqual(Array(5).fill(Number.NaN));
  });

  it('needs no room for consecutive steps', () => {
    const rows = [7, 8, 9].map((step) => ({
      cursor: step,
      attempt: 1,
      step,
      time: start + step,
      values: { a: step },
    }));
    const [block] = buildBlocks('r', rows);
    expect(block?.packedSteps).toBe('');
    expect(block && [...unpack(block).steps]).toEqual([7, 8, 9]);
  });
});
