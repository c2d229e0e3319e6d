/**
 * @file Draws trajectories to look at or to rate. Each has a rank, a hash of the seed and its id: the same seed draws the
 * same ones, whatever else was stored since in other places.
 */
import { createHash } from 'node:crypto';

/** A trajectory that can be drawn. */
export interface Drawable {
  readonly runId: string;
  readonly id: string;
  readonly step: number;
  readonly group: number;
  readonly environment: string;
  readonly stateSeed: number;
  readonly success: boolean;
}

/** How many of a stratum there are, and were drawn. */
export class SampledStratum {
  success!: boolean;

  available!: number;

  taken!: number;
}

/** A number from 0 to 2^48 that is the same for the same words. */
export const rankOf = (...words: readonly (string | number)[]): number =>
  createHash('sha256').update(JSON.stringify(words)).digest().readUIntBE(0, 6);

/**
 * Draws without replacement, stratified by outcome and spread over groups. A stratum gets its share of the sample, by
 * largest remainders, and at least one; within it no group gives a second trajectory before each gave its first.
 */
export function drawSample<T extends Drawable>(
  rows: readonly T[],
  size: number,
  seed: number,
): { readonly drawn: T[]; readonly strata: SampledStratum[] } {
  const parts = [true, false].map((wanted) => ({
    wanted,
    rows: rows.filter(({ success }) => success === wanted),
  }));
  const taken = allot(
    parts.map(({ rows: { length } }) => length),
    Math.min(size, rows.length),
  );
  const drawn = parts.flatMap(({ rows: of }, i) => spread(of, seed).slice(0, taken[i]));
  const strata = parts.map(({ wanted: success, rows: { length: available } }, i) => ({
    success,
    available,
    taken: taken[i] ?? 0,
  }));
  return { drawn: byRank(drawn, seed), strata };
}

/** Draws pairs: each state that both sides have gives one. */
export function drawSameState<T extends Drawable>(
  ones: readonly T[],
  others: readonly T[],
  size: number,
  seed: number,
): (readonly [T, T])[] {
  const stateOf = ({ environment, stateSeed }: T): string => JSON.stringify([environment, stateSeed]);
  const firstOf = (rows: readonly T[]): Map<string, T> => {
    const firsts = new Map<string, T>();
    for (const row of byRank(rows, seed)) if (!firsts.has(stateOf(row))) firsts.set(stateOf(row), row);
    return firsts;
  };
  const second = firstOf(others);
  return [...firstOf(ones)]
    .flatMap(([state, one]) => {
      const other = second.get(state);
      return other === undefined ? [] : [[one, other] as const];
    })
    .slice(0, size);
}

const byRank = <T extends Drawable>(rows: readonly T[], seed: number): T[] =>
  rows
    .map((row) => ({ row, rank: rankOf(seed, row.runId, row.id) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ row }) => row);

/** In the order of ranks, all firsts of their groups first, then all seconds, and so on. */
function spread<T extends Drawable>(rows: readonly T[], seed: number): T[] {
  const counts = new Map<string, number>();
  return byRank(rows, seed)
    .map((row) => {
      const group = `${row.step}/${row.group}`;
      const turn = counts.get(group) ?? 0;
      counts.set(group, turn + 1);
      return { row, turn };
    })
    .sort((a, b) => a.turn - b.turn)
    .map(({ row }) => row);
}

function allot(available: readonly number[], size: number): number[] {
  const all = available.reduce((sum, count) => sum + count, 0);
  const exact = available.map((count) => (all === 0 ? 0 : (count / all) * size));
  const some = available.filter((count) => count > 0).length;
  const taken = exact.map((share, i) =>
    Math.max(Math.floor(share), size >= some && (available[i] ?? 0) > 0 ? 1 : 0),
  );
  const byRemainder = exact.map((share, i) => ({ i, left: share - (taken[i] ?? 0) }));
  byRemainder.sort((a, b) => b.left - a.left);
  for (let missing = size - taken.reduce((sum, count) => sum + count, 0); missing !== 0;) {
    const next = missing > 0 ? byRemainder[0] : byRemainder.at(-1);
    if (next === undefined) break;
    const change = Math.sign(missing);
    taken[next.i] = (taken[next.i] ?? 0) + change;
    next.left -= change;
    missing -= change;
    byRemainder.sort((a, b) => b.left - a.left);
  }
  return taken;
}
