/** @file How PostgreSQL and the server grow with what is stored: metric values of one run, and runs. */
import { loadavg } from 'node:os';
import { AppError } from '@espalier/contracts';
import { type BenchItem, type BenchRow, buildRow, percentile } from '../row.js';
import { growThrough, nameLeftOut } from './scale-budget.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { createRun, startBenchWorker, wideRow } from '../server/bench-worker.js';

/** Time of one item. */
const budgetMs = 180_000;
const width = 50;
const rowsOfMessage = 500;
const load = (): string => `load ${loadavg()[0]?.toFixed(1) ?? ''}`;

/** Up to 1e8 values, as far as time allows: processor time and bytes a value, and how long their history takes to read. */
export const scaleValues: BenchItem = async ({ short }) => {
  const server = await startBenchServer('postgres');
  try {
    const worker = await startBenchWorker(server);
    const empty = server.databaseBytes();
    let step = 0;
    let smallest = Number.NaN;
    const measure = async (count: number): Promise<BenchRow> => {
      const before = server.processorSeconds();
      const begin = performance.now();
      const from = step;
      const sent: Promise<void>[] = [];
      while (step * width < count) {
        const first = step;
        step += rowsOfMessage;
        sent.push(
          worker.send(Array.from({ length: rowsOfMessage }, (_, index) => wideRow(first + index, width))),
        );
        // as many as a worker has on the way
        if (sent.length >= 4) await sent.shift();
      }
      await Promise.all(sent);
      const values = (step - from) * width;
      const seconds = (performance.now() - begin) / 1000;
      const spent = ((server.processorSeconds() - before) * 1e6) / values;
      smallest = Number.isNaN(smallest) ? spent : smallest;
      const path = `runs/${worker.runId}/metrics?name=bench/metric_7&points=2000`;
      const read = await times(server, [path], short ? 2 : 10);
      return buildRow(
        `scale/values/${count.toExponential(0)}`,
        spent,
        'µs of processor a value, server',
        { name: 'the smallest number of values', value: smallest },
        `${(values / seconds).toFixed(0)} values/s; ${((server.databaseBytes() - empty) / (step * width)).toFixed(1)} bytes a value in the database; a series of ${step} points to 2,000: p50 ${percentile(read, 0.5).toFixed(0)}, p95 ${percentile(read, 0.95).toFixed(0)} ms; server ${server.residentMb().toFixed(0)} MB; ${load()}`,
      );
    };
    const rows = nameLeftOut(
      await growThrough(short ? [25_000, 50_000] : [1e5, 1e6, 3e6, 1e7, 1e8], measure, budgetMs),
    );
    worker.close();
    return rows;
  } finally {
    await server.stop();
  }
};

/** Up to ten thousand runs, as far as time allows: what it costs to make one, and to find some. */
export const scaleRuns: BenchItem = async ({ short }) => {
  const server = await startBenchServer('postgres');
  try {
    const empty = server.databaseBytes();
    let made = 0;
    let smallest = Number.NaN;
    const measure = async (count: number): Promise<BenchRow> => {
      const before = server.processorSeconds();
      const begin = performance.now();
      const from = made;
      while (made < count) {
        const some = Math.min(4, count - made);
        await Promise.all(Array.from({ length: some }, () => createRun(server)));
        made += some;
      }
      const seconds = (performance.now() - begin) / 1000;
      const spent = ((server.processorSeconds() - before) * 1000) / (made - from);
      smallest = Number.isNaN(smallest) ? spent : smallest;
      const lists = await times(server, ['runs?first=50', 'runs?first=50&text=bandit'], short ? 2 : 10);
      return buildRow(
        `scale/runs/${count}`,
        spent,
        'ms of processor a run made, server',
        { name: 'the smallest number of runs', value: smallest },
        `${((made - from) / seconds).toFixed(0)} runs/s; ${((server.databaseBytes() - empty) / made / 1024).toFixed(1)} KiB a run in the database; a page of 50, plain and searched: p50 ${percentile(lists, 0.5).toFixed(0)}, p95 ${percentile(lists, 0.95).toFixed(0)} ms; server ${server.residentMb().toFixed(0)} MB; ${load()}`,
      );
    };
    return nameLeftOut(await growThrough(short ? [4, 8] : [300, 1000, 3000, 10_000], measure, budgetMs));
  } finally {
    await server.stop();
  }
};

/** How long requests take, after one of each that warms up. */
async function times(server: BenchServer, paths: readonly string[], rounds: number): Promise<number[]> {
  const taken: number[] = [];
  for (let round = 0; round <= rounds; round += 1)
    for (const path of paths) {
      const begin = performance.now();
      const response = await fetch(`${server.url}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${server.adminKey}` },
      });
      await response.arrayBuffer();
      if (!response.ok) throw new AppError('bench.item_failed', `${path}: ${response.status}`);
      if (round > 0) taken.push(performance.now() - begin);
    }
  return taken;
}
