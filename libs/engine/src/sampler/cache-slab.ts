/**
 * @file The memory of keys and values: per layer one array [rows, K, width, d] whose first rows are fed to graphs as
 * views. A sequence owns a row; rows move only when asked. The width grows in steps of 64 positions and all rows with it.
 */

/** Sizes that do not change. */
export interface CacheSlabShape {
  readonly layers: number;
  readonly heads: number; // K
  readonly headWidth: number; // d
}

/** Widths are multiples of this, so that vector lanes of a softmax fall on the same keys for every width. */
export const WIDTH_STEP = 64;

export class CacheSlab {
  width = 0;
  #rows = 0;
  /** keys and values by turns: index 2·layer + (0 keys, 1 values) */
  #arrays: Float32Array[] = [];

  constructor(readonly shape: CacheSlabShape) {}

  get rows(): number {
    return this.#rows;
  }

  /** The first `rows` rows of keys (kind 0) or values (kind 1) of a layer, as a view. */
  view(layer: number, kind: 0 | 1, rows: number): Float32Array {
    return (this.#arrays[2 * layer + kind] as Float32Array).subarray(0, rows * this.#rowSize(this.width));
  }

  /** Makes room; `lengths` are the positions in use per row, which are kept. */
  ensure(rows: number, length: number, lengths: readonly number[]): void {
    if (rows <= this.#rows && length <= this.width) return;
    const width = length <= this.width ? this.width : growWidth(this.width, length);
    const rowCount = rows <= this.#rows ? this.#rows : Math.max(rows, Math.ceil(this.#rows * 1.5));
    const old = this.#arrays;
    const oldWidth = this.width;
    this.#arrays = Array.from({ length: 2 * this.shape.layers }, (_, i) => {
      const grown = new Float32Array(rowCount * this.#rowSize(width));
      const before = old[i];
      if (before !== undefined) copyRows(before, oldWidth, grown, width, lengths, this.shape);
      return grown;
    });
    this.width = width;
    this.#rows = rowCount;
  }

  /** Copies the first `length` positions of one row to another. */
  copyRow(from: number, to: number, length: number): void {
    const size = this.#rowSize(this.width);
    const { heads, headWidth } = this.shape;
    for (const array of this.#arrays) {
      for (let head = 0; head < heads; head += 1) {
        const offset = head * this.width * headWidth;
        array.copyWithin(to * size + offset, from * size + offset, from * size + offset + length * headWidth);
      }
    }
  }

  /** Exchanges two rows. */
  swapRows(a: number, b: number): void {
    const size = this.#rowSize(this.width);
    for (const array of this.#arrays) {
      const kept = array.slice(a * size, (a + 1) * size);
      array.copyWithin(a * size, b * size, (b + 1) * size);
      array.set(kept, b * size);
    }
  }

  /**
   * Writes new positions of a row.
   *
   * @param source [2L, R, K, T, d] as graphs give it
   * @param place  which of its R rows and how many of its T positions
   */
  write(
    row: number,
    position: number,
    source: Float32Array,
    place: { readonly row: number; readonly rows: number; readonly length: number; readonly count: number },
  ): void {
    const { heads, headWidth } = this.shape;
    const size = this.#rowSize(this.width);
    const chunk = place.count * headWidth;
    for (let i = 0; i < this.#arrays.length; i += 1) {
      const array = this.#arrays[i] as Float32Array;
      for (let head = 0; head < heads; head += 1) {
        const from = ((i * place.rows + place.row) * heads + head) * place.length * headWidth;
        const to = row * size + (head * this.width + position) * headWidth;
        if (chunk > 128) array.set(source.subarray(from, from + chunk), to);
        else for (let j = 0; j < chunk; j += 1) array[to + j] = source[from + j] as number;
      }
    }
  }

  /** Gives the memory back. */
  clear(): void {
    this.#arrays = [];
    this.#rows = 0;
    this.width = 0;
  }

  #rowSize(width: number): number {
    return this.shape.heads * width * this.shape.headWidth;
  }
}

/** At least one step and a fifth more, so that growing costs little in the end. */
function growWidth(width: number, length: number): number {
  return Math.ceil(Math.max(length, width === 0 ? 0 : width * 1.2) / WIDTH_STEP) * WIDTH_STEP;
}

function copyRows(
  from: Float32Array,
  fromWidth: number,
  to: Float32Array,
  toWidth: number,
  lengths: readonly number[],
  { heads, headWidth }: CacheSlabShape,
): void {
  lengths.forEach((length, row) => {
    for (let head = 0; head < heads; head += 1) {
      const start = (row * heads + head) * fromWidth * headWidth;
      to.set(from.subarray(start, start + length * headWidth), (row * heads + head) * toWidth * headWidth);
    }
  });
}
