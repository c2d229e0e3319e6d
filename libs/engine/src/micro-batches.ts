/**
 * @file Sequences cut into micro-batches of packed rows: what a group shares is computed once, nothing behind the last
 * loss position is computed, and only the grids of attention are padded. Results do not depend on the cut: losses are
 * sums with given weights. What is cut how is decided by an estimate of the work, in rows of dense products.
 */
import type { ScoreRequest } from '@espalier/contracts';
import { findPrefixGroups } from './shared-prefixes.js';

/** What one more micro-batch costs on a CPU, in rows. */
export const ROWS_PER_MICRO_BATCH = 96;

/** One sequence of a micro-batch. */
export interface MicroBatchItem<T extends ScoreRequest> {
  readonly index: number;
  readonly request: T;
}

/** Sequences that come after a common prefix, which may be empty. */
export interface MicroBatchGroup<T extends ScoreRequest> {
  readonly prefix: number; // tokens
  readonly items: readonly MicroBatchItem<T>[];
}

/** Some sequences that are computed together. */
export interface MicroBatch<T extends ScoreRequest> {
  readonly groups: readonly MicroBatchGroup<T>[];
  /** loss positions of all items */
  readonly count: number; // N
}

export interface MicroBatchLimits {
  /** rows of a micro-batch; a longer sequence goes alone */
  readonly tokens: number;
  /** work of attention between one query and one key, in rows */
  readonly rowsPerPair: number;
  /** what one more micro-batch costs, in rows: launching its operators, and adding its gradients to the others */
  readonly rowsPerMicroBatch: number;
}

/** Tokens of a sequence that must be computed: what comes after the last loss position is never looked at. */
export function neededTokens({ tokens, positions }: ScoreRequest): Int32Array {
  return tokens.subarray(0, positions.at(-1) ?? 0);
}

/** Cuts requests into micro-batches; those that ask for nothing are left out. */
export function planMicroBatches<T extends ScoreRequest>(
  requests: readonly T[],
  limits: MicroBatchLimits,
): MicroBatch<T>[] {
  const items = requests
    .map((request, index) => ({ index, request }))
    .filter(({ request }) => request.positions.length > 0);
  const sequences = items.map(({ request }) => neededTokens(request));
  const groups = findPrefixGroups(sequences, limits.tokens).flatMap(({ prefix, members }) =>
    cutByLength({ prefix, items: members.map((index) => items[index] as MicroBatchItem<T>) }, limits),
  );
  return joinGroups(groups, limits).map((joined) => ({
    groups: joined,
    count: joined
      .flatMap((group) => group.items)
      .reduce((total, { request }) => total + request.positions.length, 0),
  }));
}

interface Extent {
  readonly groups: number;
  readonly groupSize: number;
  readonly own: number;
  readonly prefix: number;
}

/** Work of attention over a grid, in rows. */
function attentionWork(
  { groups, groupSize, own, prefix }: Extent,
  { rowsPerPair }: MicroBatchLimits,
): number {
  return rowsPerPair * groups * (groupSize * own * (prefix + own / 2) + (prefix * prefix) / 2);
}

const ownLength = <T extends ScoreRequest>({ request }: MicroBatchItem<T>, prefix: number): number =>
  neededTokens(request).length - prefix;

/** Cuts a group into parts of similar length where padding would cost more than computing the prefix once more. */
function cutByLength<T extends ScoreRequest>(
  { prefix, items }: MicroBatchGroup<T>,
  limits: MicroBatchLimits,
): MicroBatchGroup<T>[] {
  const sorted = [...items].sort((a, b) => ownLength(b, prefix) - ownLength(a, prefix) || a.index - b.index);
  const best = [{ cost: 0, start: 0 }];
  for (let end = 1; end <= sorted.length; end += 1) {
    for (let start = 0; start < end; start += 1) {
      const own = ownLength(sorted[start] as MicroBatchItem<T>, prefix);
      const work = attentionWork({ groups: 1, groupSize: end - start, own, prefix }, limits);
      const cost = (best[start]?.cost ?? 0) + prefix + work;
      if (cost < (best[end]?.cost ?? Infinity)) best[end] = { cost, start };
    }
  }
  const parts: MicroBatchGroup<T>[] = [];
  for (let end = sorted.length; end > 0; end = best[end]?.start ?? 0) {
    const part = sorted.slice(best[end]?.start ?? 0, end);
    parts.push(part.length === 1 ? { prefix: 0, items: part } : { prefix, items: part });
  }
  return parts.reverse();
}

interface Measured<T extends ScoreRequest> {
  readonly group: MicroBatchGroup<T>;
  readonly extent: Extent;
  readonly rows: number;
}

function measureGroup<T extends ScoreRequest>(group: MicroBatchGroup<T>): Measured<T> {
  const { prefix, items } = group;
  const lengths = items.map((item) => ownLength(item, prefix));
  return {
    group,
    extent: {
      groups: 1,
      groupSize: items.length,
      own: lengths.reduce((most, length) => Math.max(most, length), -Infinity),
      prefix,
    },
    rows: lengths.reduce((a, b) => a + b, prefix),
  };
}

function joinExtents(a: Extent, b: Extent): Extent {
  return {
    groups: a.groups + b.groups,
    groupSize: Math.max(a.groupSize, b.groupSize),
    own: Math.max(a.own, b.own),
    prefix: Math.max(a.prefix, b.prefix),
  };
}

/** Joins groups of like sizes while they fit and padding costs less than one more micro-batch. */
function joinGroups<T extends ScoreRequest>(
  groups: readonly MicroBatchGroup<T>[],
  limits: MicroBatchLimits,
): MicroBatchGroup<T>[][] {
  const sorted = groups
    .map(measureGroup)
    .sort(
      ({ extent: a, group: one }, { extent: b, group: other }) =>
        Number(b.prefix > 0) - Number(a.prefix > 0) ||
        b.own - a.own ||
        b.prefix - a.prefix ||
        (one.items[0]?.index ?? 0) - (other.items[0]?.index ?? 0),
    );
  const batches: Measured<T>[] = [];
  const joined: MicroBatchGroup<T>[][] = [];
  for (const next of sorted) {
    const last = batches.at(-1);
    const extent = last === undefined ? next.extent : joinExtents(last.extent, next.extent);
    const separate = attentionWork(next.extent, limits) + limits.rowsPerMicroBatch;
    if (
      last !== undefined &&
      last.rows + next.rows <= limits.tokens &&
      attentionWork(extent, limits) <= attentionWork(last.extent, limits) + separate
    ) {
      batches[batches.length - 1] = { group: last.group, extent, rows: last.rows + next.rows };
      joined.at(-1)?.push(next.group);
    } else {
      batches.push(next);
      joined.push([next.group]);
    }
  }
  return joined;
}
