/**
 * @file A worker: offers its devices to a server, runs the jobs it is given, each as a process of its own, and sends on
 * what they say. The server may come and go, and so may the worker: processes go on, and nothing they said is lost.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createFolderLock } from '@espalier/telemetry';
import { type Answer, type HeartbeatAnswer, type Welcome, workerProtocol } from '@espalier/protocol';
import { dropOldRuns } from './artifacts/run-record.js';
import type { WorkerParts } from './attempts/worker-parts.js';
import { openDevices } from './devices/devices.js';
import { openExternalPlugins } from './launch/external-plugins.js';
import { defaultCli, listVersions } from './launch/installation.js';
import { createLog, type Log } from './log.js';
import { openRoster } from './roster.js';
import { createArtifactStore } from './server/artifact-store.js';
import { createConnection } from './server/connection.js';
import { workerOptions, type WorkerOptionsInput } from './worker-options.js';

export interface Worker {
  /** Resolves when closed. @throws worker.unauthorized, worker.protocol_mismatch, worker.name_taken */
  readonly ended: Promise<void>;
  /** Tells whether the server has welcomed it. */
  isOnline(): boolean;
  /** Attempts whose process runs, or whose events are not all with the server. */
  holding(): readonly { readonly attemptId: string; readonly state: 'running' | 'ended' }[];
  /** Attempts that were taken away because the server had given them to somebody else. */
  fencedCount(): number;
  /**
   * Ends the worker. Its jobs go on by themselves (`leave`, the default; a worker started later on the same data
   * folder takes them up), or are asked to save and stop, and waited for (`pause`).
   */
  close(how?: { readonly jobs?: 'leave' | 'pause' }): Promise<void>;
}

const hourMs = 3_600_000;
/** How long an end waits for the server to hear of it. */
const farewellMs = 1000;

/**
 * Starts a worker; resolves when it has taken up what an earlier one left, connected or not.
 *
 * @throws worker.data_in_use, and a ZodError for options that the schema refuses
 */
export async function startWorker(
  input: WorkerOptionsInput,
  { log = createLog() }: { readonly log?: Log } = {},
): Promise<Worker> {
  const options = workerOptions.parse(input);
  const data = resolve(options.data);
  const release = createFolderLock(data, 'worker', 'worker.data_in_use');
  const folders = { attempts: join(data, 'attempts'), runs: join(data, 'runs'), forks: join(data, 'forks') };
  Object.values(folders).forEach((folder) => mkdirSync(folder, { recursive: true }));
  const devices = await openDevices(options, log);
  const plugins = openExternalPlugins();
  const instance = randomUUID();
  let heartbeat: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    if (!connection.isOnline()) return;
    const attempts = roster.holding().map(({ attemptId, token }) => ({ attemptId, token }));
    const message = {
      ...{ devices: devices.list(), plugins: [...plugins.list()], attempts },
      closing: closing !== undefined,
    };
    const answer: Answer<HeartbeatAnswer> | undefined = await connection
      .send<HeartbeatAnswer>('heartbeat', message)
      .catch(() => undefined);
    if (answer?.ok === true) roster.fence(answer.value.fenced);
    else if (answer !== undefined) connection.renew(`heartbeat refused: ${answer.code}: ${answer.message}`);
  };
  const connection = createConnection({
    ...{ options, log },
    hello: () => ({
      ...{ protocol: workerProtocol, name: options.name, instance, host: hostname() },
      ...{ version: listVersions()['espalier'] ?? 'unknown', node: process.versions.node },
      ...{ labels: options.labels, devices: devices.list(), holding: roster.holding() },
      plugins: [...plugins.list()],
    }),
    onWelcome(welcome: Welcome) {
      roster.welcome(welcome);
      clearInterval(heartbeat);
      heartbeat = setInterval(() => void beat(), welcome.heartbeatMs);
    },
    onLost: () => clearInterval(heartbeat),
    onAssign: async (message) => roster.assign(message),
    onControl: (message) => roster.control(message),
  });
  const parts: WorkerParts = {
    ...{ options, log, plugins, cli: options.cli ?? defaultCli(), runs: folders.runs, forks: folders.forks },
    ...{ exchange: connection, store: createArtifactStore(options.server, options.key) },
  };
  const roster = openRoster(folders.attempts, devices, parts);
  const tidy = (): void => {
    const dropped = dropOldRuns(folders, options.keepRunsDays, (runId) => roster.isHeld(runId));
    if (dropped > 0) log.info({ dropped }, 'old run folders deleted');
  };
  tidy();
  const tidying = setInterval(tidy, hourMs);
  tidying.unref();
  const shutDown = async (jobs: 'leave' | 'pause'): Promise<void> => {
    clearInterval(tidying);
    // so that the server places what is paused elsewhere, or keeps it
    await Promise.race([beat(), wait(farewellMs, undefined, { ref: false })]);
    if (jobs === 'pause') await roster.pauseAll();
    clearInterval(heartbeat);
    await roster.stop();
    connection.close();
    devices.close();
    release();
  };
  return {
    ended: connection.ended,
    isOnline: () => connection.isOnline(),
    holding: () => roster.holding(),
    fencedCount: () => roster.fencedCount,
    close: ({ jobs = 'leave' } = {}) => (closing ??= Promise.resolve(jobs).then(shutDown)),
  };
}
