/**
 * @file Keys and values in the memory of a device: one array [2L, rows, K, width, d], so that a block of every layer is
 * moved by one copy. What graphs compute goes there without a detour over the host.
 */
import { type BlockMemory, MirroredArray, type RuntimeTensor } from '@espalier/runtime';
import type { CacheMemory, CachePlace, CacheSlabShape } from './cache-slab.js';
import { growRows, growWidth } from './sampling-rules.js';
import type { StepWriter } from './step-writer.js';

const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** Blocks of an array, in entries. */
interface Blocks {
  readonly array: MirroredArray;
  readonly start: number;
  readonly pitch: number;
}

export class DeviceCache implements CacheMemory {
  width = 0;
  #rows = 0;
  #array = new MirroredArray(0);
  /** new positions, as graphs write them */
  #received = new MirroredArray(0);
  /** one row of every layer, for exchanges */
  #scratch = new MirroredArray(0);

  constructor(
    readonly shape: CacheSlabShape,
    readonly memory: BlockMemory,
    readonly writer: Pick<StepWriter, 'write'>,
  ) {}

  get rows(): number {
    return this.#rows;
  }

  tensor(layer: number, kind: 0 | 1, rows: number): RuntimeTensor {
    const { heads, headSize } = this.shape;
    const start = (2 * layer + kind) * this.#rows * this.#rowSize(this.width);
    return this.#array.tensor(start, [rows, heads, this.width, headSize]);
  }

  receive(rows: number, length: number): RuntimeTensor {
    const { layers, heads, headSize } = this.shape;
    const shape = [2 * layers, rows, heads, length, headSize];
    const size = shape.reduce((a, b) => a * b, 1);
    if (this.#received.length < size) this.#received = this.#replace(this.#received, size);
    return this.#received.tensor(0, shape);
  }

  ensure(rows: number, length: number, lengths: readonly number[]): void {
    if (rows <= this.#rows && length <= this.width) return;
    const width = growWidth(this.width, length);
    const rowCount = growRows(this.#rows, rows);
    const before = { array: this.#array, width: this.width, rows: this.#rows };
    const { layers, heads, headSize } = this.shape;
    const array = new MirroredArray(2 * layers * rowCount * this.#rowSize(width));
    const kept = Math.min(lengths.length, before.rows);
    // heads of the rows in use, of one layer after the other
    for (let i = 0; kept > 0 && i < 2 * layers; i += 1) {
      this.#copy(
        {
          array: before.array,
          start: i * before.rows * this.#rowSize(before.width),
          pitch: before.width * headSize,
        },
        { array, start: i * rowCount * this.#rowSize(width), pitch: width * headSize },
        before.width * headSize,
        kept * heads,
      );
    }
    before.array.free();
    this.#array = array;
    this.width = width;
    this.#rows = rowCount;
  }

  copyRow(from: number, to: number, length: number): void {
    if (length === 0) return;
    this.#copy(this.#row(from), this.#row(to), this.#rowSize(this.width), 2 * this.shape.layers);
  }

  swapRows(a: number, b: number): void {
    const size = this.#rowSize(this.width);
    const count = 2 * this.shape.layers;
    if (this.#scratch.length < count * size) this.#scratch = this.#replace(this.#scratch, count * size);
    const scratch = { array: this.#scratch, start: 0, pitch: size };
    this.#copy(this.#row(a), scratch, size, count);
    this.#copy(this.#row(b), this.#row(a), size, count);
    this.#copy(scratch, this.#row(b), size, count);
  }

  write(row: number, position: number, source: RuntimeTensor, place: CachePlace): void {
    const { heads, headSize } = this.shape;
    if (place.count <= 0) return;
    const layer = place.rows * heads * place.length * headSize;
    for (let head = 0; head < heads; head += 1) {
      const first = ((place.row * heads + head) * place.length + place.from) * headSize;
      this.#place(row, head, position, { array: arrayOf(source), start: first, pitch: layer }, place.count);
    }
  }

  writeStep(source: RuntimeTensor, positions: Int32Array): Promise<void> {
    const { layers, heads, headSize } = this.shape;
    const row = heads * this.width;
    const rows = [...positions.keys()].filter((r) => (positions[r] as number) >= 0);
    const places = {
      rows,
      first: rows.map((r) => r * row + (positions[r] as number)),
      further: BigInt64Array.from({ length: 2 * layers * heads }, (_, i) =>
        BigInt(Math.floor(i / heads) * this.#rows * row + (i % heads) * this.width),
      ),
    };
    const vectors = 2 * layers * this.#rows * row;
    return this.writer.write(this.#array.tensor(0, [vectors, headSize]), source, places);
  }

  settle(): void {}

  reset(): void {
    this.#rows = 0;
    this.width = 0;
    this.#array.free();
    this.#array = new MirroredArray(0);
  }

  clear(): void {
    this.reset();
    for (const array of [this.#received, this.#scratch]) array.free();
    this.#received = new MirroredArray(0);
    this.#scratch = new MirroredArray(0);
  }

  /** Writes positions of one head in all layers. */
  #place(row: number, head: number, position: number, from: Blocks, count: number): void {
    const { layers, headSize } = this.shape;
    const { array, start, pitch } = this.#row(row);
    const to = { array, start: start + (head * this.width + position) * headSize, pitch };
    this.#copy(from, to, count * headSize, 2 * layers);
  }

  /** A row in every layer. */
  #row(row: number): Blocks {
    const size = this.#rowSize(this.width);
    return { array: this.#array, start: row * size, pitch: this.#rows * size };
  }

  #copy(from: Blocks, to: Blocks, width: number, count: number): void {
    this.memory.copyBlocks({
      from: this.#addressOf(from),
      fromPitch: from.pitch * BYTES,
      to: this.#addressOf(to),
      toPitch: to.pitch * BYTES,
      width: width * BYTES,
      count,
    });
    to.array.noteDeviceWrite();
  }

  #addressOf({ array, start }: Blocks): bigint {
    return array.onDevice(this.memory) + BigInt(start * BYTES);
  }

  #replace(array: MirroredArray, length: number): MirroredArray {
    array.free();
    return new MirroredArray(length);
  }

  #rowSize(width: number): number {
    return this.shape.heads * width * this.shape.headSize;
  }
}

function arrayOf({ mirror }: RuntimeTensor): MirroredArray {
  if (mirror === undefined) throw new TypeError('the cache of a device takes positions from its own memory');
  return mirror.array;
}
