/**
 * @file The memory of keys and values: per layer one array [rows, K, width, d] whose first rows are fed to graphs as
 * views. A sequence owns a row; rows move only when asked. All rows have one width, which grows.
 */

import type { RuntimeTensor } from '@espalier/runtime';
import { growRows, growWidth } from './sampling-rules.js';

/** Sizes that do not change. */
export interface CacheSlabShape {
  readonly layers: number;
  readonly heads: number; // K
  readonly headSize: number; // d
}

/** Some positions of one row of what a graph computed, [2L, rows, K, length, d]. */
export interface CachePlace {
  readonly row: number;
  readonly rows: number;
  readonly length: number;
  readonly from: number;
  readonly count: number;
}

/** The memory of keys and values. */
export interface CacheMemory {
  readonly shape: CacheSlabShape;
  readonly width: number;
  readonly rows: number;
  /** The first `rows` rows of keys (kind 0) or values (kind 1) of a layer, as a view. */
  tensor(layer: number, kind: 0 | 1, rows: number): RuntimeTensor;
  /** Where graphs write new positions of `rows` rows, [2L, rows, K, length, d]; undefined: wherever they like. */
  receive(rows: number, length: number): RuntimeTensor | undefined;
  /** Makes room; `lengths` are the positions in use per row, which are kept. */
  ensure(rows: number, length: number, lengths: readonly number[]): void;
  /** Copies the first `length` positions of one row to another. */
  copyRow(from: number, to: number, length: number): void;
  /** Exchanges the first `length` positions of two rows. */
  swapRows(a: number, b: number, length: number): void;
  /**
   * Writes new positions of a row.
   *
   * @param source [2L, R, K, T, d] as graphs give it
   * @param place  which of its R rows and which of its T positions
   */
  write(row: number, position: number, source: RuntimeTensor, place: CachePlace): void;
  /**
   * Writes one new position of many rows.
   *
   * @param source    [2L, R, K, 1, d] as decoding gives it
   * @param positions per row where it goes; below 0 = nowhere
   */
  writeStep(source: RuntimeTensor, positions: Int32Array): void | Promise<void>;
  /** Completes moves and writes, before graphs read the cache; may be repeated when it fails. */
  settle(): void | Promise<void>;
  /** Forgets all rows and keeps the memory for the next ones. */
  reset(): void;
  /** Gives the memory back. */
  clear(): void;
}

/** Numbers of the cache; of bfloat16 the bit patterns. */
type CacheArray = Float32Array | Uint16Array;

/** Keys and values in the memory of this process. */
export class CacheSlab implements CacheMemory {
  width = 0;
  #rows = 0;
  /** keys and values, alternating: index 2·layer + (0 keys, 1 values) */
  #arrays: CacheArray[] = [];
  /** one head of one row, for exchanges */
  #scratch: CacheArray;
  /** where a step's new positions go, one per row and head */
  #targets = new Int32Array(0);
  /** keeps the compiler from removing the reads of {@link writeStep} */
  #fetched = 0;

  constructor(
    readonly shape: CacheSlabShape,
    readonly dtype: 'float32' | 'bfloat16' = 'float32',
  ) {
    this.#scratch = this.#create(0);
  }

