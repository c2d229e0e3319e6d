/** @file How fast events of a worker are stored: real server, real socket, rows of 50 values, 500 rows a message. */
import { type BenchItem, buildRow } from '../row.js';
import { startBenchServer } from '../server/bench-server.js';
import { startBenchWorker, wideRow } from '../server/bench-worker.js';

/** @param required values per second */
export const serverIngest =
  (database: 'sqlite' | 'postgres', required: number): BenchItem =>
  async ({ short }) => {
    const server = await startBenchServer(database);
    try {
      const worker = await startBenchWorker(server);
      const messages = short ? 4 : 200;
      const rows = 500;
      const width = 50;
      await worker.send(Array.from({ length: rows }, (_, step) => wideRow(step, width)));
      const begin = performance.now();
      const under = new Set<Promise<void>>();
      for (let message = 1; message <= messages; message += 1) {
        const sent = worker
          .send(Array.from({ length: rows }, (_, index) => wideRow(message * rows + index, width)))
          .finally(() => under.delete(sent));
        under.add(sent);
        if (under.size >= 4) await Promise.race(under);
      }
      await Promise.all(under);
      const rate = (messages * rows * width) / ((performance.now() - begin) / 1000);
      worker.close();
      const notes = `${messages * rows * width} values; server ${server.residentMb().toFixed(0)} MB resident`;
      return [
        buildRow(`server-ingest/${database}`, rate, 'values/s', { name: 'required', value: required }, notes),
      ];
    } finally {
      await server.stop();
    }
  };
