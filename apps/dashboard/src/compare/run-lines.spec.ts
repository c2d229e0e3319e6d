import { expect, it } from 'vitest';
import { toBuckets, toLine } from '../../../server/src/core/history/metrics/decimate.js';
import { sampledTokens, toLines } from './run-lines.js';

const points = 300;

/** A metric of a long run as the server gives it: decimated to so many points. */
function decimated(name: string, count: number, valueAt: (step: number) => number) {
  const steps = Array.from({ length: count }, (_, at) => at + 1);
  const columns = { steps, times: steps, values: steps.map(valueAt) };
  const { steps: kept, values } = toLine(toBuckets(columns, Math.ceil(count / (points / 2))));
  return { runId: 'run', name, steps: kept, values };
}

const along = (...history: Parameters<typeof toLines>[0]) => {
  const lines = toLines(
    history,
    'tokens',
    () => 0,
    (id) => id,
  );
  return (name: string) => lines.get(name)?.[0] ?? { x: [], y: [] };
};

it('has every point of a long run along tokens, where its step has reached them', () => {
  // more tokens at each step, so that no straight line through the origin has them
  const tokensAt = (step: number): number => 10 * step + step ** 2;
  const reward = decimated('reward', 3000, (step) => Math.sin(step * 12.9898));
  const { x, y } = along(reward, decimated(sampledTokens, 3000, tokensAt))('reward');
  expect(y).toEqual(reward.values);
  expect(x).toHaveLength(reward.steps.length);
  // within a bucket of 20 steps tokens are almost even
  reward.steps.forEach((step, at) =>
    expect(Math.abs((x[at] ?? 0) - tokensAt(step))).toBeLessThanOrEqual(100),
  );
  expect(x).toEqual([...x].sort((a, b) => a - b));
});

it('begins at 0 tokens, takes the newest number after the last known, and none of a run without it', () => {
  const validation = { runId: 'run', name: 'validation', steps: [0, 5, 20], values: [0.1, 0.2, 0.3] };
  const tokens = { runId: 'run', name: sampledTokens, steps: [4, 8], values: [40, 120] };
  expect(along(validation, tokens)('validation').x).toEqual([0, 60, 120]);
  expect(along(validation)('validation')).toMatchObject({ x: [0], y: [0.1] });
});
