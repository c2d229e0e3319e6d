/**
 * @file Loops over row-major arrays for plain evaluation: strides, broadcasting, slices along an axis. Clear, not fast.
 */
import type { EvaluateContext, NumericArray } from './op.js';
import { type DType, isFloat } from './tensor.js';

/** The number of entries of a shape of numbers. */
export function sizeOf(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}

/** Distances between neighbours along each axis of a row-major array. */
export function stridesOf(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) {
    strides[axis] = (strides[axis + 1] as number) * (shape[axis + 1] as number);
  }
  return strides;
}

/** For every entry of `shape`, the position in an array that broadcasts to it. */
export function broadcastPositions(from: readonly number[], shape: readonly number[]): Int32Array {
  const strides = stridesOf(from);
  const offset = shape.length - from.length;
  const steps = shape.map((_, axis) =>
    axis < offset || from[axis - offset] === 1 ? 0 : (strides[axis - offset] as number),
  );
  return positions(shape, steps);
}

/** For every entry of `shape` in row-major order, the sum of index times step over all axes. */
export function positions(shape: readonly number[], steps: readonly number[]): Int32Array {
  const result = new Int32Array(sizeOf(shape));
  const index = new Array<number>(shape.length).fill(0);
  let position = 0;
  for (let i = 0; i < result.length; i += 1) {
    result[i] = position;
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      position += steps[axis] as number;
      const next = (index[axis] as number) + 1;
      if (next < (shape[axis] as number)) {
        index[axis] = next;
        break;
      }
      position -= next * (steps[axis] as number);
      index[axis] = 0;
    }
  }
  return result;
}

/** Fills the first output entry by entry from broadcast inputs. */
export function mapBroadcast(
  { inputs, outputs }: EvaluateContext<unknown>,
  compute: (...entries: number[]) => number,
): void {
  const output = outputs[0] as NumericArray;
  if (mapAligned(inputs, output, compute)) return;
  const places = inputs.map((input) => broadcastPositions(input.shape, output.shape));
  const entries = new Array<number>(inputs.length);
  for (let i = 0; i < output.values.length; i += 1) {
    for (let k = 0; k < inputs.length; k += 1) {
      entries[k] = (inputs[k] as NumericArray).values[(places[k] as Int32Array)[i] as number] as number;
    }
    output.values[i] = compute(...entries);
  }
}

/** Does the same where every input is a single number or has the output's shape; false: it is not so simple. */
function mapAligned(
  inputs: readonly NumericArray[],
  output: NumericArray,
  compute: (...entries: number[]) => number,
): boolean {
  const size = output.values.length;
  const strides = inputs.map(({ shape, values }) => {
    if (values.length === 1) return 0;
    const isAligned = values.length === size && shape.length === output.shape.length;
    return isAligned ? 1 : undefined;
  });
  if (inputs.length > 3 || strides.includes(undefined)) return false;
  const [a, b, c] = inputs.map(({ values }) => values);
  const [atA = 0, atB = 0, atC = 0] = strides as number[];
  const results = output.values;
  if (a === undefined) return false;
  if (b === undefined) for (let i = 0; i < size; i += 1) results[i] = compute(a[i * atA] as number);
  else if (c === undefined)
    for (let i = 0; i < size; i += 1) results[i] = compute(a[i * atA] as number, b[i * atB] as number);
  else
    for (let i = 0; i < size; i += 1)
      results[i] = compute(a[i * atA] as number, b[i * atB] as number, c[i * atC] as number);
  return true;
}

/** Calls `visit` with the entries along `axis` for each position of the other axes, and their offset and stride. */
export function forEachLane(
  array: NumericArray,
  axis: number,
  visit: (lane: Float64Array, start: number, step: number, laneIndex: number) => void,
): void {
  const length = array.shape[axis] as number;
  const step = sizeOf(array.shape.slice(axis + 1));
  const outer = sizeOf(array.shape.slice(0, axis));
  const lane = new Float64Array(length);
  for (let o = 0; o < outer; o += 1) {
    for (let inner = 0; inner < step; inner += 1) {
      const start = o * length * step + inner;
      for (let i = 0; i < length; i += 1) lane[i] = array.values[start + i * step] as number;
      visit(lane, start, step, o * step + inner);
    }
  }
}

/** Creates an array of zeros; floating-point entries have the given precision, all others are exact. */
export function createArray(
  dtype: DType,
  shape: readonly number[],
  precision: 'float64' | 'float32',
): NumericArray {
  const isRounded = precision === 'float32' && dtype !== 'float64' && isFloat(dtype);
  const count = sizeOf(shape);
  return { dtype, shape, values: isRounded ? new Float32Array(count) : new Float64Array(count) };
}
