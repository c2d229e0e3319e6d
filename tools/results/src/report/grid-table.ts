/** @file A grid as tables: success at the end and what it took, a row for each algorithm, a column for each environment. */
import type { EntryResult, SeedResult } from '../collect/result.js';
import { type Grid, nameInGrid } from '../grid.js';
import { mean, millions, minutes, percent, points, table } from './numbers.js';

type Cell = (result: EntryResult, asked: number) => string;

/** Writes two tables; a cell of an entry that has not been run is empty. */
export function describeGrid(grid: Grid, byName: ReadonlyMap<string, EntryResult>): string {
  return [
    'Success at the end, mean of the seeds; in brackets the lowest and the highest seed:',
    gridTable(grid, byName, describeSuccess),
    'What that took: gain in points, minutes as the budget counts them, and millions of tokens trained on, means of the seeds:',
    gridTable(grid, byName, describeCost),
  ].join('\n\n');
}

function gridTable(
  { environments, algorithms, seeds }: Grid,
  byName: ReadonlyMap<string, EntryResult>,
  cell: Cell,
): string {
  return table(
    ['algorithm', ...environments.map(({ title }) => title)],
    algorithms.map((algorithm) => [
      algorithm.title,
      ...environments.map((environment) => {
        const result = byName.get(nameInGrid(environment, algorithm));
        return result === undefined ? '' : cell(result, seeds);
      }),
    ]),
  );
}

function describeSuccess({ name, seeds }: EntryResult, asked: number): string {
  const ends = seeds.map(({ end }) => end.success);
  const range = `${(100 * Math.min(...ends)).toFixed(1)} to ${(100 * Math.max(...ends)).toFixed(1)}`;
  const early = seeds.filter(({ outcome }) => outcome === 'no-signal').length;
  const notes = [
    ...(seeds.length < asked ? [`${seeds.length} of ${asked} seeds`] : []),
    ...(early > 0 ? [`${early} without a signal left`] : []),
  ];
  return [`[${percent(mean(ends))}](#${name}) (${range})`, ...notes].join('; ');
}

function describeCost({ seeds }: EntryResult): string {
  const of = (pick: (seed: SeedResult) => number): number => mean(seeds.map(pick));
  return [
    points(of(({ difference }) => difference.difference)),
    `${minutes(of((seed) => seed.minutes))} min`,
    `${millions(of((seed) => seed.trainedTokens))} M`,
  ].join(', ');
}
