/** @file The dashboard in headless Chromium, on runs that were written through the real API into SQLite. */
import { dashboardItem } from '../browser/dashboard-item.js';
import { buildRow, percentile } from '../row.js';
import { importRun } from '../server/import-run.js';
import { type BenchEvent, startBenchWorker } from '../server/bench-worker.js';

/** A run of a million points, opened until its charts are drawn. */
export const dashboardOpen = dashboardItem(async (server, page, short) => {
  const worker = await startBenchWorker(server);
  const names = ['rollout/success_rate', 'rollout/reward_mean', 'rollout/entropy', 'policy/gradient_norm'];
  const steps = short ? 2000 : 250_000;
  for (let step = 0; step < steps; step += 1000)
    await worker.send(Array.from({ length: 1000 }, (_, index) => rowOf(step + index + 1, names)));
  worker.close();
  const times: number[] = [];
  const longest: number[] = [];
  // processor time of an opening: what it would take on a machine that has nothing else to do
  const serverMs: number[] = [];
  const pageMs: number[] = [];
  // the same page and browser with next to nothing to read: what the machine itself takes
  const bare: number[] = [];
  for (let round = 0; round < (short ? 1 : 5); round++) {
    bare.push(await page.open('/workers', 'h1:text-is("Workers")'));
    const before = [server.processorSeconds(), await page.processorSeconds()] as const;
    times.push(await page.open(`/runs/${worker.runId}`, '[data-panel="success"] canvas'));
    longest.push((await page.longTasks())[0] ?? 0);
    serverMs.push(1000 * (server.processorSeconds() - before[0]));
    pageMs.push(1000 * ((await page.processorSeconds()) - before[1]));
  }
  const notes = `${steps * names.length} points in four series, ${times.length} cold openings; the page of workers ${percentile(bare, 0.5).toFixed(0)} ms; longest task ${Math.max(...longest).toFixed(0)} ms; processor time of an opening: server ${percentile(serverMs, 0.5).toFixed(0)} ms, page ${percentile(pageMs, 0.5).toFixed(0)} ms`;
  return [buildRow('dashboard/open', percentile(times, 0.5), 'ms', { name: 'allowed', value: 1000 }, notes)];
});

/** From the moment a row of metrics was written by the trainer until its number is on the page. */
export const dashboardPush = dashboardItem(async (server, page, short) => {
  const worker = await startBenchWorker(server);
  await worker.send([rowOf(1, ['rollout/reward_mean'], 1)]);
  await page.open(`/runs/${worker.runId}`, '.tile a:text-is("1")');
  const delays: number[] = [];
  for (let step = 2; step < (short ? 4 : 42); step++) {
    const begin = performance.now();
    await worker.send([rowOf(step, ['rollout/reward_mean'], step)]);
    await page.page.waitForSelector(`.tile a:text-is("${step}")`, { timeout: 30_000 });
    delays.push(performance.now() - begin);
  }
  worker.close();
  const notes = `${delays.length} rows, p50 ${percentile(delays, 0.5).toFixed(0)} ms; looked for every frame`;
  return [
    buildRow('dashboard/push', percentile(delays, 0.95), 'ms, p95', { name: 'allowed', value: 1000 }, notes),
  ];
});

/** 200 runs of 300 steps over one another, panned by dragging. */
export const dashboardOverlay = dashboardItem(async (server, page, short) => {
  const [runs, steps] = short ? [6, 40] : [200, 300];
  for (let run = 0; run < runs; run++) await importRun(server, run, overlaid(run, steps));
  const address = '/compare?all=1&show=runs&metrics=rollout/reward_mean';
  const opened = await page.open(address, '[data-panel="rollout/reward_mean"] canvas');
  const moves = short ? 20 : 200;
  const { redraws, frames, longest } = await page.pan('[data-panel="rollout/reward_mean"]', moves);
  const notes = `${runs} runs × ${steps} steps, ${moves} moves, one a frame; ${frames.toFixed(0)} frames/s of the browser, longest gap ${longest.toFixed(0)} ms; opened in ${opened.toFixed(0)} ms`;
  return [buildRow('dashboard/overlay', redraws, 'redraws/s', { name: 'wanted', value: 30 }, notes)];
});

/** A run with many events besides its metrics: opened until its newest is there, and older ones scrolled to. */
export const dashboardEvents = dashboardItem(async (server, page, short) => {
  const worker = await startBenchWorker(server);
  const count = short ? 2000 : 337_000;
  await worker.send([rowOf(1, ['rollout/reward_mean'])]);
  for (let first = 0; first < count; first += 1000)
    await worker.send(
      Array.from({ length: 1000 }, (_, index): BenchEvent => {
        const step = first + index + 1;
        return {
          kind: 'warning',
          time: Date.now(),
          step,
          code: 'artifact.unavailable',
          message: `event ${step}`,
        };
      }),
    );
  worker.close();
  const all = 'button:text-matches("^All \\\\d+$")';
  const times: number[] = [];
  const tasks: number[] = [];
  for (let round = 0; round < (short ? 1 : 5); round++) {
    times.push(await page.open(`/runs/${worker.runId}`, `.events :text("event ${count}")`));
    // all kinds are counted for the marks
    await page.page.waitForSelector(all);
    tasks.push(...(await page.longTasks()));
  }
  await page.page.click(all);
  await page.page.waitForSelector('.window-list');
  const parts = short ? 3 : 30;
  const read = async (): Promise<number> =>
    Number(await page.page.getAttribute('.window-list li', 'aria-setsize'));
  const before = await read();
  for (let part = 0; part < parts; part++) {
    await page.page.evaluate('scrollTo(0, document.body.scrollHeight)');
    while ((await read()) <= before + part * 100) await page.page.waitForTimeout(20);
  }
  const scrolled = await page.longTasks();
  const longest = Math.max(0, ...tasks, ...scrolled);
  const notes = `${count} events; the newest there after ${percentile(times, 0.5).toFixed(0)} ms (median of ${times.length}); ${(await read()) - before} older ones scrolled to, longest task then ${(scrolled[0] ?? 0).toFixed(0)} ms`;
  return [
    buildRow('dashboard/events', longest, 'ms, longest task', { name: 'allowed', value: 100 }, notes),
    buildRow('dashboard/events-open', percentile(times, 0.5), 'ms', { name: 'allowed', value: 1000 }),
  ];
});

function rowOf(
  step: number,
  names: readonly string[],
  value = Math.sin(step / 50) + Math.random(),
): BenchEvent {
  return {
    kind: 'metrics',
    time: Date.now(),
    step,
    values: Object.fromEntries(names.map((name) => [name, value])),
  };
}

const overlaid = (number: number, steps: number): BenchEvent[] =>
  Array.from({ length: steps }, (_, step) =>
    rowOf(step + 1, ['rollout/reward_mean'], Math.sin((step + number) / 30) + number / 100),
  );
