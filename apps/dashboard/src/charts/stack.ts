/** @file Parts of a whole, one upon the other, so that their sum is right at every step that is drawn. Pure functions. */
import type { Range } from '../routing/run-filter.js';
import { alignLines, type Column, type Means, type Series } from './series.js';

export interface Stack {
  readonly steps: readonly number[];
  /** the steps that each place is the mean of; of one step where all are known */
  readonly spans: readonly Range[];
  /** each part by itself; undefined: not reported there */
  readonly own: readonly Column[];
  /** each part upon those before it */
  readonly stacked: readonly Column[];
}

const none: Series = { steps: [], values: [], times: [], isDecimated: false };

/**
 * Where a part has too many steps to be drawn by all, the whole is drawn by means over the steps of its densest part, and
 * by single steps after them.
 */
export function stackSeries(parts: readonly (Series | undefined)[]): Stack {
  const series = parts.map((part) => part ?? none);
  const [grid] = series.flatMap(({ means }) => means ?? []).sort((a, b) => total(b.counts) - total(a.counts));
  const cells = grid === undefined ? [] : cellsOf(grid);
  const means = series.map((part) => meansIn(part, cells));
  const later = series.map((part) => after(part, grid?.to ?? -Infinity));
  const aligned = alignLines(later.map((one) => ({ series: one, isSparse: true })));
  const own = means.map((column, at) => [...column, ...(aligned.columns[at] ?? [])]);
  const middles = cells.map(({ from, to }) => Math.floor((from + to) / 2));
  return {
    steps: [...middles, ...aligned.steps],
    spans: [
      ...cells.map(({ from, to }) => ({ from, to })),
      ...aligned.steps.map((step) => ({ from: step, to: step })),
    ],
    own,
    stacked: stackColumns(own),
  };
}

/**
 * Sums columns one upon the other. A part that is not reported at a step adds nothing to the others of that step: a reason
 * is reported where a group was dropped for it. One that is not finite breaks the whole from there on; a step at which none
 * has a value stays absent.
 */
export function stackColumns(columns: readonly Column[]): Column[] {
  const length = columns[0]?.length ?? 0;
  const isThere = Array.from({ length }, (_, at) => columns.some((column) => typeof column[at] === 'number'));
  const sums: (number | null)[] = isThere.map((one) => (one ? 0 : null));
  return columns.map((column) =>
    sums.map((below, at) => {
      const value = column[at];
      sums[at] = below === null || value === null ? null : below + (value ?? 0);
      return sums[at];
    }),
  );
}

interface Cell extends Range {
  /** steps with a value of the densest part */
  readonly count: number;
}

/** Each goes on to where the next begins, so that no value of another part lies between. */
const cellsOf = ({ firstSteps, lastSteps, counts }: Means): Cell[] =>
  firstSteps.map((from, at) => ({
    from: at === 0 ? Math.min(0, from) : from,
    to: (firstSteps[at + 1] ?? (lastSteps[at] ?? from) + 1) - 1,
    count: counts[at] ?? 0,
  }));

/** The mean of a part over the steps of each cell. */
function meansIn({ means, steps, values }: Series, cells: readonly Cell[]): Column {
  const end = cells.at(-1)?.to;
  if (end === undefined) return [];
  const sums = new Array<number | null | undefined>(cells.length).fill(undefined);
  const add = (cell: number, sum: number | null): void => {
    const known = sums[cell];
    sums[cell] = sum === null || known === null ? null : (known ?? 0) + sum;
  };
  if (means === undefined) {
    for (const [at, step] of steps.entries()) if (step <= end) add(cellAt(cells, step), values[at] ?? null);
  } else
    for (const [at, from] of means.firstSteps.entries()) {
      const [to, mean, count] = [
        means.lastSteps[at] ?? from,
        means.values[at] ?? null,
        means.counts[at] ?? 0,
      ];
      // one that covers the steps of several cells counts in each by its share of them
      for (let cell = cellAt(cells, from); cell <= cellAt(cells, to); cell++) {
        const [first, last] = [cells[cell]?.from ?? 0, cells[cell]?.to ?? 0];
        const share = (Math.min(to, last) - Math.max(from, first) + 1) / (to - from + 1);
        add(cell, mean === null ? null : mean * count * share);
      }
    }
  return sums.map((sum, cell) => (typeof sum === 'number' ? sum / (cells[cell]?.count || 1) : sum));
}

/** The last cell that begins at a step or before it. */
function cellAt(cells: readonly Cell[], step: number): number {
  let [low, high] = [0, cells.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((cells[middle]?.from ?? 0) <= step) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What a series has after a step. */
function after({ steps, values }: Series, step: number) {
  const from = steps.findIndex((one) => one > step);
  return {
    steps: from < 0 ? [] : steps.slice(from),
    values: from < 0 ? [] : values.slice(from),
    isDecimated: false,
  };
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
