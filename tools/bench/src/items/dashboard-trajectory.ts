/** @file Trajectories in headless Chromium: the longest one in its three zooms, and the way to any token. */
import { gzipSync } from 'node:zlib';
import { encodeTrajectory } from '@espalier/recorder';
import { createLongTrajectory, longestShape, type LongShape } from '@espalier/testing';
import type { BenchPage } from '../browser/bench-page.js';
import { dashboardItem } from '../browser/dashboard-item.js';
import { buildRow, percentile } from '../row.js';
import type { BenchServer } from '../server/bench-server.js';
import type { BenchEvent } from '../server/bench-worker.js';
import { importRun } from '../server/import-run.js';

/** A trajectory of 400,000 tokens: opened and scrolled through as messages, turns and tokens. */
export const dashboardTrajectory = dashboardItem(async (server, page, short) => {
  const shape = short ? { ...longestShape, turns: 4, turnTokens: 200, promptTokens: 50 } : longestShape;
  const runId = await importLong(server, [shape]);
  const longest: string[] = [];
  let most = 0;
  for (const [view, place] of [
    ['messages', '.message.written'],
    ['turns', '.turn'],
    ['tokens', '.token'],
  ] as const) {
    const opened = await page.open(`/runs/${runId}/trajectories/${shape.id}?view=${view}`, place);
    await scrollThrough(page);
    const [task = 0] = await page.longTasks();
    most = Math.max(most, task);
    longest.push(`${view} ${task.toFixed(0)} ms, open after ${opened.toFixed(0)} ms`);
  }
  const notes = `${shape.turns * shape.turnTokens} tokens; ${longest.join('; ')}`;
  return [buildRow('dashboard/trajectory', most, 'ms, longest task', { name: 'allowed', value: 100 }, notes)];
});

/** From the page of a run to a token of one of its trajectories: three clicks, nothing read before. */
export const dashboardToken = dashboardItem(async (server, page, short) => {
  const steps = short ? 2 : 60;
  const shapes = Array.from({ length: steps }, (_, step): LongShape => ({
    id: `train/${step + 1}/0/0`,
    step: step + 1,
    turns: 8,
    turnTokens: 250,
    promptTokens: 50,
  }));
  const runId = await importLong(server, shapes);
  const times: number[] = [];
  for (let round = 0; round < (short ? 1 : 10); round++) {
    // a page that has read nothing of the step, with the browser's cache of scripts
    const { id, step } = shapes[(round * 7) % shapes.length] ?? { id: '', step: 0 };
    await page.open(
      `/runs/${runId}/trajectories?from=${step}&to=${step}`,
      `.trajectories a:text-is("${id}")`,
    );
    await page.page.waitForLoadState('networkidle');
    const begin = performance.now();
    await page.page.click(`.trajectories a:text-is("${id}")`);
    await page.page.click('button:text-is("Tokens")');
    await page.page.click('.token >> nth=40');
    await page.page.waitForSelector('.token-detail :text("Log-probability")');
    times.push(performance.now() - begin);
  }
  const notes = `${times.length} trajectories of 2000 tokens; p95 ${percentile(times, 0.95).toFixed(0)} ms, three clicks and their answers`;
  return [buildRow('dashboard/token', percentile(times, 0.5), 'ms', { name: 'allowed', value: 500 }, notes)];
});

async function importLong(server: BenchServer, shapes: readonly LongShape[]): Promise<string> {
  const events: BenchEvent[] = [];
  const files: Record<string, Uint8Array> = {};
  for (const shape of shapes) {
    const { trajectory, update } = createLongTrajectory(shape);
    const path = `trajectories/step-${String(shape.step).padStart(6, '0')}.jsonl.gz`;
    files[path] = gzipSync(`${encodeTrajectory(trajectory, { kept: true, update })}\n`, { level: 1 });
    events.push(
      { kind: 'metrics', time: Date.now(), step: shape.step, values: { 'rollout/reward_mean': 1 } },
      { kind: 'trajectory', time: Date.now(), step: shape.step, row: rowOf(shape) },
    );
  }
  return importRun(server, 0, events, files);
}

const rowOf = ({ id, turns, turnTokens, promptTokens }: LongShape) => ({
  id,
  environment: 'bandit',
  split: 'train' as const,
  group: 0,
  index: 0,
  stateSeed: 1,
  reward: 1,
  environmentReward: 1,
  success: true,
  stopReason: 'success' as const,
  labels: [],
  turns,
  tokens: turns * turnTokens,
  sampledTokens: turns * (turnTokens - promptTokens),
  kept: true,
  error: null,
  text: 'state',
  outcome: 'trained' as const,
  lossTokens: turns * (turnTokens - promptTokens),
  clippedTokens: 2,
  updateShare: 0.25,
});

/** Scrolls a page to its end and back in jumps, as a person who drags the bar does. */
async function scrollThrough({ page }: BenchPage): Promise<void> {
  for (const share of [0.01, 0.02, 0.25, 0.5, 0.75, 1, 0.4, 0]) {
    await page.evaluate(`scrollTo(0, ${share} * document.documentElement.scrollHeight)`);
    await page.waitForTimeout(150);
  }
}
