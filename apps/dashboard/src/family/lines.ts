/** @file The lines of a family on its common step axis: one for each run, and one with a band for the seeds of a setting. */
import { lineColor, lineDash } from '../charts/line-style.js';
import { alignLines, type Column, type Points } from '../charts/series.js';
import { type Branch, type Member, spreadOf } from './layout.js';

interface Named extends Member {
  readonly name: string;
  readonly title: string | null;
}

interface Read {
  readonly steps: readonly (number | null)[];
  readonly values: readonly (number | null)[];
  readonly decimated: boolean;
}

interface Drawn {
  readonly name: string;
  readonly color: string;
  readonly dash: number[];
  readonly series: Points | undefined;
  /** ends of the band, where the line is a mean over seeds */
  readonly ends?: readonly [Points, Points];
}

/**
 * @param settings of each run, what sets it apart from the others of the family
 * @param history  in the order of the branches
 */
export function drawFamily(
  branches: readonly Branch<Named>[],
  settings: Readonly<Record<string, string>>,
  history: readonly (Read | null | undefined)[],
) {
  const series = branches.map(({ offset }, index): Points | undefined => {
    const one = history[index];
    if (one === null || one === undefined) return undefined;
    const { values, decimated } = one;
    return { steps: one.steps.map((step) => Number(step) + offset), values, isDecimated: decimated };
  });
  const groups = new Map<number, number[]>();
  for (const [index, { band }] of branches.entries())
    if (band !== undefined) groups.set(band, [...(groups.get(band) ?? []), index]);
  const bands = [...groups.values()].map((members): Drawn => {
    const [first = 0] = members;
    const spread = spreadOf(members.flatMap((index) => series[index] ?? []));
    const plain = (values: readonly number[]): Points => ({
      steps: spread.steps,
      values,
      isDecimated: false,
    });
    const run = branches[first]?.run;
    return {
      name: `${settings[run?.id ?? ''] || nameOf(run)} · ${members.length} seeds`,
      color: lineColor(first),
      dash: lineDash(first),
      series: plain(spread.mean),
      ends: [plain(spread.low), plain(spread.high)],
    };
  });
  const singles = branches.flatMap(({ run, band }, index): Drawn[] =>
    band !== undefined
      ? []
      : [{ name: nameOf(run), color: lineColor(index), dash: lineDash(index), series: series[index] }],
  );
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
