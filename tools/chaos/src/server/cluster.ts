/**
 * @file The system under test: a server with a database, a relay, two workers behind it with their own folders, and a
 * client that connects to the server directly.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@espalier/client';
import { findProgram, freePort, type PostgresService, startPostgres } from '@espalier/testing';
import { type Network, openNetwork } from './network.js';
import { createProgram, killProcessesUsing, type Program } from './program.js';
import { mountSmallDisk, type SmallDisk } from './small-disk.js';
import { type HeldAttempt, isWorking, listHeld } from './worker-folder.js';

export type ClusterKind = 'sqlite' | 'postgres' | 'small-disks';

export interface WorkerNode {
  readonly name: string;
  readonly folder: string;
  readonly program: Program;
  readonly disk: SmallDisk | undefined;
}

export interface Cluster {
  readonly folder: string;
  readonly client: Client;
  readonly server: Program;
  readonly serverDisk: SmallDisk | undefined;
  readonly workers: readonly WorkerNode[];
  readonly network: Network;
  readonly postgres: PostgresService | undefined;
  /** The newest attempt of a run on any worker. */
  newestOf(runId: string): HeldAttempt | undefined;
  workerNamed(name: string): WorkerNode;
  /** Starts a third worker, so that one is always free; once. */
  ensureSpare(): Promise<void>;
  /** Stops everything, including leftovers of workers. */
  close(): Promise<void>;
}

const adminKey = 'an-admin-key-for-the-chaos-experiment-only';
const workerKey = 'a-worker-key-for-the-chaos-experiment-only';
/** Short, so that a stopped or disconnected worker soon loses its jobs. */
export const leaseMs = 2000;

const serverSettings = {
  ACCESS__ADMINKEY: adminKey,
  ACCESS__WORKERKEY: workerKey,
  LEASESECONDS: String(leaseMs / 1000),
  RETURNSECONDS: String(leaseMs / 1000),
  HEARTBEATSECONDS: '0.4',
  // faults must not fail a job
  MAXFAILURES: '100',
  RETRYSECONDS: '0',
  MINFREEMB: '0',
  LOGLEVEL: 'warn',
};
const workerSettings = {
  KEY: workerKey,
  GPUS: 'off',
  MINFREEMB: '2',
  TIMING__POLLMS: '50',
  TIMING__RECONNECTMINMS: '50',
  TIMING__RECONNECTMAXMS: '500',
  TIMING__ACKTIMEOUTMS: '3000',
  TIMING__TRANSFERRETRYMS: '50',
};

const asVariables = (app: string, settings: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [`ESPALIER__${app}__${name}`, value]));

/** Starts a cluster in an empty folder. @returns undefined, with a logged reason, when this machine lacks something */
export async function openCluster(
  kind: ClusterKind,
  folder: string,
  log: (line: string) => void,
): Promise<Cluster | undefined> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (kind === 'postgres' && findProgram('initdb') === undefined)
    return void log('skipped: PostgreSQL is not installed');
  const postgres = kind === 'postgres' ? await startPostgres() : undefined;
  const mountAt = (name: string): SmallDisk | undefined =>
    kind === 'small-disks' ? mountSmallDisk(join(folder, name)) : undefined;
  const serverDisk = mountAt('server');
  if (kind === 'small-disks' && serverDisk === undefined)
    return void log('skipped: this user may not mount a small disk');
  const port = await freePort();
  const server = createServerProgram(folder, port, postgres);
  await server.start();
  const network = await openNetwork(port);
  const workers = ['one', 'two'].map((name) => createWorker(folder, name, network.port, mountAt(name)));
  await Promise.all(workers.map(({ program }) => program.start()));
  const client = createClient({ url: `http://127.0.0.1:${port}`, key: adminKey });
  const findWorker = (name: string): WorkerNode => {
    const worker = workers.find((one) => one.name === name);
    if (worker === undefined) throw new Error(`no worker "${name}"`);
    return worker;
  };
  return {
    folder,
    client,
    server,
    serverDisk,
    workers,
    network,
    postgres,
    workerNamed: findWorker,
    async ensureSpare() {
      if (workers.length > 2) return;
      const spare = createWorker(folder, 'three', network.port, undefined);
      workers.push(spare);
      await spare.program.start();
    },
    newestOf: (runId) =>
      workers
        .flatMap((worker) => listHeld(worker.name, worker.folder))
        .filter((held) => held.runId === runId)
        .sort((a, b) => b.token - a.token)[0],
    async close() {
      await client.dispose();
      for (const { program } of workers) await program.kill();
      await server.kill();
      network.close();
      await postgres?.stop();
      await killLeftovers(folder);
      for (const disk of [serverDisk, ...workers.map((worker) => worker.disk)]) disk?.unmount();
    },
  };
}

function createServerProgram(folder: string, port: number, postgres: PostgresService | undefined): Program {
  const database = postgres === undefined ? {} : { DATABASE__KIND: 'postgres', DATABASE__URL: postgres.url };
  const words = ['serve', '--port', String(port), '--data', join(folder, 'server'), '--json'];
  const env = asVariables('SERVER', {
    ...serverSettings,
    ...database,
    MODELROOTS: JSON.stringify([join(folder, '..', 'models')]),
  });
  return createProgram(words, env, join(folder, 'server.log'));
}

function createWorker(folder: string, name: string, port: number, disk: SmallDisk | undefined): WorkerNode {
  const data = join(folder, name);
  const words = ['worker', '--name', name, '--slots', '1', '--data', data, '--json'];
  words.push('--server', `http://127.0.0.1:${port}`);
  const env = asVariables('WORKER', {
    ...workerSettings,
    MODELROOTS: JSON.stringify([join(folder, '..', 'models')]),
  });
  return { name, folder: data, disk, program: createProgram(words, env, join(folder, `${name}.log`)) };
}

async function killLeftovers(folder: string): Promise<void> {
  while (killProcessesUsing(folder) > 0) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Whether the process of an attempt is running. */
export function isTraining(held: HeldAttempt | undefined): held is HeldAttempt {
  return held !== undefined && !held.hasEnded && isWorking(held.pid);
}
