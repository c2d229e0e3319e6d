/** @file What followers cost who do not read, and what those lose who come and go. */
import type { StreamBatch } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import type { BenchItem } from '../bench-item.js';
import { buildRow } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { feed, startBenchWorker } from '../server/bench-worker.js';

function connect(server: BenchServer): Socket {
  return io(`${server.url}/stream`, {
    ...{ auth: { key: server.adminKey }, transports: ['websocket'], forceNew: true, reconnection: false },
  });
}

/** 200 followers whose connection is open and never read. */
export const serverStalled: BenchItem = async ({ short }) => {
  const server = await startBenchServer();
  try {
    const worker = await startBenchWorker(server);
    const [followers, seconds] = short ? [10, 2] : [200, 20];
    await feed(worker, 20_000, short ? 1 : 25);
    const before = server.residentMb();
    const sockets = Array.from({ length: followers }, () => connect(server));
    await Promise.all(
      sockets.map((socket) => socket.emitWithAck('follow', { runId: worker.runId, after: 1e9 })),
    );
    for (const socket of sockets) {
      const transport = socket.io.engine.transport as unknown as { ws: { _socket: { pause(): void } } };
      transport.ws._socket.pause();
    }
    await feed(worker, 20_000, seconds);
    const growth = server.residentMb() - before;
    for (const socket of sockets) socket.disconnect();
    worker.close();
    const notes = `${followers} stalled followers of a run with 20,000 values/s for ${seconds} s; ${before.toFixed(0)} MB resident before`;
    return [
      buildRow('server-stalled', Math.max(0.1, growth), 'MB more', { name: 'allowed', value: 100 }, notes),
    ];
  } finally {
    await server.stop();
  }
};

/** Followers that disconnect again and again while the run goes on. */
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
    const results = await Promise.all(
      Array.from({ length: followers }, () => reconnect(server, worker.runId, each)),
    );
    isOver = true;
    await feeding;
    worker.close();
    const wrong = results.reduce((sum, { lost, doubled }) => sum + lost + doubled, 0);
    const seen = results.reduce((sum, result) => sum + result.rows, 0);
    const notes = `lost or doubled rows, plus one; ${followers * each} reconnects, ${seen} rows received, ${rows} written`;
    return [buildRow('server-reconnects', 1 + wrong, 'rows', { name: 'none', value: 1 }, notes)];
  } finally {
    await server.stop();
  }
};

async function reconnect(
  server: BenchServer,
  runId: string,
  times: number,
): Promise<{ rows: number; lost: number; doubled: number }> {
  const result = { rows: 0, lost: 0, doubled: 0 };
  let last = 0;
  for (let time = 0; time < times; time += 1) {
    const socket = connect(server);
    socket.on('batch', ({ after, cursor, metrics }: StreamBatch) => {
      if (after > last) result.lost += after - last;
      if (after < last) result.doubled += last - after;
      const count = metrics.cursors.length;
      const first = metrics.cursors[0];
      if (first !== undefined && (metrics.cursors[count - 1] ?? 0) - first !== count - 1) result.lost += 1;
      result.rows += count;
      last = cursor;
    });
    await socket.emitWithAck('follow', { runId, after: last });
    await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 300));
    socket.removeAllListeners('batch');
    socket.disconnect();
  }
  return result;
}
