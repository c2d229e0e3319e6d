/** @file A grid as a picture: a chart for each environment, a row for each algorithm, a dot for each seed. */
import type { EntryResult } from '../collect/result.js';
import { type Grid, nameInGrid } from '../grid.js';
import { escapeText } from './chart.js';

const colour = '#2f81f7';
const grey = '#7d8590';
const row = 20;
const names = 190;
const chart = { width: 210, gap: 32 };
const top = 78;

/** Draws success at the end of every seed, the mean as a line across, the start as a dashed line. */
export function drawDots(title: string, grid: Grid, byName: ReadonlyMap<string, EntryResult>): string {
  const { environments, algorithms } = grid;
  const width = names + environments.length * (chart.width + chart.gap) + 8;
  const height = top + algorithms.length * row + 28;
  const middle = (index: number): number => top + (index + 0.5) * row;
  const text = (x: number, y: number, words: string, rest = ''): string =>
    `<text x="${x.toFixed(1)}" y="${y}" ${rest}>${escapeText(words)}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui,sans-serif" font-size="11" fill="${grey}">`,
    text(8, 18, title, 'font-size="15" font-weight="700"'),
    text(
      8,
      36,
      'success at the end, in %: a dot for each seed, a bar at their mean; dashed: before training',
    ),
    ...algorithms.map((algorithm, index) =>
      text(names - 8, middle(index) + 4, algorithm.title, 'text-anchor="end"'),
    ),
    ...environments.map((environment, column) => {
      const left = names + column * (chart.width + chart.gap);
      const x = (share: number): string => (left + share * chart.width).toFixed(1);
      const results = algorithms.map((algorithm) => byName.get(nameInGrid(environment, algorithm)));
      const start = results.find((result) => result !== undefined)?.seeds[0]?.start.success;
      const bottom = top + algorithms.length * row;
      const line = (share: number, rest: string): string =>
        `<line x1="${x(share)}" x2="${x(share)}" y1="${top}" y2="${bottom}" stroke="${grey}" ${rest}/>`;
      return [
        // what stands in brackets is in the table
        text(left, 62, environment.title.replace(/ \(.*/, ''), 'font-size="12" font-weight="600"'),
        ...(start === undefined
          ? [text(left + chart.width / 2, middle(1), 'not run yet', 'text-anchor="middle"')]
          : []),
        ...[0, 0.25, 0.5, 0.75, 1].map(
          (share) =>
            line(share, 'stroke-opacity="0.3"') +
            text(left + share * chart.width, bottom + 15, String(100 * share), 'text-anchor="middle"'),
        ),
        ...(start === undefined ? [] : [line(start, 'stroke-dasharray="4 3"')]),
        ...results.map((result, index) => (result === undefined ? '' : drawSeeds(result, x, middle(index)))),
      ].join('\n');
    }),
    '</svg>',
    '',
  ].join('\n');
}

function drawSeeds({ seeds }: EntryResult, x: (share: number) => string, y: number): string {
  const ends = seeds.map(({ end }) => end.success);
  const mean = x(ends.reduce((sum, value) => sum + value, 0) / ends.length);
  const bar = `<line x1="${mean}" x2="${mean}" y1="${y - 7}" y2="${y + 7}" stroke="${colour}" stroke-width="2"/>`;
  return (
    bar +
    ends
      .map((end) => `<circle cx="${x(end)}" cy="${y}" r="3.5" fill="${colour}" fill-opacity="0.6"/>`)
      .join('')
  );
}
