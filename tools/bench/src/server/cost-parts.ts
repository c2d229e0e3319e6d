/**
 * @file One training in four ways: by `espalier train`, under a server with one worker, followed there, and followed by
 * many who do not read. Of each, the time between its first and its last metrics row, and the processor time of every process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Client, createClient } from '@espalier/client';
import { readMetrics } from '@espalier/recorder';
import { processorSeconds } from './processor-seconds.js';
import { connectStalled } from './stalled-followers.js';

const main = fileURLToPath(new URL('../../../../apps/cli/dist/main.js', import.meta.url));
const adminKey = 'an-admin-key-for-measuring-and-no-more';
const workerKey = 'a-worker-key-for-measuring-and-no-more';

/** What one training took, s; the trainer with the start of its process, and with what its worker starts besides. */
export interface Cost {
  /** from the first to the last metrics row */
  readonly wall: number;
  /** processor time */
  readonly trainer: number;
  readonly worker: number;
  readonly server: number;
}

/** Followers of the run: one that gets every record as it comes, none until it is over, or many that stopped reading. */
export type Audience = 'follower' | 'none' | { readonly stalled: number };

export interface CostParts {
  trainPlain(spec: object): Promise<Cost>;
  /** Trains under the server. */
  trainUnder(spec: object, audience: Audience): Promise<Cost>;
  close(): Promise<void>;
}

/** Starts a server and a worker with one slot, in processes and a folder of their own. */
export async function startCostParts(): Promise<CostParts> {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-cost-'));
  const keys = {
    ESPALIER__SERVER__ACCESS__ADMINKEY: adminKey,
    ESPALIER__SERVER__ACCESS__WORKERKEY: workerKey,
  };
  const server = start(['serve', '--port', '0', '--data', join(folder, 'server'), '--json'], keys);
  const { url } = JSON.parse(await firstLine(server)) as { url: string };
  const data = join(folder, 'worker');
  const words = ['worker', '--server', url, '--name', 'cost', '--slots', '1', '--data', data, '--json'];
  const worker = start(words, { ESPALIER__WORKER__KEY: workerKey, ESPALIER__WORKER__GPUS: 'off' });
  await firstLine(worker);
  const client = createClient({ url, key: adminKey });
  const spent = () => {
    const ofWorker = processorSeconds(worker.pid);
    const ofServer = processorSeconds(server.pid);
    return { trainer: ofWorker.children, worker: ofWorker.own, server: ofServer.own };
  };
  return {
    async trainPlain(spec) {
      const file = join(folder, 'plain.yaml');
      const run = join(folder, 'plain');
      writeFileSync(file, JSON.stringify(spec));
      const before = processorSeconds('self').children;
      const code = await ended(start(['train', file, '--out', run], {}));
      if (code !== 0) throw new Error(`training ended with ${String(code)}`);
      const trainer = processorSeconds('self').children - before;
      const wall = trainingSeconds(run);
      rmSync(run, { recursive: true });
      return { wall, trainer, worker: 0, server: 0 };
    },
    async trainUnder(spec, audience) {
      const count = typeof audience === 'object' ? audience.stalled : 0;
      const stalled = await connectStalled({ url, adminKey }, count);
      const before = spent();
      const { id } = await client.runs.create({ spec });
      await stalled.stall(id, 0);
      await (audience === 'follower' ? followToEnd(client, id) : waitUntilLetGo(join(data, 'attempts')));
      // what is stored after the end counts too
      await wait(1000);
      const after = spent();
      stalled.close();
      return {
        wall: trainingSeconds(join(data, 'runs', id)),
        trainer: after.trainer - before.trainer,
        worker: after.worker - before.worker,
        server: after.server - before.server,
      };
    },
    async close() {
      await client.dispose();
      for (const child of [worker, server]) {
        child.kill('SIGTERM');
        await ended(child);
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function followToEnd(client: Client, id: string): Promise<void> {
  for await (const _batch of client.follow(id));
}

/** Does not ask the server: a worker deletes the folder of an attempt when all its events are stored. */
async function waitUntilLetGo(attempts: string): Promise<void> {
  for (let seen = false; ; await wait(500)) {
    const isHeld = readdirSync(attempts).length > 0;
    if (seen && !isHeld) return;
    seen ||= isHeld;
  }
}

/** Seconds between the first and the last metrics row of a run folder. */
function trainingSeconds(run: string): number {
  const rows = readMetrics(join(run, 'metrics.jsonl'));
  return ((rows.at(-1)?.time ?? 0) - (rows[0]?.time ?? 0)) / 1000;
}

function start(words: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  return spawn(process.execPath, [main, ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

/** Resolves with the first line it prints. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    child.once('exit', (code) => reject(new Error(`ended with ${String(code)} before it was ready`)));
  });
}

/** Resolves with the exit code; what it prints is thrown away. */
function ended(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume();
  return new Promise((resolve) => child.once('exit', resolve));
}
