/** @file Collects the values of a series from its blocks and newest rows, without superseded ones. */
import { decodeValues, unpackSteps, unpackTimes } from './build-blocks.js';
import type { MetricBlock } from '../../database/entities/metric-block.js';
import type { MetricRow } from './build-blocks.js';

/** Which values of a series count: a range of steps, and of each attempt those up to the start of the next. */
export interface Scope {
  readonly fromStep: number;
  readonly toStep: number;
  readonly cuts: (attempt: number) => number;
}

/** The columns of a block that are needed to unpack it. */
export type PackedBlock = Pick<
  MetricBlock,
  | 'attempt'
  | 'firstCursor'
  | 'firstStep'
  | 'firstTime'
  | 'count'
  | 'packedSteps'
  | 'packedTimes'
  | 'packedValues'
>;

/** Steps, times and values of a series; NaN where there is no number. */
export class SeriesValues {
  private readonly allSteps: Int32Array;
  private readonly allTimes: Float64Array;
  private readonly allValues: Float64Array;
  private length = 0;

  /** @param capacity values at most */
  constructor(capacity: number) {
    this.allSteps = new Int32Array(capacity);
    this.allTimes = new Float64Array(capacity);
    this.allValues = new Float64Array(capacity);
  }

  get steps(): Int32Array {
    return this.allSteps.subarray(0, this.length);
  }

  /** ms since the epoch */
  get times(): Float64Array {
    return this.allTimes.subarray(0, this.length);
  }

  get values(): Float64Array {
    return this.allValues.subarray(0, this.length);
  }

  /** Adds the values of a block that count. */
  addBlock(block: PackedBlock, { fromStep, toStep, cuts }: Scope): void {
    const { firstStep, firstTime, count, packedSteps, packedTimes, packedValues } = block;
    const values = decodeValues(packedValues, count);
    const offsets = unpackTimes(packedTimes, count);
    const end = Math.min(toStep, cuts(block.attempt));
    if (packedSteps !== '') {
      const steps = unpackSteps(packedSteps);
      for (let index = 0; index < count; index += 1) {
        const step = steps[index] as number;
        if (step >= fromStep && step <= end)
          this.add(step, firstTime + (offsets[index] as number), values[index] as number);
      }
      return;
    }
    const from = Math.max(0, fromStep - firstStep);
    const last = Math.min(count - 1, end - firstStep);
    if (last < from) return;
    this.allValues.set(values.subarray(from, last + 1), this.length);
    for (let index = from; index <= last; index += 1) {
      this.allTimes[this.length] = firstTime + (offsets[index] as number);
      this.allSteps[this.length++] = firstStep + index;
    }
  }

  /** Adds the values that count of rows in no block. */
  addRows(rows: readonly MetricRow[], name: string, { fromStep, toStep, cuts }: Scope): void {
    for (const { attempt, step, time, values } of rows) {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value === undefined || step < fromStep || step > toStep || step > cuts(attempt)) continue;
      this.add(step, time, value ?? Number.NaN);
    }
  }

  private add(step: number, time: number, value: number): void {
    this.allSteps[this.length] = step;
    this.allTimes[this.length] = time;
    this.allValues[this.length] = value;
    this.length += 1;
  }
}
