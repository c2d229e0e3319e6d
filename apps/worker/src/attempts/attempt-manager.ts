/** @file The attempts of a worker: adopted after a restart, accepted or refused, resumed, fenced, released. */
import { statfsSync } from 'node:fs';
import { type AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { type Answer, type Assignment, assignment, controlMessage } from '@espalier/protocol';
import { drainMessage, type Welcome } from '@espalier/protocol';
import { callMessage } from '@espalier/protocol/chat';
import { type Attempt, createAttempt } from './attempt.js';
import { type AttemptFolder, createAttemptFolder, loadAttemptFolders } from './attempt-folder.js';
import type { WorkerContext } from './run-attempt.js';
import type { Devices } from '../devices/devices.js';

/** An attempt as `hello` reports it. */
interface Held {
  attemptId: string;
  token: number;
  state: 'running' | 'ended';
}

export interface AttemptManager {
  /** The attempts that `hello` reports to the server. */
  holding(): Held[];
  isHeld(runId: string): boolean;
  assign(message: unknown): Answer<null>;
  control(message: unknown): Answer<null>;
  /** Passes a call to the process of its chat. */
  call(message: unknown): Answer<null>;
  welcome(welcome: Welcome): void;
  fence(attemptIds: readonly string[]): void;
  /** Number of attempts fenced so far. */
  readonly fencedCount: number;
  /** Handles a request of the server to drain; the worker stays. */
  drain(message: unknown): Answer<null>;
  /**
   * Accepts no more attempts, and asks all to save and stop; those that run at `killAt` (ms since the epoch) are killed.
   * Resolves when they have ended and the server has all their events.
   */
  drainAll(killAt: number): Promise<void>;
  /** Accepts no more attempts and detaches from all; their processes keep running. */
  detach(): Promise<void>;
}

const refuse = (code: ErrorCode, message: string): Answer<null> => ({ ok: false, code, message });
const accepted: Answer<null> = { ok: true, value: null };

/** Opens the manager and adopts the attempts of an earlier worker. */
export function openAttemptManager(folder: string, devices: Devices, parts: WorkerContext): AttemptManager {
  const held = new Map<string, Attempt>();
  const fenced = new Set<string>();
  let isClosing = false;
  let fencedCount = 0;

  const adopt = (attemptFolder: AttemptFolder): Attempt => {
    const attempt = createAttempt(attemptFolder, parts);
    const { attemptId, runId, kind } = attempt.assignment;
    held.set(attemptId, attempt);
    parts.log.info({ attemptId, runId, kind }, 'attempt adopted');
    attempt.done.then(
      (outcome) => {
        held.delete(attemptId);
        fenced.delete(attemptId);
        if (outcome === 'fenced') fencedCount += 1;
        parts.log.info({ attemptId, outcome }, 'attempt released');
      },
      (error: AppError | Error) =>
        parts.log.error({ attemptId, error: error.message }, 'attempt failed; its folder stays'),
    );
    return attempt;
  };
  loadAttemptFolders(folder, parts.log).forEach(adopt);

  const findObstacle = (given: Assignment): Answer<null> | undefined => {
    if (isClosing) return refuse('worker.closing', 'start a job: this worker is closing');
    return (
      findConflict(given, [...held.values()], devices) ??
      findShortage(folder, parts.options.minFreeMb) ??
      findPluginConflict(given, parts.plugins)
    );
  };
  const fence = (attemptIds: readonly string[]): void => {
    for (const attemptId of attemptIds) {
      const attempt = held.get(attemptId);
      if (attempt === undefined || fenced.has(attemptId)) continue;
      fenced.add(attemptId);
      void attempt.fence();
    }
  };
  const closeWith = async (ask: (attempt: Attempt) => void): Promise<void> => {
    isClosing = true;
    const all = [...held.values()];
    all.forEach(ask);
    await Promise.allSettled(all.map((attempt) => attempt.done));
  };
  return {
    get fencedCount() {
      return fencedCount;
    },
    holding: () =>
      [...held.values()].filter(({ assignment: { attemptId } }) => !fenced.has(attemptId)).map(describeHeld),
    isHeld: (runId) => [...held.values()].some((attempt) => attempt.assignment.runId === runId),
    assign(message) {
      const parsed = assignment.safeParse(message);
      if (!parsed.success)
        return refuse('worker.malformed_message', `start a job: ${parsed.error.issues[0]?.message ?? ''}`);
      if (held.has(parsed.data.attemptId)) return accepted;
      const obstacle = findObstacle(parsed.data);
      if (obstacle !== undefined) return obstacle;
      adopt(createAttemptFolder(folder, parsed.data)).resume({});
      return accepted;
    },
    control: (message) => passOn(message, (attemptId) => held.get(attemptId)),
    call: (message) => passCall(message, (attemptId) => held.get(attemptId)),
    welcome({ resumed, fenced: taken }) {
      for (const { attemptId, acked } of resumed) held.get(attemptId)?.resume(acked);
      fence(taken);
    },
    fence,
    drain: (message) => drainOnRequest(message, [...held.values()]),
    drainAll: (killAt) => closeWith((attempt) => drainAttempt(attempt, killAt)),
    detach: () => closeWith((attempt) => attempt.detach()),
  };
}

/** Handles a request of the server to drain. */
function drainOnRequest(message: unknown, attempts: readonly Attempt[]): Answer<null> {
  const parsed = drainMessage.safeParse(message);
  if (!parsed.success)
    return refuse('worker.malformed_message', `drain: ${parsed.error.issues[0]?.message ?? ''}`);
  for (const attempt of attempts) drainAttempt(attempt, Date.now() + parsed.data.deadlineMs);
  return accepted;
}

function drainAttempt(attempt: Attempt, killAt: number): void {
  if (!attempt.hasEnded()) attempt.drain(killAt);
}

function describeHeld({ assignment: { attemptId, token }, hasEnded }: Attempt): Held {
  return { attemptId, token, state: hasEnded() ? 'ended' : 'running' };
}

/** Passes a request of the server on to its attempt. */
function passOn(message: unknown, find: (attemptId: string) => Attempt | undefined): Answer<null> {
  const parsed = controlMessage.safeParse(message);
  if (!parsed.success)
    return refuse('worker.malformed_message', `control a job: ${parsed.error.issues[0]?.message ?? ''}`);
  const { attemptId, token, action } = parsed.data;
  const attempt = find(attemptId);
  if (attempt === undefined || attempt.assignment.token !== token)
    return refuse(
      'worker.fenced',
      `control a job: this worker holds no attempt ${attemptId} with token ${token}`,
    );
  attempt.control(action);
  return accepted;
}

/** Passes a call of the server to the process of its chat. */
function passCall(message: unknown, find: (attemptId: string) => Attempt | undefined): Answer<null> {
  const parsed = callMessage.safeParse(message);
  if (!parsed.success)
    return refuse('worker.malformed_message', `call a chat: ${parsed.error.issues[0]?.message ?? ''}`);
  const { attemptId, token } = parsed.data;
  const attempt = find(attemptId);
  if (attempt?.assignment.token !== token || attempt.assignment.kind !== 'chat' || attempt.hasEnded())
    return refuse('worker.fenced', `call a chat: this worker runs no chat ${attemptId} with token ${token}`);
  attempt.call(parsed.data);
  return accepted;
}

/** Finds a device that is missing or in use, or another attempt at the same run. */
function findConflict(
  given: Assignment,
  held: readonly Attempt[],
  devices: Devices,
): Answer<null> | undefined {
  const present = devices.list().map(({ id }) => id);
  const unknown = given.devices.find(({ id }) => !present.includes(id));
  if (unknown !== undefined)
    return refuse('worker.no_device', `start a job: this worker has no device "${unknown.id}"`);
  const others = held.filter((attempt) => !attempt.hasEnded());
  const busy = new Set(others.flatMap((attempt) => attempt.assignment.devices.map(({ id }) => id)));
  const taken = given.devices.find(({ id }) => busy.has(id));
  if (taken !== undefined) return refuse('worker.busy', `start a job: device "${taken.id}" is in use`);
  const trainsToo = ({ assignment: other }: Attempt): boolean =>
    other.runId === given.runId && other.kind === 'train' && given.kind === 'train';
  if (!held.some(trainsToo)) return undefined;
  return refuse('worker.busy', `start a job: this worker still holds another attempt at run ${given.runId}`);
}

/** Checked again just before the process starts. */
function findPluginConflict(given: Assignment, plugins: WorkerContext['plugins']): Answer<null> | undefined {
  try {
    plugins.validate(given);
    return undefined;
  } catch (error) {
    if (isAppError(error)) return refuse(error.code, error.message);
    throw error;
  }
}

function findShortage(folder: string, minFreeMb: number): Answer<null> | undefined {
  const { bavail, bsize } = statfsSync(folder);
  const freeMb = Math.floor((bavail * bsize) / 1024 / 1024);
  if (freeMb >= minFreeMb) return undefined;
  return refuse(
    'worker.disk_full',
    `start a job: ${freeMb} MiB of disk are free; the worker needs ${minFreeMb} MiB`,
  );
}
