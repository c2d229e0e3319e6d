/**
 * @file Prefixes that sequences declared to share: each is cached once, in a slab of its own, found by its tokens and the
 * weights it was computed with, and let go with the last sequence that refers to it. Which part of a sequence lies in a
 * prefix follows from its own request alone, never from who else is there, so its numbers do not either.
 */
import type { SampleRequest } from '@espalier/contracts';
import type { CacheMemory } from './cache-slab.js';
import type { LiveSequence } from './live-sequence.js';
import { isPrefixShared } from './sampling-rules.js';

export interface SharedPrefix {
  readonly key: string;
  readonly length: number;
  /** row of the slab of prefixes */
  readonly row: number;
  /** sequences that refer to it */
  users: number;
  /** its keys and values are in the slab */
  isWritten: boolean;
}

export class PrefixRows {
  readonly #byKey = new Map<string, SharedPrefix>();
  readonly #rows: (SharedPrefix | undefined)[] = [];

  constructor(
    readonly slab: CacheMemory,
    readonly isDevice: boolean,
  ) {}

  /** Gives a sequence that is about to begin the prefix its request declares, if any. */
  join(sequence: LiveSequence, { tokens, sharedPrefix = 0 }: SampleRequest, revision: number): void {
    this.leave(sequence);
    const length = Math.min(sharedPrefix, tokens.length);
    if (!isPrefixShared(length, this.isDevice)) return;
    const key = `${revision}:${tokens.subarray(0, length).join()}`;
    const prefix = this.#byKey.get(key) ?? this.#create(key, length);
    prefix.users += 1;
    sequence.prefix = prefix;
  }

  /** Takes a sequence's prefix back. */
  leave(sequence: LiveSequence): void {
    const { prefix } = sequence;
    if (prefix === undefined) return;
    sequence.prefix = undefined;
    prefix.users -= 1;
    if (prefix.users > 0) return;
    this.#byKey.delete(prefix.key);
    this.#rows[prefix.row] = undefined;
    while (this.#rows.length > 0 && this.#rows[this.#rows.length - 1] === undefined) this.#rows.length -= 1;
    if (this.#rows.length === 0) this.slab.reset();
  }

  clear(): void {
    this.#byKey.clear();
    this.#rows.length = 0;
    this.slab.clear();
  }

  /** Registers a prefix only once there is memory for it: what others find is in the slab. */
  #create(key: string, length: number): SharedPrefix {
    let row = 0;
    while (this.#rows[row] !== undefined) row += 1;
    this.slab.ensure(
      Math.max(row + 1, this.#rows.length),
      length,
      this.#rows.map((other) => (other?.isWritten === true ? other.length : 0)),
    );
    const prefix = { key, length, row, users: 0, isWritten: false };
    this.#byKey.set(key, prefix);
    this.#rows[row] = prefix;
    return prefix;
  }
}
