/** @file The server of an item, in a process of its own: starts it, fills it, tells its address, ends with its parent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverOptions, startServer } from '@espalier/server';
import { createTestKey, createWaitingJobs } from '@espalier/server/testing';

/** What the process is told on its command line, as JSON. */
export interface HostOptions {
  /** jobs that wait when it is ready */
  readonly waitingJobs: number;
}

/** What it says when it is ready. */
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
