/** @file The cache as feeds: views of its first rows, and where each key of a sequence lies. */
import type { RuntimeTensor } from '@espalier/runtime';
import type { CacheMemory } from './cache-slab.js';
import type { LiveSequence } from './live-sequence.js';
import { LEAST_ROWS, roundUp, WIDTH_STEP } from './sampling-rules.js';

type Feeds = Record<string, RuntimeTensor>;

/** The memory of sequences and of prefixes that several of them share. */
export interface Slabs {
  readonly slab: CacheMemory;
  readonly prefixSlab: CacheMemory;
}

/** Completes what was moved and written in both; of prefixes first, because what a graph computed is the other's. */
export async function settleSlabs({ slab, prefixSlab }: Slabs): Promise<void> {
  await prefixSlab.settle();
  await slab.settle();
}

/** Where a run writes the keys and values that it computes. */
export function receiveInto(slab: CacheMemory, rows: number, length: number): Feeds {
  const cache = slab.receive(rows, length);
  return cache === undefined ? {} : { cache };
}

/** Views of the first rows of every layer's keys and values. */
export function cacheFeeds(slab: CacheMemory, rows: number, name = ''): Feeds {
  const { layers } = slab.shape;
  const feeds: Feeds = {};
  for (let layer = 0; layer < layers; layer += 1) {
    feeds[`${name}key:${layer}`] = slab.tensor(layer, 0, rows);
    feeds[`${name}value:${layer}`] = slab.tensor(layer, 1, rows);
  }
  return feeds;
}

/**
 * Prefixes and their members in a decoding step. Members are padded to at least two, because a product with one row
 * takes another kernel.
 *
 * @param byRow the sequence decoded in each row of the step
 */
export function memberFeeds(byRow: readonly (LiveSequence | undefined)[], slab: CacheMemory): Feeds {
  const { heads } = slab.shape;
  const rows = byRow.length;
  const groups: number[][] = Array.from({ length: countPrefixes(byRow) }, () => []); // A
  byRow.forEach((sequence, row) => groups[sequence?.prefix?.row ?? -1]?.push(row));
  const most = groups.reduce((count, group) => Math.max(count, group.length), LEAST_ROWS); // M
  const members = new Int32Array(groups.length * heads * most);
  const places = new Int32Array(rows * heads);
  groups.forEach((group, a) => {
    group.forEach((row, m) => {
      for (let head = 0; head < heads; head += 1) {
        const place = (a * heads + head) * most + m;
        members[place] = row * heads + head;
        places[row * heads + head] = place;
      }
    });
  });
  const lengths = BigInt64Array.from(byRow, (sequence) => BigInt(sequence?.prefix?.length ?? 0));
  return {
    prefix_lengths: { dtype: 'int64', shape: [rows], values: lengths },
    members: { dtype: 'int32', shape: [groups.length, heads, most], values: members },
    member_places: { dtype: 'int32', shape: [rows, heads], values: places },
    ...cacheFeeds(slab, groups.length, 'prefix_'),
  };
}

/** A sequence that takes new tokens behind its cached ones. */
export interface GrownSequence {
  readonly sequence: LiveSequence;
  /** how many new tokens */
  readonly count: number;
}

/**
 * Where each key of each sequence comes from: its prefix, then its own row of the cache, then the new rows.
 *
 * @param length new places per sequence, padding included
 */
export function pastFeeds(
  grown: readonly GrownSequence[],
  length: number,
  { slab, prefixSlab }: Slabs,
): Feeds {
  const { heads } = slab.shape;
  const rows = grown.length;
  const reach = grown.reduce((most, { sequence, count }) => Math.max(most, sequence.cached + count), 0);
  const keys = roundUp(reach, WIDTH_STEP); // S
  const isPast = new Uint8Array(rows * keys);
  const pastIndex = new Int32Array(rows * heads * keys);
  const newIndex = new Int32Array(rows * heads * keys);
  grown.forEach(({ sequence: { cached, row, prefix }, count }, r) => {
    const shared = prefix?.length ?? 0;
    isPast.fill(1, r * keys + shared, r * keys + cached);
    for (let head = 0; head < heads; head += 1) {
      const at = (r * heads + head) * keys;
      const past = (row * heads + head) * slab.width;
      const fresh = (r * heads + head) * length;
      const common = rows * heads * length + ((prefix?.row ?? 0) * heads + head) * prefixSlab.width;
      for (let j = 0; j < keys; j += 1) {
        pastIndex[at + j] = past + Math.max(0, Math.min(j, cached - 1) - shared);
        newIndex[at + j] = j < shared ? common + j : fresh + Math.max(0, Math.min(j - cached, count - 1));
      }
    }
  });
  const sequences = grown.map(({ sequence }) => sequence);
  const slots = sequences.reduce((most, { row }) => Math.max(most, row + 1), 0);
  const hasPrefixes = sequences.some(({ prefix }) => prefix !== undefined);
  return {
    is_past: { dtype: 'bool', shape: [rows, 1, keys, 1], values: isPast },
    past_index: { dtype: 'int32', shape: [rows, heads, keys], values: pastIndex },
    new_index: { dtype: 'int32', shape: [rows, heads, keys], values: newIndex },
    ...cacheFeeds(slab, slots),
    ...(hasPrefixes ? cacheFeeds(prefixSlab, countPrefixes(sequences), 'prefix_') : {}),
  };
}

/** Rows of the slab of prefixes up to the last one that these sequences refer to. */
function countPrefixes(sequences: readonly (LiveSequence | undefined)[]): number {
  return sequences.reduce((most, sequence) => Math.max(most, 1 + (sequence?.prefix?.row ?? 0)), 1);
}
