/** @file Read latency: decimated history of a million values, full-text search over many trajectories. */
import { AppError } from '@espalier/contracts';
import { type BenchItem, type BenchRow, buildRow, percentile } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { type BenchEvent, startBenchWorker } from '../server/bench-worker.js';

/** One series of a million values, whole and in parts, to 2,000 points. */
export const serverHistory =
  (database: 'sqlite' | 'postgres'): BenchItem =>
  async ({ short }) => {
    const server = await startBenchServer(database);
    try {
      const worker = await startBenchWorker(server);
      const count = short ? 20_000 : 1_000_000;
      for (let step = 0; step < count; step += 2000)
        await worker.send(
          Array.from({ length: 2000 }, (_, index): BenchEvent => {
            const value = Math.sin((step + index) * 0.001) + Math.random();
            return {
              kind: 'metrics',
              time: Date.now(),
              step: step + index,
              values: { 'bench/value': value },
            };
          }),
        );
      const paths = [
        `runs/${worker.runId}/metrics?name=bench/value&points=2000`,
        `runs/${worker.runId}/metrics?name=bench/value&points=2000&fromStep=${Math.floor(count / 3)}&toStep=${count / 2}`,
        `runs/${worker.runId}/metrics?name=bench/value&points=2000&fromStep=1000&toStep=${count - 1000}`,
      ];
      const rows = await measure(server, `server-history/${database}`, paths, 150, short);
      worker.close();
      return rows;
    } finally {
      await server.stop();
    }
  };

const words =
  'left right up down push box wall goal hole ice think maybe wait turn step move safe lost'.split(' ');

/** 100,000 trajectories of about 600 characters; frequent and rare words, phrases, counts per step, in a run and in all. */
export const serverSearch =
  (database: 'sqlite' | 'postgres'): BenchItem =>
  async ({ short }) => {
    const server = await startBenchServer(database);
    try {
      const worker = await startBenchWorker(server);
      const count = short ? 1000 : 100_000;
      for (let first = 0; first < count; first += 500)
        await worker.send(Array.from({ length: 500 }, (_, index) => trajectoryOf(first + index)));
      const texts = [
        'left',
        'left right',
        '"push box"',
        'needle7',
        'absent',
        'left -wall',
        'goal hole needle3',
      ];
      const base = `runs/${worker.runId}`;
      const paths = [
        ...texts.map((text) => `${base}/trajectories?text=${encodeURIComponent(text)}`),
        ...['reward', 'step'].map(
          (orderBy) => `${base}/trajectories?text=push&orderBy=${orderBy}&direction=desc`,
        ),
        `${base}/trajectory-counts?text=${encodeURIComponent('"push box"')}`,
        'trajectories?project=default&text=left',
        'trajectories?project=default&text=needle7&orderBy=stored&direction=desc',
        'trajectories?project=default&success=true&minTurns=3&orderBy=reward&direction=desc',
        'trajectories?stateSeed=7',
      ];
      const rows = await measure(server, `server-search/${database}`, paths, 300, short);
      worker.close();
      return rows;
    } finally {
      await server.stop();
    }
  };

function trajectoryOf(number: number): BenchEvent {
  const step = Math.floor(number / 128);
  const text = Array.from({ length: 110 }, () => words[Math.floor(Math.random() * words.length)]).join(' ');
  const success = number % 3 === 0;
  return {
    kind: 'trajectory',
    time: Date.now(),
    step,
    row: {
      id: `train/${step}/${(number >> 3) & 15}/${number & 7}`,
      environment: 'bench',
      split: 'train',
      group: (number >> 3) & 15,
      index: number & 7,
      stateSeed: number,
      reward: Math.random(),
      success,
      environmentReward: 0,
      stopReason: success ? 'success' : 'turns',
      labels: success ? [] : ['budget-exhausted'],
      turns: 3,
      tokens: 200,
      sampledTokens: 120,
      kept: true,
      error: null,
      text: `${text} needle${number % 5000}`,
    },
  };
}

async function measure(
  server: BenchServer,
  name: string,
  paths: readonly string[],
  allowed: number,
  short: boolean,
): Promise<BenchRow[]> {
  const rounds = short ? 1 : 10;
  const times: number[] = [];
  const slowest = { path: '', time: 0 };
  for (let round = 0; round <= rounds; round += 1) {
    for (const path of paths) {
      const begin = performance.now();
      const response = await fetch(`${server.url}/api/v1/${path}`, {
        headers: { authorization: `Bearer ${server.adminKey}` },
      });
      await response.arrayBuffer();
      if (!response.ok) throw new AppError('bench.item_failed', `${path}: ${response.status}`);
      const time = performance.now() - begin;
      if (round === 0) continue; // warm
      times.push(time);
      if (time > slowest.time) Object.assign(slowest, { path: path.slice(path.indexOf('?')), time });
    }
  }
  const notes = `${times.length} requests, p50 ${percentile(times, 0.5).toFixed(1)} ms; slowest ${slowest.path} ${slowest.time.toFixed(0)} ms`;
  return [buildRow(name, percentile(times, 0.95), 'ms, p95', { name: 'allowed', value: allowed }, notes)];
}
