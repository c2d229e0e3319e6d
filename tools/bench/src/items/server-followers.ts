/** @file The cost of followers that do not read, and the losses of followers that reconnect. */
import { AppError } from '@espalier/contracts';
import type { StreamBatch } from '@espalier/protocol';
import type { Socket } from 'socket.io-client';
import { type BenchItem, buildRow } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { feed, startBenchWorker } from '../server/bench-worker.js';
import { connectFollower, connectStalled, followRun } from '../server/stalled-followers.js';

/**
 * 200 followers whose connection is open and never read. The memory of a server that is fed grows until the next garbage
 * collection even without followers, so their cost is the difference of two servers' peak memory over the same feed.
 */
export const serverStalled: BenchItem = async ({ short }) => {
  const followers = short ? 10 : 200;
  const alone = await feedStalled(0, short);
  const stalled = await feedStalled(followers, short);
  if (!short && stalled.skipped < followers)
    throw new AppError(
      'bench.item_failed',
      `of ${followers} stalled followers ${stalled.skipped} were skipped`,
    );
  const notes = `${followers} stalled followers of a run with 20,000 values/s for ${stalled.seconds} s, ${stalled.skipped} of them skipped; at most ${stalled.peakMb.toFixed(0)} MB resident, ${alone.peakMb.toFixed(0)} MB in the same feed with no follower`;
  const more = Math.max(0.1, stalled.peakMb - alone.peakMb);
  return [buildRow('server-stalled', more, 'MB more', { name: 'allowed', value: 100 }, notes)];
};

/** Feeds a server of its own, first without followers, then with followers that do not read. */
async function feedStalled(
  followers: number,
  short: boolean,
): Promise<{ readonly peakMb: number; readonly skipped: number; readonly seconds: number }> {
  const server = await startBenchServer();
  try {
    const worker = await startBenchWorker(server);
    const seconds = short ? 2 : 20;
    await feed(worker, 20_000, short ? 1 : 25);
    const stalled = await connectStalled(server, followers);
    // from the newest record on, so that only what they do not read is kept for them
    await stalled.stall(worker.runId);
    await feed(worker, 20_000, seconds);
    const peakMb = server.peakMb();
    // within two seconds no follower has been sent more than the limit of its buffer
    const skipped = short ? 0 : await stalled.countSkipped();
    stalled.close();
    worker.close();
    return { peakMb, skipped, seconds };
  } finally {
    await server.stop();
  }
}

/** Followers that disconnect again and again during the run. */
export const serverReconnects: BenchItem = async ({ short }) => {
  const server = await startBenchServer();
  try {
    const worker = await startBenchWorker(server);
    const [followers, each] = short ? [4, 5] : [20, 50];
    let isOver = false;
    let rows = 0;
    const feeding = (async () => {
      while (!isOver) rows += await feed(worker, 5000, 1);
    })();
    const cursors = await Promise.all(
      Array.from({ length: followers }, () => reconnect(server, worker.runId, each)),
    );
    isOver = true;
    await feeding;
    const results = await Promise.all(cursors.map((result) => readToEnd(server, worker.runId, result)));
    worker.close();
    const missing = results.reduce((sum, result) => sum + Math.max(0, rows - result.rows), 0);
    const wrong = results.reduce((sum, { lost, doubled }) => sum + lost + doubled, missing);
    const seen = results.reduce((sum, result) => sum + result.rows, 0);
    const notes = `lost or doubled rows, plus one; ${followers * each} reconnects, ${seen} rows received, ${rows} written`;
    return [buildRow('server-reconnects', 1 + wrong, 'rows', { name: 'none', value: 1 }, notes)];
  } finally {
    await server.stop();
  }
};

interface Received {
  cursor: number;
  rows: number;
  lost: number;
  doubled: number;
}

function receive(socket: Socket, result: Received): void {
  socket.on('batch', ({ after, cursor, metrics }: StreamBatch) => {
    if (after > result.cursor) result.lost += after - result.cursor;
    if (after < result.cursor) result.doubled += result.cursor - after;
    const count = metrics.cursors.length;
    const first = metrics.cursors[0];
    if (first !== undefined && (metrics.cursors[count - 1] ?? 0) - first !== count - 1) result.lost += 1;
    result.rows += count;
    result.cursor = cursor;
  });
}

async function reconnect(server: BenchServer, runId: string, times: number): Promise<Received> {
  const result = { cursor: 0, rows: 0, lost: 0, doubled: 0 };
  for (let time = 0; time < times; time += 1) {
    const socket = connectFollower(server);
    receive(socket, result);
    await followRun(socket, runId, result.cursor);
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 300));
    socket.removeAllListeners('batch');
    socket.disconnect();
  }
  return result;
}

/** Follows once more, until the last record is there; what does not come within 30 s is lost. */
async function readToEnd(server: BenchServer, runId: string, result: Received): Promise<Received> {
  const socket = connectFollower(server);
  receive(socket, result);
  const head = await followRun(socket, runId, result.cursor);
  for (let tries = 0; tries < 300 && result.cursor < head; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  socket.disconnect();
  return { ...result, lost: result.lost + Math.max(0, head - result.cursor) };
}
