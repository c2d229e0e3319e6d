/** @file The server of an item in its own process: starts and fills it, reports its address, exits with its parent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverOptions, startServer } from '@espalier/server';
import { createTestKey, createWaitingJobs } from '@espalier/server/testing';

/** The command-line argument of the process, as JSON. */
export interface HostOptions {
  /** jobs that wait when it is ready */
  readonly waitingJobs: number;
}

/** Its message when it is ready. */
export interface HostReady {
  readonly url: string;
  readonly workerKey: string;
}

const { waitingJobs } = JSON.parse(process.argv[2] ?? '{}') as HostOptions;
const folder = mkdtempSync(join(tmpdir(), 'espalier-bench-server-'));
const server = await startServer(serverOptions.parse({ port: 0, data: folder, logLevel: 'silent' }));
const workerKey = await createTestKey(server, 'worker');
await createWaitingJobs(server, waitingJobs, ['ann', 'ben', 'eve']);
process.once('disconnect', () => {
  void server.close().finally(() => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
});
process.on('message', () => process.send?.({ rss: process.memoryUsage().rss, cpu: process.cpuUsage() }));
process.send?.({ url: server.url, workerKey } satisfies HostReady);
