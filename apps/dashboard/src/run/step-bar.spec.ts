import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { toBuckets, toLine } from '../../../server/src/core/history/metrics/decimate.js';
import type { Series } from '../charts/series.js';
import { StepBar } from './step-bar.js';

const count = 3000;
/** One step of fifty has a success. */
const successAt = (step: number): number => (step % 50 === 7 ? 1 : 0);
/** Rises within each cell of 13 steps. */
const rewardAt = (step: number): number => (step - 1) % 13;

/** A metric of a long run as the page reads it: extremes, and means of so many steps each. */
function longSeries(valueAt: (step: number) => number, size: number): Series {
  const steps = Array.from({ length: count }, (_, at) => at + 1);
  const columns = { steps, times: steps, values: steps.map(valueAt) };
  const buckets = toBuckets(columns, size);
  return {
    ...toLine(toBuckets(columns, 6)),
    times: [],
    isDecimated: true,
    means: {
      firstSteps: buckets.map(({ firstStep }) => firstStep),
      lastSteps: buckets.map(({ lastStep }) => lastStep),
      counts: buckets.map((bucket) => bucket.count),
      values: buckets.map(({ sum, numbers }) => sum / numbers),
      to: count,
    },
  };
}

/** What the bar tells of the cell that has a step. */
function tell(step: number, series: Readonly<Record<string, Series>>): string {
  const html = renderToStaticMarkup(
    createElement(StepBar, {
      steps: count,
      metrics: { cursor: 1, attempt: 1, lastStep: count, series },
      happenings: [],
      range: { from: step, to: step },
      walk: { move: () => undefined, open: () => undefined },
      onPick: () => undefined,
      onChoose: () => undefined,
    }),
  );
  return /what">([^<]*)/.exec(html)?.[1] ?? '';
}

it('tells the means of the steps of a cell in a long run, not those of the extremes that it draws', () => {
  const told = tell(1000, {
    'rollout/success_rate': longSeries(successAt, 100),
    'rollout/reward_mean': longSeries(rewardAt, 13),
  });
  expect(told).toBe('steps 989–1001: mean success 2.0 %, reward 6');
});

it('goes on with what is pushed after the means, and tells nothing of steps without a value', () => {
  const pushed: Series = {
    steps: [1, 2990, 2999, 3000],
    values: [1, 1, 1, 0.5],
    times: [],
    isDecimated: true,
    means: { firstSteps: [1], lastSteps: [2990], counts: [2990], values: [0], to: 2990 },
  };
  const series = { 'rollout/success_rate': pushed };
  expect(tell(3000, series)).toBe('steps 2991–3000: mean success 75 %, reward –');
  expect(tell(2985, series)).toContain('mean success 0 %');
});
