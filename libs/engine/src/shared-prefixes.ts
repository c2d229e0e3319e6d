/**
 * @file Finds sequences that begin with the same tokens, so that what they share is computed once. Sequences are sorted
 * by their tokens, which puts those with long common beginnings next to each other, and cut into runs so that the fewest
 * tokens are left to compute.
 */

/** Indices of sequences whose first `prefix` tokens are the same. */
export interface PrefixGroup {
  readonly prefix: number;
  readonly members: readonly number[];
}

/** Shorter common beginnings are not worth a prefix of their own. */
const LEAST_SHARED = 8;

/**
 * Groups sequences by common prefixes; every member keeps at least one token of its own.
 *
 * @param sequences each with at least one token
 * @param mostTokens tokens of a group, the prefix counted once; a single sequence may have more
 */
export function findPrefixGroups(sequences: readonly Int32Array[], mostTokens: number): PrefixGroup[] {
  const order = sequences.map((_, index) => index);
  const at = (place: number): Int32Array => sequences[order[place] as number] as Int32Array;
  order.sort((a, b) => compareTokens(sequences[a] as Int32Array, sequences[b] as Int32Array) || a - b);
  const shared = order.map((_, place) => (place === 0 ? 0 : sharedLength(at(place - 1), at(place))));
  const best = [{ cost: 0, start: 0, prefix: 0 }]; // of the first so many sequences
  for (let start = 0; start < order.length; start += 1) {
    const before = (best[start] as Cut).cost;
    let total = at(start).length;
    let prefix = Infinity;
    offer(best, start + 1, { cost: before + total, start, prefix: 0 });
    for (let end = start + 1; end < order.length; end += 1) {
      prefix = Math.min(prefix, shared[end] as number);
      total += at(end).length;
      const cost = total - (end - start) * prefix;
      if (prefix < LEAST_SHARED || cost > mostTokens) break;
      offer(best, end + 1, { cost: before + cost, start, prefix });
    }
  }
  const groups: PrefixGroup[] = [];
  for (let end = order.length; end > 0;) {
    const { start, prefix } = best[end] as Cut;
    groups.push({ prefix, members: order.slice(start, end).sort((a, b) => a - b) });
    end = start;
  }
  return groups.reverse();
}

interface Cut {
  /** tokens computed up to here */
  readonly cost: number;
  /** where the last run starts */
  readonly start: number;
  readonly prefix: number;
}

function offer(best: Cut[], end: number, cut: Cut): void {
  if (cut.cost < (best[end]?.cost ?? Infinity)) best[end] = cut;
}

function compareTokens(a: Int32Array, b: Int32Array): number {
  const length = Math.min(a.length, b.length);
  for (let t = 0; t < length; t += 1) if (a[t] !== b[t]) return (a[t] as number) - (b[t] as number);
  return a.length - b.length;
}

/** Tokens that two sequences begin with in common, short of the whole of either. */
function sharedLength(a: Int32Array, b: Int32Array): number {
  const length = Math.min(a.length, b.length) - 1;
  for (let t = 0; t < length; t += 1) if (a[t] !== b[t]) return t;
  return Math.max(0, length);
}
