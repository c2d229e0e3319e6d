/** @file The delay of live metrics with 100 followers of one run, over socket.io and GraphQL subscriptions. */
import { AppError } from '@espalier/contracts';
import type { StreamBatch } from '@espalier/protocol';
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { type BenchItem, buildRow, percentile } from '../row.js';
import { type BenchServer, startBenchServer } from '../server/bench-server.js';
import { feed, startBenchWorker } from '../server/bench-worker.js';

/** Begins to follow; calls back with the rows of every batch. */
type Follow = (
  server: BenchServer,
  runId: string,
  onTimes: (times: readonly number[]) => void,
) => Promise<() => void>;

export const overSocket: Follow = async (server, runId, onTimes) => {
  const socket = io(`${server.url}/stream`, {
    auth: { key: server.adminKey },
    transports: ['websocket'],
    forceNew: true,
  });
  socket.on('batch', ({ metrics }: StreamBatch) => onTimes(metrics.times));
  await socket.emitWithAck('follow', { runId });
  return () => void socket.disconnect();
};

const asSubscription: Follow = (server, runId, onTimes) => {
  const client = createClient({
    url: `${server.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { key: server.adminKey },
  });
  const query = `subscription ($runId: ID!) { runMetrics(runs: { runId: $runId }) { cursor steps times series { name values } } }`;
  client.subscribe<{ runMetrics: { times: number[] } }>(
    { query, variables: { runId } },
    {
      next: ({ data }) => onTimes(data?.runMetrics.times ?? []),
      error: (error) => {
        throw new AppError('bench.item_failed', `subscribe: ${String(error)}`);
      },
      complete: () => undefined,
    },
  );
  return Promise.resolve(() => void client.dispose());
};

const kinds = { socket: overSocket, graphql: asSubscription };

/** @param rate values per second */
export const serverFanout =
  (kind: keyof typeof kinds, rate: number): BenchItem =>
  async ({ short }) => {
    const server = await startBenchServer();
    try {
      const worker = await startBenchWorker(server);
      const [followers, seconds] = short ? [5, 2] : [100, 20];
      const delays: number[] = [];
      let rows = 0;
      const onTimes = (times: readonly number[]): void => {
        const now = Date.now();
        rows += times.length;
        for (const time of times) delays.push(now - time);
      };
      const ends = await Promise.all(
        Array.from({ length: followers }, () => kinds[kind](server, worker.runId, onTimes)),
      );
      const warm = await feed(worker, rate, 1);
      for (let waited = 0; rows < warm * followers && waited < 20_000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50));
      delays.length = 0;
      rows = 0;
      const cpu = process.cpuUsage();
      const serverCpu = server.processorSeconds();
      const sent = await feed(worker, rate, seconds);
      for (let waited = 0; rows < sent * followers && waited < 20_000; waited += 50)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const { user, system } = process.cpuUsage(cpu);
      const spent = server.processorSeconds() - serverCpu;
      for (const end of ends) end();
      worker.close();
      const [p50, p95] = [0.5, 0.95].map((share) => percentile(delays, share));
      const notes = [
        `${followers} followers × ${rate} values/s for ${seconds} s, p50 ${p50} ms`,
        `${rows} of ${sent * followers} rows arrived`,
        `processor time: server ${spent.toFixed(1)} s, followers and worker together ${((user + system) / 1e6).toFixed(1)} s`,
        `server ${server.residentMb().toFixed(0)} MB resident`,
      ].join('; ');
      return [
        buildRow(
          `server-fanout/${kind}`,
          p95 ?? Number.NaN,
          'ms, p95 delay',
          { name: 'allowed', value: 500 },
          notes,
        ),
      ];
    } finally {
      await server.stop();
    }
  };
