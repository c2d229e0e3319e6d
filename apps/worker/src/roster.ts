/** @file The attempts of a worker: taken up after a restart, taken on or refused, resumed, fenced, let go. */
import { statfsSync } from 'node:fs';
import { type AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { type Answer, type Assignment, assignment, controlMessage, type Welcome } from '@espalier/protocol';
import { type Attempt, createAttempt } from './attempts/attempt.js';
import { type AttemptFolder, createAttemptFolder, loadAttemptFolders } from './attempts/attempt-folder.js';
import type { WorkerParts } from './attempts/worker-parts.js';
import type { Devices } from './devices/devices.js';

export interface Roster {
  /** What hello tells the server. */
  holding(): { attemptId: string; token: number; state: 'running' | 'ended' }[];
  isHeld(runId: string): boolean;
  assign(message: unknown): Answer<null>;
  control(message: unknown): Answer<null>;
  welcome(welcome: Welcome): void;
  fence(attemptIds: readonly string[]): void;
  /** How many attempts were taken away so far. */
  readonly fencedCount: number;
  /** Asks all to save and stop, and resolves when they have ended and everything is told. */
  pauseAll(): Promise<void>;
  /** Takes on nothing more and looks after nothing; processes go on. */
  stop(): Promise<void>;
}

const refuse = (code: ErrorCode, message: string): Answer<null> => ({ ok: false, code, message });
const agreed: Answer<null> = { ok: true, value: null };

/** Opens the roster and takes up what an earlier worker held. */
export function openRoster(folder: string, devices: Devices, parts: WorkerParts): Roster {
  const held = new Map<string, Attempt>();
  const fenced = new Set<string>();
  let isClosing = false;
  let fencedCount = 0;

  const take = (attemptFolder: AttemptFolder): Attempt => {
    const attempt = createAttempt(attemptFolder, parts);
    const { attemptId, runId, kind } = attempt.assignment;
    held.set(attemptId, attempt);
    parts.log.info({ attemptId, runId, kind }, 'attempt taken up');
    attempt.done.then(
      (how) => {
        held.delete(attemptId);
        fenced.delete(attemptId);
        if (how === 'fenced') fencedCount += 1;
        parts.log.info({ attemptId, how }, 'attempt let go');
      },
      (error: AppError | Error) => parts.log.error({ attemptId, error: error.message }, 'attempt left alone'),
    );
    return attempt;
  };
  loadAttemptFolders(folder, parts.log).forEach(take);

  const findObstacle = (given: Assignment): Answer<null> | undefined => {
    if (isClosing) return refuse('worker.closing', 'take on a job: this worker is about to end');
    const present = devices.list().map(({ id }) => id);
    return (
      findConflict(given, [...held.values()], present) ??
      findShortage(folder, parts.options.minFreeMb) ??
      findOtherPlugins(given, parts.plugins)
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
      [...held.values()]
        .filter(({ assignment: { attemptId } }) => !fenced.has(attemptId))
        .map((attempt) => {
          const { attemptId, token } = attempt.assignment;
          return { attemptId, token, state: attempt.hasEnded() ? 'ended' : 'running' };
        }),
    isHeld: (runId) => [...held.values()].some((attempt) => attempt.assignment.runId === runId),
    assign(message) {
      const parsed = assignment.safeParse(message);
      if (!parsed.success)
        return refuse('worker.malformed_message', `take on a job: ${parsed.error.issues[0]?.message ?? ''}`);
      if (held.has(parsed.data.attemptId)) return agreed;
      const obstacle = findObstacle(parsed.data);
      if (obstacle !== undefined) return obstacle;
      take(createAttemptFolder(folder, parsed.data)).resume({});
      return agreed;
    },
    control: (message) => steer(message, (attemptId) => held.get(attemptId)),
    welcome({ resumed, fenced: taken }) {
      for (const { attemptId, acked } of resumed) held.get(attemptId)?.resume(acked);
      fence(taken);
    },
    fence,
    pauseAll: () =>
      closeWith((attempt) => {
        if (!attempt.hasEnded()) attempt.control('pause');
      }),
    stop: () => closeWith((attempt) => attempt.stop()),
  };
}

/** Passes on what a person asked for. */
function steer(message: unknown, find: (attemptId: string) => Attempt | undefined): Answer<null> {
  const parsed = controlMessage.safeParse(message);
  if (!parsed.success)
    return refuse('worker.malformed_message', `steer a job: ${parsed.error.issues[0]?.message ?? ''}`);
  const { attemptId, token, action } = parsed.data;
  const attempt = find(attemptId);
  if (attempt === undefined || attempt.assignment.token !== token)
    return refuse('worker.fenced', `steer a job: attempt ${attemptId} is not held here with token ${token}`);
  attempt.control(action);
  return agreed;
}

/** What of this worker is missing or taken. */
function findConflict(
  given: Assignment,
  held: readonly Attempt[],
  present: readonly string[],
): Answer<null> | undefined {
  const unknown = given.devices.find(({ id }) => !present.includes(id));
  if (unknown !== undefined)
    return refuse('worker.no_device', `take on a job: there is no device "${unknown.id}" here`);
  const others = held.filter((attempt) => !attempt.hasEnded());
  const busy = new Set(others.flatMap((attempt) => attempt.assignment.devices.map(({ id }) => id)));
  const taken = given.devices.find(({ id }) => busy.has(id));
  if (taken !== undefined) return refuse('worker.busy', `take on a job: device "${taken.id}" is in use`);
  const trainsToo = ({ assignment: other }: Attempt): boolean =>
    other.runId === given.runId && other.kind === 'train' && given.kind === 'train';
  if (!held.some(trainsToo)) return undefined;
  return refuse('worker.busy', `take on a job: another attempt at run ${given.runId} is not done here`);
}

/** Looked at once more when its process is about to start. */
function findOtherPlugins(given: Assignment, plugins: WorkerParts['plugins']): Answer<null> | undefined {
  try {
    plugins.require(given);
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
  return refuse('worker.disk_full', `take on a job: ${freeMb} MiB are free; make room for ${minFreeMb} MiB`);
}
