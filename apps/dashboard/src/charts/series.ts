/** @file The metrics of a run in columns: history, then pushed rows, then what a chart draws. Pure functions. */

/** A metric by step, ascending. */
export interface Series {
  readonly steps: readonly number[];
  /** null: reported, but not a finite number */
  readonly values: readonly (number | null)[];
  /** when each was reported, ms since the epoch; null: not known; empty for metrics that are only drawn over steps */
  readonly times: readonly (number | null)[];
  /** steps were left out because there are many; a step that is missing says nothing then */
  readonly isDecimated: boolean;
  /** of a decimated metric that is told by means */
  readonly means?: Means | undefined;
}

/**
 * What a metric is told by where it has too many steps for its extremes to do: the parts of a whole, which keep extremes at
 * steps of their own that do not add up, and cells of several steps, whose mean no extremes have.
 */
export interface Means {
  readonly firstSteps: readonly number[];
  readonly lastSteps: readonly number[];
  /** how many values each is the mean of */
  readonly counts: readonly number[];
  /** null: none of them is finite */
  readonly values: readonly (number | null)[];
  /** newest step that they cover; later ones are in the series, each with its own value */
  readonly to: number;
}

/** Metrics that are also drawn where they happened, such as the phases of a step. */
export const isTimed = (name: string): boolean => name.startsWith('time/');

/** What a line over steps is drawn from. */
export type Points = Omit<Series, 'times' | 'means'>;

/** All metrics of a run that are known. */
export interface RunMetrics {
  /** cursor of the newest row */
  readonly cursor: number;
  /** the newest that had begun when history was read, from 1; 0: none */
  readonly attempt: number;
  /** newest step of any row */
  readonly lastStep: number;
  readonly series: Readonly<Record<string, Series>>;
}

/** Metric rows in columns, as they are pushed; null where a row has no such metric. */
export interface MetricRows {
  readonly cursor: number;
  readonly steps: readonly (number | null)[];
  readonly times: readonly (number | null)[];
  readonly attempts: readonly (number | null)[];
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    /** rows that have it as NaN or infinite */
    readonly notFinite: readonly number[];
  }[];
}

const empty: Series = { steps: [], values: [], times: [], isDecimated: false };

/**
 * Adds pushed rows. Rows that are known are ignored, so reading history and following may overlap.
 *
 * @returns undefined: an attempt has begun since the history was read, which has to be read again: what still counts of
 *   earlier attempts, only the server knows
 */
export function addRows(known: RunMetrics, rows: MetricRows): RunMetrics | undefined {
  if (rows.cursor <= known.cursor) return known;
  if (rows.attempts.some((by) => by !== null && by > known.attempt)) return undefined;
  let { lastStep } = known;
  const columns = new Map(
    Object.entries(known.series).map(([name, { steps, values, times, means }]) => [
      name,
      { steps: [...steps], values: [...values], times: [...times], means },
    ]),
  );
  rows.steps.forEach((step, row) => {
    if (step === null) return;
    lastStep = step;
    const time = rows.times[row] ?? null;
    for (const { name, values, notFinite } of rows.series) {
      const value = values[row] ?? null;
      if (value === null && !notFinite.includes(row)) continue;
      const column = columns.get(name) ?? { steps: [], values: [], times: [], means: undefined };
      columns.set(name, column);
      if ((column.steps.at(-1) ?? -1) > step) continue;
      const at = column.steps.at(-1) === step ? column.steps.length - 1 : column.steps.length;
      column.steps[at] = step;
      column.values[at] = value;
      if (isTimed(name)) column.times[at] = time;
    }
  });
  const series = Object.fromEntries(
    [...columns].map(([name, { means, ...column }]): [string, Series] => [
      name,
      { ...column, isDecimated: known.series[name]?.isDecimated ?? false, ...(means && { means }) },
    ]),
  );
  return { ...known, cursor: rows.cursor, lastStep, series };
}

/** A column for uPlot: null breaks a line, undefined is passed over. */
export type Column = (number | null | undefined)[];

/** One line of a chart. */
export interface Line {
  readonly series: Points | undefined;
  /** not reported at every step, such as validation: missing steps are passed over */
  readonly isSparse: boolean;
}

/** Brings lines onto common steps. A step at which a metric of every step is missing breaks its line; it is never 0. */
export function alignLines(lines: readonly Line[]): { readonly steps: number[]; readonly columns: Column[] } {
  const steps = [...new Set(lines.flatMap(({ series }) => series?.steps ?? []))].sort((a, b) => a - b);
  const indexOf = new Map(steps.map((step, index) => [step, index]));
  const columns = lines.map(({ series = empty, isSparse }) => {
    const missing = isSparse || series.isDecimated ? undefined : null;
    const column: Column = new Array<number | null | undefined>(steps.length).fill(missing);
    series.steps.forEach((step, at) => {
      const value = series.values[at];
      column[indexOf.get(step) ?? -1] = typeof value === 'number' && Number.isFinite(value) ? value : null;
    });
    return column;
  });
  return { steps, columns };
}

/** The value of a row; of a line that has none there, the newest before it. @param first the earliest row */
export function valueIn(column: Column | undefined, at: number, first = 0): number | null | undefined {
  for (let row = at; row >= first; row--) if (column?.[row] !== undefined) return column[row];
  return undefined;
}

/** The newest step at or before one that has a value; undefined: none. @param step default: the newest */
export const stepAt = (series: Series | undefined, step = Infinity): number | undefined =>
  series?.steps[indexAt(series, step)];

/** The value at a step, or the newest at or before it; null: reported, but not finite; undefined: none. */
export const valueAt = (series: Series | undefined, step = Infinity): number | null | undefined =>
  series?.values[indexAt(series, step)];

const indexAt = ({ steps }: Series, step: number): number => steps.findLastIndex((one) => one <= step);

/** The first finite value; undefined: none. */
export const firstValue = (series: Series | undefined): number | undefined =>
  series?.values.find((value): value is number => value !== null);

/** The mean over some steps, by the means of a decimated metric, whose points are extremes; undefined: none is known. */
export function meanOver(series: Series | undefined, from: number, to: number): number | undefined {
  const { steps, values, means } = series ?? empty;
  let [sum, count] = [0, 0];
  const add = (value: number | null | undefined, weight: number): void => {
    if (typeof value !== 'number') return;
    sum += value * weight;
    count += weight;
  };
  means?.firstSteps.forEach((first, at) => {
    const last = means.lastSteps[at] ?? first;
    const shared = Math.min(to, last) - Math.max(from, first) + 1;
    // one that reaches beyond counts by its share of these steps
    if (shared > 0) add(means.values[at], ((means.counts[at] ?? 0) * shared) / (last - first + 1));
  });
  const later = Math.max(from, (means?.to ?? -1) + 1);
  steps.forEach((step, at) => step >= later && step <= to && add(values[at], 1));
  return count === 0 ? undefined : sum / count;
}
