import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { TurnChart } from './turn-chart.js';

/** The chart of a trajectory whose way to success is lost in the last third. */
const chartOf = (count: number, chosen = 0): string =>
  renderToStaticMarkup(
    createElement(TurnChart, {
      turns: Array.from({ length: count }, (_, index) => ({
        index,
        plan: index < (count * 2) / 3 ? ['Up', 'Left'] : [],
      })) as never,
      continued: [],
      planTurn: { turn: 42, before: 2, after: undefined },
      fallTurn: undefined,
      chosen,
      onPick: () => undefined,
    }),
  );
const labelsOf = (chart: string): string[] =>
  [...chart.matchAll(/y="144">([^<]*)<?/g)].map(([, label]) => label ?? '');

it.each([8, 30, 31, 100])(
  'a chart of %i turns is as wide as it is drawn: its text is never shrunk',
  (count) => {
    const chart = chartOf(count);
    const drawn = Number(/viewBox="0 0 (\d+) /.exec(chart)?.[1]);
    expect(Number(/min-width:(\d+)px/.exec(chart)?.[1])).toBe(drawn);
    expect(drawn / count).toBeGreaterThanOrEqual(20);
  },
);

it('many turns are narrow, and every fifth is labelled, the chosen one, and where it turned', () => {
  expect(labelsOf(chartOf(8))).toHaveLength(8);
  const labels = labelsOf(chartOf(100, 57));
  const fifths = Array.from({ length: 20 }, (_, at) => String((at + 1) * 5));
  expect(labels).toEqual([
    '1',
    ...fifths.slice(0, 8),
    '43 ▲',
    ...fifths.slice(8, 11),
    '58',
    ...fifths.slice(11),
  ]);
  expect(chartOf(100).match(/no way<\/text>/g)).toHaveLength(7);
});
