/** @file Trajectories in headless Chromium: the longest one in its three zooms, and the way to any token. */
import { gzipSync } from 'node:zlib';
import { encodeTrajectory } from '@espalier/recorder';
import { createStream } from '@espalier/random';
import { createLongTrajectory, longestShape, type LongShape } from '@espalier/testing';
import type { BenchPage } from '../browser/bench-page.js';
import { dashboardItem } from '../browser/dashboard-item.js';
import { type BenchRow, buildRow, percentile } from '../row.js';
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

/** The same trajectory turn by turn, as a film, and beside another one that is a little shorter, each walked through. */
export const dashboardTrajectoryViews = dashboardItem(async (server, page, short) => {
  const shape = short ? { ...longestShape, turns: 8, turnTokens: 200, promptTokens: 50 } : longestShape;
  const other = { ...shape, id: 'train/7/0/1', turns: shape.turns - 2 };
  const runId = await importLong(server, [shape, other]);
  const rows: BenchRow[] = [];
  for (const { name, view, place, walk } of [
    { name: 'turning', view: 'turning', place: '.turn-chart', walk: walkTurns },
    { name: 'playback', view: 'playback', place: '.film', walk: walkFilm },
    {
      name: 'side-by-side',
      view: `beside&with=${encodeURIComponent(other.id)}`,
      place: '.beside-row',
      walk: walkBeside,
    },
  ]) {
    const opened = await page.open(`/runs/${runId}/trajectories/${shape.id}?view=${view}`, place);
    const [first = 0] = await page.longTasks();
    const walked = await walk(page);
    const [longest = 0] = await page.longTasks();
    const notes = `${shape.turns * shape.turnTokens} tokens in ${shape.turns} turns; open after ${opened.toFixed(0)} ms, longest task until then ${first.toFixed(0)} ms; ${walked}`;
    rows.push(
      buildRow(`dashboard/${name}`, longest, 'ms, longest task', { name: 'allowed', value: 100 }, notes),
    );
  }
  return rows;
});

/** Turn after turn by the button, then from one end of the chart to the other. */
async function walkTurns({ page }: BenchPage): Promise<string> {
  const columns = page.locator('.turn-column');
  const turns = await columns.count();
  await columns.first().press('Enter');
  const presses = Math.min(30, turns - 1);
  for (let press = 0; press < presses; press++) await page.click('button:text-is("Turn after")');
  for (const turn of [turns - 1, 0, Math.floor(turns / 2)]) await columns.nth(turn).press('Enter');
  await page.waitForSelector(`h2:text-is("Turn ${Math.floor(turns / 2) + 1}")`);
  return `${presses} turns on, and 3 in the chart`;
}

/** Played at the highest speed, then by frames and turns, and to both ends. */
async function walkFilm({ page }: BenchPage): Promise<string> {
  await page.locator('.film-bar [aria-label="Speed"] button').last().click();
  await page.click('.film-bar .primary');
  await page.waitForTimeout(3000);
  for (const key of ['ArrowRight', '.', 'ArrowRight', '.', 'ArrowLeft', ',', 'End', 'Home', '.', '.'])
    await page.keyboard.press(key);
  await page.waitForSelector('.film-bar :text("turn 3 of")');
  return 'played for 3 s, then 10 keys';
}

/** To the first difference and back, then through all turns. */
async function walkBeside(bench: BenchPage): Promise<string> {
  await bench.page.click('button:text-is("Go there")');
  await bench.page.waitForSelector('.first-difference');
  await scrollThrough(bench);
  return 'to the first difference, and scrolled through';
}

const members = 4;

/**
 * From the page of a run to any token of any step: a step, its tokens, one of its trajectories, which are three clicks, and
 * the pointer over the token. Steps, trajectories and tokens are random; nothing of them was read before.
 */
export const dashboardToken = dashboardItem(async (server, page, short) => {
  const steps = short ? 2 : 60;
  const shapes = Array.from({ length: steps * members }, (_, at): LongShape => {
    const step = Math.floor(at / members) + 1;
    return { id: `train/${step}/0/${at % members}`, step, turns: 8, turnTokens: 250, promptTokens: 50 };
  });
  const runId = await importLong(server, shapes);
  const random = createStream(17);
  const below = (count: number): number => Math.floor(random.next() * count);
  const times: number[] = [];
  for (let round = 0; round < (short ? 1 : 40); round++) {
    const { id, step, turns, turnTokens, promptTokens } = shapes[below(shapes.length)] as LongShape;
    const token = below(turns) * turnTokens + promptTokens + below(turnTokens - promptTokens);
    await page.open(`/runs/${runId}`, `.step-bar .cells i >> nth=${steps - 1}`);
    await page.page.waitForLoadState('networkidle');
    const begin = performance.now();
    await page.page.click(`.step-bar .cells i >> nth=${step - 1}`);
    await page.page.click('text=its tokens');
    await page.page.click(`.trajectories a:text-is("${id}")`);
    await page.page.waitForSelector('.token');
    await page.page.evaluate(scrollToShare(token / (turns * turnTokens)));
    await page.page.hover(`[data-token="${token}"]`);
    await page.page.waitForSelector(`.token-detail dd:text-matches("^${token}, turn")`);
    times.push(performance.now() - begin);
  }
  const notes = `${times.length} random tokens of ${shapes.length} trajectories of 2000 tokens, p50 ${percentile(times, 0.5).toFixed(0)} ms; from the page of the run: three clicks, their answers, and the pointer`;
  return [
    buildRow('dashboard/token', percentile(times, 0.95), 'ms, p95', { name: 'allowed', value: 500 }, notes),
  ];
});

/** Runs in the page: brings a place of the tokens into the middle, as a turn of the wheel does. */
const scrollToShare = (share: number): string => `{
  const { top, height } = document.querySelector('.token-list').getBoundingClientRect();
  scrollTo(0, scrollY + top + height * ${share} - innerHeight / 2);
}`;

async function importLong(server: BenchServer, shapes: readonly LongShape[]): Promise<string> {
  const events: BenchEvent[] = [];
  const lines = new Map<number, string[]>();
  for (const shape of shapes) {
    const { trajectory, update } = createLongTrajectory(shape);
    const { step } = shape;
    const time = Date.now();
    if (!lines.has(step)) events.push({ kind: 'metrics', time, step, values: { 'rollout/reward_mean': 1 } });
    events.push({ kind: 'trajectory', time, step, row: rowOf(shape) });
    const line = `${encodeTrajectory(trajectory, { kept: true, update })}\n`;
    lines.set(step, [...(lines.get(step) ?? []), line]);
  }
  const files: Record<string, Uint8Array> = {};
  for (const [step, own] of lines)
    files[`trajectories/step-${String(step).padStart(6, '0')}.jsonl.gz`] = gzipSync(own.join(''), {
      level: 1,
    });
  return importRun(server, 0, events, files);
}

const rowOf = ({ id, turns, turnTokens, promptTokens }: LongShape) => ({
  id,
  environment: 'bandit',
  split: 'train' as const,
  group: 0,
  index: Number(id.split('/').at(-1)),
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