  #create(length: number): CacheArray {
    return this.dtype === 'bfloat16' ? new Uint16Array(length) : new Float32Array(length);
  }

  get rows(): number {
    return this.#rows;
  }

  tensor(layer: number, kind: 0 | 1, rows: number): RuntimeTensor {
    const { heads, headSize } = this.shape;
    const values = (this.#arrays[2 * layer + kind] as CacheArray).subarray(
      0,
      rows * this.#rowSize(this.width),
    );
    return { dtype: this.dtype, shape: [rows, heads, this.width, headSize], values };
  }

  receive(): undefined {
    return undefined;
  }

  ensure(rows: number, length: number, lengths: readonly number[]): void {
    if (rows <= this.#rows && length <= this.width) return;
    const width = growWidth(this.width, length);
    const rowCount = growRows(this.#rows, rows);
    const size = rowCount * this.#rowSize(width);
    const before = { width: this.width, rows: this.#rows };
    if (this.#arrays.length === 0) {
      this.#arrays = Array.from({ length: 2 * this.shape.layers }, () => this.#create(size));
    } else {
      // Kept in place where it fits: new memory costs its first touch and a collection.
      this.#arrays = this.#arrays.map((old) => {
        const target = old.length >= size ? old : this.#create(size);
        if (before.rows > 0) copyRows(old, before.width, target, width, lengths, this.shape);
        return target;
      });
    }
    this.width = width;
    this.#rows = rowCount;
  }

  copyRow(from: number, to: number, length: number): void {
    const size = this.#rowSize(this.width);
    const { heads, headSize } = this.shape;
    for (const array of this.#arrays) {
      for (let head = 0; head < heads; head += 1) {
        const offset = head * this.width * headSize;
        array.copyWithin(to * size + offset, from * size + offset, from * size + offset + length * headSize);
      }
    }
  }

  swapRows(a: number, b: number, length: number): void {
    const size = this.#rowSize(this.width);
    const { heads, headSize } = this.shape;
    const count = length * headSize;
    if (this.#scratch.length < count) this.#scratch = this.#create(this.width * headSize);
    for (const array of this.#arrays) {
      for (let head = 0; head < heads; head += 1) {
        const offset = head * this.width * headSize;
        const first = a * size + offset;
        const second = b * size + offset;
        this.#scratch.set(array.subarray(first, first + count));
        array.copyWithin(first, second, second + count);
        array.set(this.#scratch.subarray(0, count), second);
      }
    }
  }

  write(row: number, position: number, { values }: RuntimeTensor, place: CachePlace): void {
    const source = values as CacheArray;
    const { heads, headSize } = this.shape;
    const size = this.#rowSize(this.width);
    const chunk = place.count * headSize;
    for (let i = 0; i < this.#arrays.length; i += 1) {
      const array = this.#arrays[i] as CacheArray;
      for (let head = 0; head < heads; head += 1) {
        const from = (((i * place.rows + place.row) * heads + head) * place.length + place.from) * headSize;
        const to = row * size + (head * this.width + position) * headSize;
        array.set(source.subarray(from, from + chunk), to);
      }
    }
  }

  /**
   * Every target lies on a page of its own, so a store would wait for memory each time: reading all of an array's
   * targets first lets the processor fetch them side by side.
   */
  writeStep({ values }: RuntimeTensor, positions: Int32Array): void {
    const source = values as CacheArray;
    const { heads, headSize } = this.shape;
    const size = this.#rowSize(this.width);
    const stride = this.width * headSize;
    const count = positions.length * heads;
    if (this.#targets.length < count) this.#targets = new Int32Array(count);
    const targets = this.#targets;
    positions.forEach((position, row) => {
      const first = row * size + position * headSize;
      for (let head = 0; head < heads; head += 1)
        targets[row * heads + head] = position < 0 ? -1 : first + head * stride;
    });
    this.#arrays.forEach((array, i) => {
      this.#fetched = fetchAll(array, targets, count, headSize);
      scatterChunks(array, targets, count, headSize, source, i * count * headSize);
    });
  }

  settle(): void {}

  reset(): void {
    this.#rows = 0;
    this.width = 0;
  }

  clear(): void {
    this.#arrays = [];
    this.#rows = 0;
    this.width = 0;
  }

  #rowSize(width: number): number {
    return this.shape.heads * width * this.shape.headSize;
  }
}

function copyRows(
  from: CacheArray,
  fromWidth: number,
  to: CacheArray,
  toWidth: number,
  lengths: readonly number[],
  { heads, headSize }: CacheSlabShape,
): void {
  // From the end, so that within one array nothing is overwritten before it has moved.
  for (let index = lengths.length * heads - 1; index >= 0; index -= 1) {
    const count = (lengths[Math.floor(index / heads)] ?? 0) * headSize;
    const source = index * fromWidth * headSize;
    const target = index * toWidth * headSize;
    if (from === to) to.copyWithin(target, source, source + count);
    else to.set(from.subarray(source, source + count), target);
  }
}

/** Reads the first and last entry of every target. */
function fetchAll(array: CacheArray, targets: Int32Array, count: number, width: number): number {
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    const to = targets[index] as number;
    if (to >= 0) sum += (array[to] as number) + (array[to + width - 1] as number);
  }
  return sum;
}

function scatterChunks(
  array: CacheArray,
  targets: Int32Array,
  count: number,
  width: number,
  source: CacheArray,
  start: number,
): void {
  for (let index = 0; index < count; index += 1) {
    const to = targets[index] as number;
    if (to < 0) continue;
    const from = start + index * width;
    for (let j = 0; j < width; j += 1) array[to + j] = source[from + j] as number;
  }
}
