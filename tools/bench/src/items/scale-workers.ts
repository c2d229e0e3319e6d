/**
 * @file How the server grows with workers and followers, on PostgreSQL: real sockets, no processes behind them. Every worker has a
 * run, heartbeats as the server asks, and posts rows of 20 values. Figures are processor time of the server, as the machine may do other things.
 */
import { loadavg } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { type BenchItem, type BenchRow, buildRow, percentile } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { type BenchWorker, feed, startBenchWorker, wideRow } from '../server/bench-worker.js';
import { growThrough, nameLeftOut } from './scale-budget.js';
import { overSocket } from './server-fanout.js';

/** `heartbeatSeconds` by default. */
const heartbeatMs = 3000;
const width = 20;
const postEveryMs = 4000;

const load = (): string => `load ${loadavg()[0]?.toFixed(1) ?? ''}`;

/** 100, 300 and 1,000 workers, as far as time allows. */
export const scaleWorkers: BenchItem = async ({ short }) => {
  const server = await startBenchServer('postgres');
  const workers: BenchWorker[] = [];
  try {
    let smallest = Number.NaN;
    const measure = async (count: number): Promise<BenchRow> => {
      const begin = performance.now();
      const before = server.processorSeconds();
      const known = workers.length;
      while (workers.length < count) {
        const some = Math.min(10, count - workers.length);
        const started = Array.from({ length: some }, (_, index) =>
          startBenchWorker(server, `bench-${workers.length + index}`, heartbeatMs),
        );
        workers.push(...(await Promise.all(started)));
      }
      const joined = (performance.now() - begin) / 1000;
      const perJoin = ((server.processorSeconds() - before) * 1000) / (count - known);
      const idle = await watch(server, workers, short ? 1 : 15, false);
      const busy = await watch(server, workers, short ? 1 : 20, true);
      smallest = Number.isNaN(smallest) ? busy.share : smallest;
      return buildRow(
        `scale/workers/${count}`,
        busy.share,
        'of a core, server',
        { name: `the smallest number of workers`, value: smallest },
        [
          `${busy.values} values in ${busy.seconds.toFixed(0)} s; heartbeats alone ${idle.share.toFixed(3)} of a core`,
          `answer to a heartbeat p50 ${percentile(busy.beats, 0.5).toFixed(0)}, p95 ${percentile(busy.beats, 0.95).toFixed(0)} ms; ${busy.lost + idle.lost} without an answer`,
          `joined in ${joined.toFixed(0)} s, ${perJoin.toFixed(0)} ms of processor each with its run`,
          `server ${server.residentMb().toFixed(0)} MB; ${load()}`,
        ].join('; '),
      );
    };
    return nameLeftOut(await growThrough(short ? [2, 4] : [100, 300, 1000], measure, 300_000));
  } finally {
    for (const worker of workers) worker.close();
    await server.stop();
  }
};

interface Watched {
  readonly share: number;
  readonly seconds: number;
  readonly values: number;
  readonly beats: readonly number[];
  readonly lost: number;
}

/** What the server does for its workers over a while. */
async function watch(
  server: BenchServer,
  workers: readonly BenchWorker[],
  seconds: number,
  posts: boolean,
): Promise<Watched> {
  for (const worker of workers) worker.takeBeats();
  const before = server.processorSeconds();
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  let values = 0;
  let unanswered = 0;
  const post = (worker: BenchWorker, step: number): void => {
    values += width;
    sent.push(worker.send([wideRow(step, width)]).catch(() => void (unanswered += 1)));
  };
  const timers: NodeJS.Timeout[] = [];
  for (const [index, worker] of (posts ? workers : []).entries())
    timers.push(
      setTimeout(
        () => {
          let step = Math.floor(performance.now());
          post(worker, step++);
          timers.push(setInterval(() => post(worker, step++), postEveryMs));
        },
        (index / workers.length) * Math.min(postEveryMs, seconds * 1000),
      ),
    );
  await wait(seconds * 1000);
  for (const timer of timers) clearInterval(timer);
  await Promise.all(sent);
  const took = (performance.now() - begin) / 1000;
  const beats = workers.map((worker) => worker.takeBeats());
  return {
    share: (server.processorSeconds() - before) / took,
    seconds: took,
    values,
    beats: beats.flatMap(({ times }) => times),
    lost: unanswered + beats.reduce((sum, { lost }) => sum + lost, 0),
  };
}

/** 10, 100 and 300 followers of one run that posts 1,000 values a second. */
export const scaleFollowers: BenchItem = async ({ short }) => {
  const server = await startBenchServer('postgres');
  const ends: (() => void)[] = [];
  try {
    const worker = await startBenchWorker(server);
    const rate = 1000;
    const seconds = short ? 1 : 15;
    let arrived = 0;
    const delays: number[] = [];
    const onTimes = (times: readonly number[]): void => {
      arrived += times.length;
      for (const time of times) delays.push(Date.now() - time);
    };
    /** processor seconds of the server for a while of posting, and rows sent */
    const measure = async (followers: number): Promise<{ spent: number; rows: number }> => {
      await wait(500);
      arrived = 0;
      delays.length = 0;
      const before = server.processorSeconds();
      const rows = await feed(worker, rate, seconds);
      for (let waited = 0; arrived < rows * followers && waited < 20_000; waited += 50) await wait(50);
      return { spent: server.processorSeconds() - before, rows };
    };
    await feed(worker, rate, 1);
    const alone = await measure(0);
    const rows: BenchRow[] = [];
    for (const count of short ? [2, 4] : [10, 100, 300]) {
      while (ends.length < count) ends.push(await overSocket(server, worker.runId, onTimes));
      const { spent, rows: sent } = await measure(count);
      const more = (1000 * (spent - alone.spent)) / count / seconds;
      rows.push(
        buildRow(
          `scale/followers/${count}`,
          spent / seconds,
          'of a core, server',
          { name: 'without followers', value: alone.spent / seconds },
          `${rate} values/s in rows of 50; ${more.toFixed(2)} ms of processor a second for each follower; ${arrived} of ${sent * count} rows arrived, delay p95 ${percentile(delays, 0.95)} ms; ${server.residentMb().toFixed(0)} MB; ${load()}`,
        ),
      );
    }
    worker.close();
    return rows;
  } finally {
    for (const end of ends) end();
    await server.stop();
  }
};
