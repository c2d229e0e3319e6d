/**
 * @file Keys and values on a device whose memory is buffers that a run reads or writes as a whole: an array
 * [rows, K, width, d] for each layer's keys and values. Moves and writes are gathered, and one run does them in all layers.
 */
import { MirroredArray, type RuntimeTensor } from '@espalier/runtime';
import type { CacheMover, CacheMoves } from './cache-mover.js';
import type { CacheMemory, CachePlace, CacheSlabShape } from './cache-slab.js';
import { growRows, growWidth } from './sampling-rules.js';

/** Positions of a row that come from what a graph computed. */
interface PendingWrite {
  readonly row: number;
  readonly position: number;
  readonly place: CachePlace;
}

interface Size {
  readonly rows: number;
  readonly width: number;
}

export class BufferCache implements CacheMemory {
  #size: Size = { rows: 0, width: 0 };
  /** what {@link #arrays} have, until moves are done */
  #stored: Size = { rows: 0, width: 0 };
  /** keys and values, alternating: index 2·layer + (0 keys, 1 values) */
  #arrays: MirroredArray[] = [];
  /** new positions, as graphs write them */
  #received: MirroredArray | undefined;
  /** the stored row that each row has; those beyond have none */
  #origins: number[] = [];
  #isMoved = false;
  #source: RuntimeTensor | undefined;
  #writes: PendingWrite[] = [];

  constructor(
    readonly shape: CacheSlabShape,
    readonly mover: Pick<CacheMover, 'move'>,
  ) {}

  get rows(): number {
    return this.#size.rows;
  }

  get width(): number {
    return this.#size.width;
  }

  tensor(layer: number, kind: 0 | 1, rows: number): RuntimeTensor {
    const { heads, headSize } = this.shape;
    const array = this.#arrays[2 * layer + kind];
    if (array === undefined || this.#isMoved || this.#writes.length > 0)
      throw new TypeError('the cache is read before its moves are done');
    return array.tensor(0, [rows, heads, this.width, headSize]);
  }

  receive(rows: number, length: number): RuntimeTensor {
    const { layers, heads, headSize } = this.shape;
    const shape = [2 * layers, rows, heads, length, headSize];
    this.#received?.free();
    this.#received = new MirroredArray(shape.reduce((a, b) => a * b, 1));
    return this.#received.tensor(0, shape);
  }

  ensure(rows: number, length: number, lengths: readonly number[]): void {
    if (rows <= this.rows && length <= this.width) return;
    this.#size = { rows: growRows(this.rows, rows), width: growWidth(this.width, length) };
    this.#origins.length = Math.min(this.#origins.length, lengths.length);
    this.#isMoved = true;
  }

  copyRow(from: number, to: number): void {
    this.#origins[to] = this.#origins[from] ?? -1;
    this.#isMoved = true;
  }

  swapRows(a: number, b: number): void {
    const [first, second] = [this.#origins[a] ?? -1, this.#origins[b] ?? -1];
    this.#origins[a] = second;
    this.#origins[b] = first;
    this.#isMoved = true;
  }

  write(row: number, position: number, source: RuntimeTensor, place: CachePlace): void {
    if (place.count <= 0) return;
    this.#source = source;
    this.#writes.push({ row, position, place });
  }

  writeStep(source: RuntimeTensor, positions: Int32Array): Promise<void> {
    const place = { rows: positions.length, length: 1, from: 0, count: 1 };
    positions.forEach((position, row) => {
      if (position >= 0) this.write(row, position, source, { ...place, row });
    });
    return this.settle();
  }

  async settle(): Promise<void> {
    if (!this.#isMoved && this.#writes.length === 0) return;
    const { heads, headSize } = this.shape;
    const count = this.rows * heads * this.width;
    const isKept = this.rows === this.#stored.rows && this.width === this.#stored.width;
    const targets = isKept ? this.#arrays : this.#createArrays(count * headSize);
    try {
      await this.mover.move(
        this.#tensors(this.#arrays),
        this.#source,
        this.#planMoves(),
        this.#tensors(targets),
      );
    } catch (error) {
      // to be repeated
      if (!isKept) for (const array of targets) array.free();
      throw error;
    }
    if (!isKept) for (const array of this.#arrays) array.free();
    this.#arrays = targets;
    this.#stored = this.#size;
    this.#origins = Array.from({ length: this.rows }, (_, row) => row);
    this.#isMoved = false;
    this.#writes = [];
    this.#source = undefined;
    this.#received?.free();
    this.#received = undefined;
  }

  reset(): void {
    for (const array of this.#arrays) array.free();
    this.#arrays = [];
    this.#size = { rows: 0, width: 0 };
    this.#stored = this.#size;
    this.#origins = [];
    this.#writes = [];
    this.#isMoved = false;
  }

  clear(): void {
    this.reset();
    this.#received?.free();
    this.#received = undefined;
  }

  #createArrays(length: number): MirroredArray[] {
    return Array.from({ length: 2 * this.shape.layers }, () => new MirroredArray(length));
  }

  #tensors(arrays: readonly MirroredArray[]): RuntimeTensor[] {
    const { headSize } = this.shape;
    return arrays.map((array) => array.tensor(0, [array.length / headSize, headSize]));
  }

  /** Where each vector of the cache comes from. Rows without an origin get any numbers: nobody reads them, but they are numbers. */
  #planMoves(): CacheMoves {
    const { heads } = this.shape;
    const { rows, width } = this.#size;
    const stored = this.#stored;
    const count = rows * heads * width;
    const moves = {
      fromCache: new Int32Array(count),
      fromSource: new Int32Array(count),
      isNew: new Uint8Array(count),
    };
    const common = Math.min(width, stored.width);
    for (let row = 0; row < rows; row += 1) {
      const origin = this.#origins[row] ?? -1;
      if (origin < 0) continue;
      for (let head = 0; head < heads; head += 1) {
        const to = (row * heads + head) * width;
        const from = (origin * heads + head) * stored.width;
        for (let i = 0; i < common; i += 1) moves.fromCache[to + i] = from + i;
      }
    }
    for (const { row, position, place } of this.#writes) {
      for (let head = 0; head < heads; head += 1) {
        const to = (row * heads + head) * width + position;
        const from = (place.row * heads + head) * place.length + place.from;
        moves.isNew.fill(1, to, to + place.count);
        for (let i = 0; i < place.count; i += 1) moves.fromSource[to + i] = from + i;
      }
    }
    return moves;
  }
}
