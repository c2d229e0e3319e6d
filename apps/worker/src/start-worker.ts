/**
 * @file A worker offers its devices to a server, runs each job it is given in its own process and ships the events of
 * these processes. Processes survive a restart of the server or of the worker, and no event is lost.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findInstallation, listVersions } from '@espalier/config';
import { createFolderLock } from '@espalier/files';
import { type Answer, type HeartbeatAnswer, type Welcome, workerProtocol } from '@espalier/protocol';
import { deleteOldRuns } from './artifacts/run-record.js';
import type { WorkerContext } from './attempts/run-attempt.js';
import { openDevices } from './devices/devices.js';
import { openExternalPlugins } from './plugins/external-plugins.js';
import { createLogger, type Logger } from './logger.js';
import { type AttemptManager, openAttemptManager } from './attempts/attempt-manager.js';
import { createArtifactStore } from './artifacts/artifact-store.js';
import { createConnection } from './connection.js';
import { type WorkerOptions, workerOptions, type WorkerOptionsInput } from './worker-options.js';

export interface Worker {
  /** Resolves when closed. @throws worker.unauthorized, worker.protocol_mismatch, worker.name_taken */
  readonly ended: Promise<void>;
  /** Whether the server has accepted its hello. */
  isOnline(): boolean;
  /** Attempts whose process is running, or whose events the server has not all stored. */
  holding(): readonly { readonly attemptId: string; readonly state: 'running' | 'ended' }[];
  /** Number of attempts that were killed because the server had assigned their job to another worker. */
  fencedCount(): number;
  /**
   * Closes the worker. With `leave` its jobs keep running, and a worker started later on the same data folder adopts
   * them. With `drain` it asks them to save and stop, and waits until they have and the server has everything of them;
   * those that run after the deadline are killed. Default: the setting `onStop`.
   */
  close(how?: { readonly jobs?: WorkerOptions['onStop'] }): Promise<void>;
}

const hourMs = 3_600_000;
/** How long `close` waits for the server to acknowledge it. */
const closeTimeoutMs = 1000;

/**
 * Starts a worker; resolves when it has adopted the attempts of an earlier one, whether or not it is connected.
 *
 * @throws worker.data_in_use, and a ZodError for invalid options
 */
export async function startWorker(
  input: WorkerOptionsInput,
  { log = createLogger() }: { readonly log?: Logger } = {},
): Promise<Worker> {
  const options = workerOptions.parse(input);
  const data = resolve(options.data);
  const lock = createFolderLock(data, 'worker', 'worker.data_in_use');
  const folders = createFolders(data);
  const devices = await openDevices(options, log);
  const plugins = openExternalPlugins();
  const instance = randomUUID();
  let heartbeat: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;

  const beat = async (): Promise<void> => {
    if (!connection.isOnline()) return;
    const attempts = manager.holding().map(({ attemptId, token }) => ({ attemptId, token }));
    const message = {
      devices: devices.list(),
      plugins: [...plugins.list()],
      attempts,
      closing: closing !== undefined,
    };
    const answer: Answer<HeartbeatAnswer> | undefined = await connection
      .send<HeartbeatAnswer>('heartbeat', message)
      .catch(() => undefined);
    if (answer?.ok === true) manager.fence(answer.value.fenced);
    else if (answer !== undefined)
      connection.reconnect(`heartbeat refused: ${answer.code}: ${answer.message}`);
  };
  const connection = createConnection({
    options,
    log,
    hello: () => ({
      ...describeWorker(options, instance),
      devices: devices.list(),
      holding: manager.holding(),
      plugins: [...plugins.list()],
    }),
    onWelcome(welcome: Welcome) {
      manager.welcome(welcome);
      clearInterval(heartbeat);
      heartbeat = setInterval(() => void beat(), welcome.heartbeatMs);
    },
    onLost: () => clearInterval(heartbeat),
    onAssign: async (message) => manager.assign(message),
    onControl: (message) => manager.control(message),
    onCall: (message) => manager.call(message),
    onDrain: (message) => manager.drain(message),
  });
  const parts: WorkerContext = {
    ...folders,
    options,
    log,
    plugins,
    cli: options.cli ?? findInstallation().program,
    connection,
    store: createArtifactStore(() => connection.address(), options.key),
  };
  const manager = openAttemptManager(folders.attempts, devices, parts);
  const cleanup = startCleanup(folders, options.keepRunsDays, manager, log);
  const shutDown = async (jobs: WorkerOptions['onStop']): Promise<void> => {
    clearInterval(cleanup);
    // the server then schedules jobs that stop on other workers
    await Promise.race([beat(), wait(closeTimeoutMs, undefined, { ref: false })]);
    if (jobs === 'drain') await drain(manager, options);
    clearInterval(heartbeat);
    await manager.detach();
    connection.close();
    devices.close();
    lock.release();
  };
  return {
    ended: connection.ended,
    isOnline: () => connection.isOnline(),
    holding: () => manager.holding(),
    fencedCount: () => manager.fencedCount,
    close: ({ jobs = options.onStop } = {}) => (closing ??= Promise.resolve(jobs).then(shutDown)),
  };
}

/** Drains by the deadline; what is left to upload then gets as long as a request to stop, and stays in the data folder. */
async function drain(
  manager: AttemptManager,
  { drainSeconds, timing: { graceMs } }: WorkerOptions,
): Promise<void> {
  const deadlineMs = drainSeconds * 1000;
  const patience = wait(deadlineMs + graceMs, undefined, { ref: false });
  await Promise.race([manager.drainAll(Date.now() + deadlineMs), patience]);
}

/** The part of `hello` that never changes while the worker runs. */
function describeWorker({ name, labels }: WorkerOptions, instance: string) {
  return {
    protocol: workerProtocol,
    name,
    instance,
    host: hostname(),
    version: listVersions()['espalier'] ?? 'unknown',
    node: process.versions.node,
    labels,
  };
}

function createFolders(data: string) {
  const folders = { attempts: join(data, 'attempts'), runs: join(data, 'runs'), forks: join(data, 'forks') };
  Object.values(folders).forEach((folder) => mkdirSync(folder, { recursive: true }));
  return folders;
}

/** Deletes old run folders now and every hour. */
function startCleanup(
  folders: ReturnType<typeof createFolders>,
  days: number,
  manager: AttemptManager,
  log: Logger,
): NodeJS.Timeout {
  const cleanUp = (): void => {
    const deleted = deleteOldRuns(folders, days, (runId) => manager.isHeld(runId));
    if (deleted > 0) log.info({ deleted }, 'old run folders deleted');
  };
  cleanUp();
  return setInterval(cleanUp, hourMs).unref();
}
