/** @file Which runs are compared and how: everything is in the address, so that a link shows the same. Pure functions. */
import type { RunFilter } from '@espalier/client';
import { statesOf } from '../data/run-states.js';
import { toVisible } from '../format/visible-text.js';
import { wholeNumber } from '../routing/router.js';

/** as many as the server compares */
export const mostRuns = 300;

export const axes = ['step', 'tokens', 'seconds'] as const;
export type Axis = (typeof axes)[number];

/** A number of a metric over the steps that are chosen. */
export const statistics = {
  last: 'final',
  max: 'highest',
  min: 'lowest',
  tailMean: 'mean of the last 10',
} as const;
export type Statistic = keyof typeof statistics;

/** By the name of a dimension: the ends of a range of numbers, or the values that stay. */
export type Brushes = Readonly<Record<string, readonly [number, number] | readonly string[]>>;

export interface Selection {
  /** named one by one; they win over a filter */
  readonly ids: readonly string[];
  /** undefined: neither runs nor a filter are given */
  readonly filter: RunFilter | undefined;
  /** undefined: all but seed and name */
  readonly by: readonly string[] | undefined;
  readonly axis: Axis;
  /** a band is the interval of the mean, or goes from the lowest to the highest run */
  readonly band: 'interval' | 'range';
  readonly show: 'groups' | 'runs';
  readonly statistic: Statistic;
  readonly from: number | undefined;
  readonly to: number | undefined;
  readonly brushes: Brushes;
}

const listOf = (text: string | null): string[] => (text ?? '').split(',').filter((one) => one !== '');

export function readSelection(search: URLSearchParams): Selection {
  const ids = listOf(search.get('runs')).slice(0, mostRuns);
  const filter: Record<string, unknown> = {};
  for (const name of ['text', 'tag', 'group', 'project'])
    if ((search.get(name) ?? '') !== '') filter[name] = search.get(name);
  const states = statesOf(search.get('state'));
  if (states !== undefined) filter['states'] = [...states];
  const by = listOf(search.get('by'));
  return {
    ids,
    filter:
      ids.length > 0 ? { ids } : Object.keys(filter).length > 0 || search.has('all') ? filter : undefined,
    by: by.length > 0 ? by : undefined,
    axis: axes.find((one) => one === search.get('axis')) ?? 'step',
    band: search.get('band') === 'range' ? 'range' : 'interval',
    show: search.get('show') === 'runs' ? 'runs' : 'groups',
    statistic: (Object.keys(statistics) as Statistic[]).find((one) => one === search.get('stat')) ?? 'last',
    from: wholeNumber(search.get('from')),
    to: wholeNumber(search.get('to')),
    brushes: readBrushes(search.get('where')),
  };
}

/** What is no brush is left out: an address may be written by anybody. */
export function readBrushes(text: string | null): Brushes {
  if (text === null || text === '') return {};
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return {};
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]: [string, unknown]): [string, Brushes[string]][] => {
      if (!Array.isArray(value) || value.length === 0) return [];
      if (value.every((one) => typeof one === 'string')) return [[name, value]];
      const [low, high] = value as unknown[];
      const isRange = value.length === 2 && typeof low === 'number' && typeof high === 'number';
      return isRange ? [[name, [low, high]]] : [];
    }),
  );
}

export const writeBrushes = (brushes: Brushes): string | undefined =>
  Object.keys(brushes).length === 0 ? undefined : JSON.stringify(brushes);

/** A setting or an outcome of runs. */
export interface Dimension {
  /** path of an option, or name of a metric */
  readonly name: string;
  readonly kind: 'setting' | 'outcome';
  /** of each run, in their order; null: the run has none */
  readonly values: readonly (number | string | null)[];
  /** its values have an order of numbers */
  readonly isNumeric: boolean;
}

interface Compared {
  readonly runs: readonly { readonly id: string }[];
  readonly differences: readonly { readonly path: string; readonly values: readonly unknown[] }[];
  readonly metrics: readonly {
    readonly name: string;
    readonly runs: readonly ({ readonly runId: string } & Readonly<Record<Statistic, number | null>>)[];
  }[];
}

/** Settings that differ, then outcomes. */
export function dimensionsOf(
  { runs, differences, metrics }: Compared,
  statistic: Statistic,
  order: readonly string[],
): Dimension[] {
  const settings = differences
    .filter(({ path }) => path !== 'name')
    .map(({ path, values }): Dimension => {
      const own = values.map(toPlain);
      const isNumeric = own.every((value) => value === null || typeof value === 'number');
      const texts = own.map((value) => (value === null ? null : String(value)));
      return { name: path, kind: 'setting', values: isNumeric ? own : texts, isNumeric };
    });
  const outcomes = inOrder(metrics, order).map(({ name, runs: each }): Dimension => {
    const byRun = new Map(each.map((one) => [one.runId, one[statistic]]));
    return { name, kind: 'outcome', values: runs.map(({ id }) => byRun.get(id) ?? null), isNumeric: true };
  });
  return [...settings, ...outcomes];
}

/** Metrics in the order in which they were asked for. */
export const inOrder = <T extends { readonly name: string }>(
  metrics: readonly T[],
  order: readonly string[],
): T[] => [...metrics].sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name));

const toPlain = (value: unknown): number | string | null =>
  value === null || value === undefined
    ? null
    : typeof value === 'number' || typeof value === 'string'
      ? value
      : JSON.stringify(value);

/**
 * One of all settings that change together; `use` goes before the options that it
 * brings along.
 */
export function tellingSettings(dimensions: readonly Dimension[]): Dimension[] {
  const settings = dimensions.filter(({ kind, name }) => kind === 'setting' && name !== 'seed');
  const first = settings.filter(({ name }) => name.endsWith('.use'));
  const seen = new Set<string>();
  return [...first, ...settings.filter((one) => !first.includes(one))].filter(({ values }) => {
    const order = [...new Set(values)];
    const parts = values.map((value) => order.indexOf(value)).join();
    if (seen.has(parts)) return false;
    seen.add(parts);
    return true;
  });
}

/** Whether each run is within all brushes; one without a value is outside a brush of it. */
export function applyBrushes(dimensions: readonly Dimension[], brushes: Brushes, count: number): boolean[] {
  return Array.from({ length: count }, (_, run) =>
    Object.entries(brushes).every(([name, brush]) => {
      const dimension = dimensions.find((one) => one.name === name);
      if (dimension === undefined) return true;
      const value = dimension.values[run];
      if (value === null || value === undefined) return false;
      const [low, high] = brush;
      if (typeof low !== 'number' || typeof high !== 'number')
        return (brush as readonly string[]).includes(String(value));
      return typeof value === 'number' && value >= low && value <= high;
    }),
  );
}

/** A group by what its runs share; the seeds follow where there are several. */
export function labelOf(
  group: {
    readonly values: readonly unknown[];
    readonly runIds: readonly string[];
    readonly seeds: readonly number[];
  },
  by: readonly string[] | undefined,
  nameOf: (id: string) => string,
): string {
  const name =
    by === undefined
      ? nameOf(group.runIds[0] ?? '')
      : by
          .map((path, at) => {
            const value = toPlain(group.values[at]) ?? 'not set';
            return toVisible(path.endsWith('.use') ? `${value}` : `${path.split('.').at(-1)} ${value}`);
          })
          .join(', ');
  return group.runIds.length > 1 ? `${name} · ${group.runIds.length} runs` : name;
}
