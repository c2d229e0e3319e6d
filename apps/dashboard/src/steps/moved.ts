/**
 * @file Which distributions differ most from those of the steps before. The measure is Cliff's delta, P(now > before) −
 * P(now < before) over all pairs (Cliff 1993, Psychological Bulletin 114:494, eq. 1); its interval is a percentile bootstrap
 * that draws whole groups, as the trajectories of one are alike (Davison & Hinkley 1997, §3.8). Pure functions.
 */
import type { TrajectoryRow } from '@espalier/client';

export interface Measured {
  readonly id: string;
  readonly label: string;
  /** undefined: a trajectory has none */
  value(row: TrajectoryRow): number | undefined;
}

export const measured: readonly Measured[] = [
  { id: 'reward', label: 'Reward', value: ({ reward }) => reward ?? undefined },
  { id: 'success', label: 'Success', value: ({ success }) => Number(success) },
  { id: 'turns', label: 'Turns', value: ({ turns }) => turns },
  {
    id: 'response',
    label: 'Sampled tokens per turn',
    value: ({ turns, sampledTokens }) => (turns === 0 ? undefined : sampledTokens / turns),
  },
  { id: 'labels', label: 'Failure labels', value: ({ labels }) => labels.length },
  {
    id: 'clipped',
    label: 'Share of clipped tokens',
    value: ({ clippedTokens, lossTokens }) =>
      clippedTokens === null || lossTokens === null || lossTokens === 0
        ? undefined
        : clippedTokens / lossTokens,
  },
  { id: 'failed', label: 'Failed episodes', value: ({ error }) => Number(error !== null) },
];

export interface Moved {
  readonly measure: Measured;
  /** Cliff's delta, −1 to 1 */
  readonly delta: number;
  /** its 95 % interval */
  readonly low: number;
  readonly high: number;
  readonly now: number;
  readonly before: number;
  /** the most extreme in the direction of the change, most extreme first */
  readonly extremes: readonly TrajectoryRow[];
}

const draws = 400;
/** fewer groups give no interval worth the name */
export const leastGroups = 4;

/** P(a > b) − P(a < b), from how often each of the ascending distinct values occurs on both sides. */
export function cliffsDelta(now: ArrayLike<number>, before: ArrayLike<number>): number {
  // of both sides, those that are smaller than the value at hand
  let [ownBelow, otherBelow, pairs] = [0, 0, 0];
  for (let at = 0; at < now.length; at++) {
    const [own, other] = [now[at] ?? 0, before[at] ?? 0];
    pairs += own * otherBelow - other * ownBelow;
    ownBelow += own;
    otherBelow += other;
  }
  return ownBelow === 0 || otherBelow === 0 ? 0 : pairs / (ownBelow * otherBelow);
}

const groupOf = ({ step, group }: TrajectoryRow): string => `${step}/${group}`;

/** Changes that are larger than chance, the largest first; undefined: too few groups to tell. */
export function findMoved(
  now: readonly TrajectoryRow[],
  before: readonly TrajectoryRow[],
): readonly Moved[] | undefined {
  if (countGroups(now) < leastGroups || countGroups(before) < leastGroups) return undefined;
  return measured
    .flatMap((measure) => compare(measure, now, before) ?? [])
    .filter(({ low, high }) => low > 0 || high < 0)
    .sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta))
    .slice(0, 3);
}

const countGroups = (rows: readonly TrajectoryRow[]): number => new Set(rows.map(groupOf)).size;

function compare(
  measure: Measured,
  now: readonly TrajectoryRow[],
  before: readonly TrajectoryRow[],
): Moved | undefined {
  const own = valuesOf(measure, now);
  const other = valuesOf(measure, before);
  if (own.length === 0 || other.length === 0) return undefined;
  const values = [...new Set([...own, ...other].map(({ value }) => value))].sort((a, b) => a - b);
  const places = new Map(values.map((value, place) => [value, place]));
  const [ownGroups, otherGroups] = [own, other].map((list) => placesByGroup(list, places)) as [
    Places,
    Places,
  ];
  const [counts, against] = [new Float64Array(values.length), new Float64Array(values.length)];
  const draw = (groups: Places, into: Float64Array, pick: (index: number) => number): void => {
    into.fill(0);
    groups.forEach((_, index) => {
      for (const place of groups[pick(index)] ?? []) into[place] = (into[place] ?? 0) + 1;
    });
  };
  draw(ownGroups, counts, (index) => index);
  draw(otherGroups, against, (index) => index);
  const delta = cliffsDelta(counts, against);
  const random = createRandom(12_345);
  const drawn = Float64Array.from({ length: draws }, () => {
    draw(ownGroups, counts, () => Math.floor(random() * ownGroups.length));
    draw(otherGroups, against, () => Math.floor(random() * otherGroups.length));
    return cliffsDelta(counts, against);
  }).sort();
  const sign = delta < 0 ? 1 : -1;
  return {
    measure,
    delta,
    low: drawn[Math.floor(draws * 0.025)] ?? 0,
    high: drawn[Math.ceil(draws * 0.975) - 1] ?? 0,
    now: meanOf(own),
    before: meanOf(other),
    extremes: [...own]
      .sort((a, b) => sign * (a.value - b.value))
      .slice(0, 3)
      .map(({ row }) => row),
  };
}

interface Valued {
  readonly row: TrajectoryRow;
  readonly value: number;
}

const valuesOf = (measure: Measured, rows: readonly TrajectoryRow[]): Valued[] =>
  rows.flatMap((row) => {
    const value = measure.value(row);
    return value === undefined || !Number.isFinite(value) ? [] : [{ row, value }];
  });

const meanOf = (list: readonly Valued[]): number =>
  list.reduce((sum, { value }) => sum + value, 0) / list.length;

/** For each group the places of its values. */
type Places = readonly (readonly number[])[];

function placesByGroup(list: readonly Valued[], places: ReadonlyMap<number, number>): Places {
  const groups = new Map<string, number[]>();
  for (const { row, value } of list) {
    const known = groups.get(groupOf(row));
    const place = places.get(value) ?? 0;
    if (known === undefined) groups.set(groupOf(row), [place]);
    else known.push(place);
  }
  return [...groups.values()];
}

/** Lehmer's generator (Park & Miller 1988): the same rows give the same interval on every machine. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
