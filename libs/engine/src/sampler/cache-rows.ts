/** @file Who owns which row of the cache. Rows of idle sequences stay where they are until decoding wants a denser block. */
import type { CacheMemory } from './cache-slab.js';
import { type LiveSequence, ownLength } from './live-sequence.js';
import type { PrefixRows } from './prefix-rows.js';
import { isDense, LEAST_ROWS } from './sampling-rules.js';

export class CacheRows {
  readonly #owners: (LiveSequence | undefined)[] = [];

  constructor(
    readonly slab: CacheMemory,
    readonly prefixes: PrefixRows,
  ) {}

  /** Gives rows to sequences that have none, lowest first, and makes room for `length` positions in all rows. */
  assign(sequences: readonly LiveSequence[], length: number): void {
    let free = 0;
    for (const sequence of sequences) {
      if (sequence.row >= 0) continue;
      while (this.#owners[free] !== undefined) free += 1;
      this.#owners[free] = sequence;
      sequence.row = free;
    }
    this.slab.ensure(
      Math.max(LEAST_ROWS, this.#owners.length),
      length,
      this.#owners.map((owner) => (owner === undefined ? 0 : ownLength(owner))),
    );
  }

  /** Takes the row of a sequence back, and its prefix. */
  free(sequence: LiveSequence): void {
    this.prefixes.leave(sequence);
    if (sequence.row >= 0) this.#owners[sequence.row] = undefined;
    sequence.row = -1;
    sequence.cached = 0;
    while (this.#owners.length > 0 && this.#owners[this.#owners.length - 1] === undefined)
      this.#owners.length -= 1;
    if (this.#owners.length === 0) this.slab.reset();
  }

  /** Moves active sequences to the front when too few of the rows up to the last one are active. */
  compact(active: readonly LiveSequence[]): void {
    const reach = 1 + active.reduce((most, { row }) => Math.max(most, row), 0);
    if (isDense(active.length, reach)) return;
    const isActive = new Set(active);
    let hole = 0;
    for (const sequence of [...active].sort((a, b) => b.row - a.row)) {
      while (hole < active.length && isActive.has(this.#owners[hole] as LiveSequence)) hole += 1;
      if (hole >= active.length || sequence.row < active.length) break;
      this.#move(sequence, hole);
    }
  }

  clear(): void {
    this.#owners.length = 0;
    this.slab.clear();
    this.prefixes.clear();
  }

  #move(sequence: LiveSequence, row: number): void {
    const from = sequence.row;
    const other = this.#owners[row];
    const length = ownLength(sequence);
    const otherLength = other === undefined ? 0 : ownLength(other);
    if (otherLength === 0) this.slab.copyRow(from, row, length);
    else this.slab.swapRows(from, row, Math.max(length, otherLength));
    this.#owners[row] = sequence;
    this.#owners[from] = other;
    sequence.row = row;
    if (other !== undefined) other.row = from;
  }
}
