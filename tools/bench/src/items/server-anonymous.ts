/** @file The cost of anonymous sockets, and of junk on them, for authenticated followers of a run. */
import { Worker } from 'node:worker_threads';
import type { StreamBatch } from '@espalier/protocol';
import { AppError } from '@espalier/contracts';
import { waitFor } from '@espalier/testing';
import { type BenchItem, buildRow, percentile } from '../row.js';
import type { FloodOrder, FloodReport } from '../server/anonymous-flood.js';
import { startBenchServer } from '../server/bench-server.js';
import { feed, startBenchWorker } from '../server/bench-worker.js';
import { connectFollower, followRun } from '../server/stalled-followers.js';

/** Guards against hanging, not against a slow machine. */
const longMs = 180_000;

/** The delay of live metrics while 1,000 anonymous sockets are open and others send junk. */
export const serverAnonymous: BenchItem = async ({ short }) => {
  const [sockets, junk, followers, seconds] = short ? [50, 2, 2, 2] : [1000, 20, 20, 20];
  const server = await startBenchServer();
  let flood: Worker | undefined;
  try {
    const worker = await startBenchWorker(server);
    const delays: number[] = [];
    const connected = Array.from({ length: followers }, () => connectFollower(server));
    for (const socket of connected) {
      socket.on('batch', ({ metrics }: StreamBatch) => {
        const now = Date.now();
        for (const time of metrics.times) delays.push(now - time);
      });
      await followRun(socket, worker.runId, 0);
    }
    const first = await feed(worker, 5000, 1);
    // late rows of these would be taken for rows under the flood
    await waitFor('the first rows arrived', () => delays.length >= first * followers, longMs);
    const order: FloodOrder = { url: server.url, sockets, junk };
    flood = new Worker(new URL('../server/anonymous-flood.js', import.meta.url), { workerData: order });
    await new Promise((resolve) => setTimeout(resolve, short ? 500 : 3000));
    delays.length = 0;
    const rows = await feed(worker, 5000, seconds);
    const arrived = (): boolean => delays.length >= rows * followers;
    await waitFor('every row reached its followers', arrived, longMs).catch(() => undefined);
    const report = await stop(flood);
    if (!arrived())
      throw new AppError(
        'bench.item_failed',
        `of ${rows * followers} rows ${delays.length} reached their followers under the flood`,
      );
    for (const socket of connected) socket.disconnect();
    worker.close();
    const p95 = percentile(delays, 0.95);
    const notes = `${followers} followers of a run with 5000 values/s for ${seconds} s, p50 ${percentile(delays, 0.5)} ms; at most ${report.open} anonymous sockets open at once, ${report.sent} pieces of junk, ${report.refused} connections refused; server ${server.residentMb().toFixed(0)} MB resident`;
    return [buildRow('server-anonymous', p95, 'ms, p95 delay', { name: 'allowed', value: 250 }, notes)];
  } finally {
    await flood?.terminate();
    await server.stop();
  }
};

function stop(flood: Worker): Promise<FloodReport> {
  return new Promise((resolve, reject) => {
    flood.once('message', resolve);
    flood.once('error', reject);
    flood.postMessage('stop');
  });
}
