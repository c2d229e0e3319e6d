/** @file The lines of a family on its common step axis: one for each run, and one with a band for the seeds of a setting. */
import { lineColor, lineDash } from '../charts/line-style.js';
import { alignLines, type Column, type Points, valueIn } from '../charts/series.js';
import type { Branch, Member } from './layout.js';

interface Named extends Member {
  readonly name: string;
  readonly title: string | null;
}

interface Read {
  readonly steps: readonly (number | null)[];
  readonly values: readonly (number | null)[];
  readonly decimated: boolean;
}

/** Several seeds of a setting in one, computed from all of their values: what is decimated has no steps in common. */
export interface SeedCurve {
  readonly runIds: readonly string[];
  readonly x: readonly number[];
  /** runs with a value at each place */
  readonly counts: readonly number[];
  readonly mean: readonly (number | null)[];
  readonly min: readonly (number | null)[];
  readonly max: readonly (number | null)[];
}

interface Drawn {
  readonly name: string;
  readonly color: string;
  readonly dash: number[];
  readonly series: Points | undefined;
  /** ends of the band, where the line is a mean over seeds */
  readonly ends?: readonly [Points, Points];
}

/** The seeds of each setting that lie at the same place of the axis, so that they have a mean. */
export function seedsOf(branches: readonly Branch<Named>[]): readonly (readonly string[])[] {
  const groups = new Map<number, Branch<Named>[]>();
  for (const branch of branches)
    if (branch.band !== undefined) groups.set(branch.band, [...(groups.get(branch.band) ?? []), branch]);
  return [...groups.values()]
    .filter(
      ([first, ...others]) => others.length > 0 && others.every(({ offset }) => offset === first?.offset),
    )
    .map((members) => members.map(({ run }) => run.id));
}

/**
 * @param settings of each run, what sets it apart from the others of the family
 * @param curves   of the seeds that are drawn as one
 * @param history  of each other run, by its id
 */
export function drawFamily(
  branches: readonly Branch<Named>[],
  settings: Readonly<Record<string, string>>,
  curves: readonly SeedCurve[],
  history: ReadonlyMap<string, Read>,
) {
  const bands = curves.flatMap((curve): Drawn[] => {
    const index = branches.findIndex(({ run }) => curve.runIds.includes(run.id));
    const first = branches[index];
    if (first === undefined) return [];
    // where some have not come yet, a mean would leap
    const all = Math.max(...curve.counts);
    const places = curve.counts.flatMap((count, at) => (count === all && all > 0 ? [at] : []));
    const pick = (values: readonly (number | null)[]): Points => ({
      steps: places.map((at) => (curve.x[at] ?? 0) + first.offset),
      values: places.map((at) => values[at] ?? null),
      isDecimated: true,
    });
    return [
      {
        name: `${settings[first.run.id] || nameOf(first.run)} · ${curve.runIds.length} seeds`,
        color: lineColor(index),
        dash: lineDash(index),
        series: pick(curve.mean),
        ends: [pick(curve.min), pick(curve.max)],
      },
    ];
  });
  const banded = new Set(curves.flatMap(({ runIds }) => runIds));
  const singles = branches.flatMap(({ run, offset }, index): Drawn[] => {
    if (banded.has(run.id)) return [];
    const one = history.get(run.id);
    const series = one && {
      steps: one.steps.map((step) => Number(step) + offset),
      values: one.values,
      isDecimated: one.decimated,
    };
    return [{ name: nameOf(run), color: lineColor(index), dash: lineDash(index), series }];
  });
  const drawn = [...bands, ...singles];
  const ends = bands.flatMap((one) => one.ends ?? []);
  const aligned = alignLines(
    [...drawn.map((one) => one.series), ...ends].map((one) => ({ series: one, isSparse: false })),
  );
  const endAt = (index: number): Column => aligned.columns[drawn.length + index] ?? [];
  return {
    aligned,
    drawn: drawn.map(({ name, color, dash }, at) => ({
      name,
      color,
      dash,
      band: at < bands.length ? ([endAt(2 * at), endAt(2 * at + 1)] as const) : undefined,
    })),
  };
}

/**
 * What the legend says of a line: its value in a row, or the newest before it, as each run of many steps has values in rows of
 * its own; nothing before it begins or after it ends.
 *
 * @param row null: where it ends
 */
export function legendValue(column: Column = [], row: number | null): number | null | undefined {
  const last = column.findLastIndex((value) => typeof value === 'number');
  return row === null || row <= last ? valueIn(column, row ?? last) : undefined;
}

const nameOf = (run: Named | undefined): string => run?.title || run?.name || '';

/** options that a name tells */
const mostTold = 3;

/** Such as "learningRate 0.01": the options in which the runs differ, but for the seed and the name; by run. */
export function settingsOf(
  ids: readonly string[],
  differences: readonly { readonly path: string; readonly values: readonly unknown[] }[],
): Record<string, string> {
  const told = differences.filter(({ path }) => path !== 'seed' && path !== 'name').slice(0, mostTold);
  const one = (path: string, value: unknown): string => {
    const word = typeof value === 'string' ? value : value === undefined ? 'not set' : JSON.stringify(value);
    return path.endsWith('.use') ? word : `${path.split('.').at(-1)} ${value === null ? 'not set' : word}`;
  };
  return Object.fromEntries(
    ids.map((id, at) => [id, told.map(({ path, values }) => one(path, values[at])).join(', ')]),
  );
}
