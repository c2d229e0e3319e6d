/** @file The table of a run in several environments: success in each, those that it never trains included. */
import type { EntryResult } from '../collect/result.js';
import { interval, percent, points, table } from './numbers.js';

/** One row for each tag and seed, trained ones first; empty for a run in one environment. */
export function tagTable({ seeds }: Pick<EntryResult, 'seeds'>): string {
  const [first] = seeds;
  if (first?.tags === undefined) return '';
  const order = [...first.tags].sort((a, b) => Number(b.trained) - Number(a.trained));
  const rows = order.flatMap(({ tag, environment, trained }) =>
    seeds.flatMap(({ seed, tags = [] }) => {
      const own = tags.find((one) => one.tag === tag);
      if (own === undefined) return [];
      const { start, end, difference } = own;
      return [
        [
          tag,
          environment,
          trained ? 'yes' : 'no',
          String(seed),
          `${percent(start.success)} ${interval(start)}`,
          `${percent(end.success)} ${interval(end)}`,
          `${points(difference.difference)} ${interval(difference)}`,
        ],
      ];
    }),
  );
  return table(['tag', 'environment', 'trained', 'seed', 'before', 'after', 'state by state'], rows);
}
