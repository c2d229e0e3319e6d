/**
 * @file What is done for an attempt: prepare, start, wait, store, tell how it ended. Each stretch can be entered anew by
 * a worker that was killed in it. Training never waits for the server.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAppError } from '@espalier/contracts';
import type { Assignment, AttemptEvent } from '@espalier/protocol';
import { prepareCheckpoint, prepareRun } from '../artifacts/fetch-run.js';
import type { TransferParts } from '../artifacts/transfer.js';
import type { RunUpload } from '../artifacts/upload-run.js';
import { findRevision, listPlugins, listVersions } from '../launch/installation.js';
import type { Ending, LaunchPlan } from '../launch/launch.js';
import { requireModel } from '../launch/require-model.js';
import type { Living } from '@espalier/telemetry';
import { planEvaluation, planTraining } from '../launch/plan-launch.js';
import { isRefusal } from '../server/artifact-store.js';
import type { Voice } from '../shipping/voice.js';
import type { AttemptFolder } from './attempt-folder.js';
import { describeEnding, failed } from './describe-ending.js';
import { cutTornEnd, endLastLine } from './file-end.js';
import type { Journal } from './journal.js';
import { readResult } from './read-result.js';
import type { TrainerProcess } from './trainer-process.js';
import type { WorkerParts } from './worker-parts.js';

export interface AttemptParts {
  readonly folder: AttemptFolder;
  readonly worker: WorkerParts;
  readonly journal: Journal;
  readonly trainer: TrainerProcess;
  readonly upload: RunUpload;
  readonly voice: Voice;
  readonly transfer: TransferParts;
}

/** Exit codes of the command line: a try that can be repeated later, and those that never can. */
const [temporary, refused, notFound] = [75, 3, 4];

const has = ({ events }: Journal, kind: AttemptEvent['kind']): boolean =>
  events.some((event) => event.kind === kind);

/**
 * Works an attempt through from where its folder says it is; afterwards its streams have only to arrive. What fails
 * here for want of room or the like is taken up again.
 */
export async function workThrough(parts: AttemptParts): Promise<void> {
  const { signal } = parts.transfer;
  for (let delay = 500; ; delay = Math.min(30_000, 2 * delay)) {
    try {
      return await workOnce(parts);
    } catch (error) {
      signal.throwIfAborted();
      const { attemptId } = parts.folder.assignment;
      const message = error instanceof Error ? error.message : String(error);
      parts.worker.log.error({ attemptId, message, delay }, 'attempt is taken up again');
    }
    await wait(delay, undefined, { signal });
  }
}

async function workOnce(parts: AttemptParts): Promise<void> {
  const { folder, worker, trainer, transfer } = parts;
  const { ending } = folder.state();
  if (ending !== undefined) return conclude(parts, ending);
  try {
    await begin(parts);
  } catch (error) {
    transfer.signal.throwIfAborted();
    // a process that was started is taken up again: until it has ended, its devices and its run are not free
    if (trainer.wasStarted()) throw error;
    const message = error instanceof Error ? error.message : String(error);
    worker.log.warn({ attemptId: folder.assignment.attemptId, message }, 'attempt could not begin');
    const code = isAppError(error) ? error.code : undefined;
    if (code !== undefined && hopeless.has(code)) warn(parts, code, message);
    const isMisplaced = code === 'worker.plugins_differ';
    return conclude(parts, { code: exitCodeOf(error), signal: null }, { message, isMisplaced });
  }
  return conclude(parts, await trainer.waitForEnd(transfer.signal));
}

const hopeless = new Set(['model.not_found', 'model.not_allowed']);

/** Whether a new try may end otherwise, in the words of the command line. */
function exitCodeOf(error: unknown): number {
  const code = isAppError(error) ? error.code : '';
  if (hopeless.has(code)) return notFound;
  return isRefusal(error) || code.startsWith('contracts.') || code.startsWith('config.')
    ? refused
    : temporary;
}

const warn = ({ journal }: Pick<AttemptParts, 'journal'>, code: string, message: string): void =>
  journal.append({ kind: 'warning', time: Date.now(), step: -1, code, message });

async function begin(parts: AttemptParts): Promise<void> {
  const { folder, worker, trainer, journal } = parts;
  let living = trainer.find();
  if (living === undefined) {
    const plan = await prepare(parts);
    worker.plugins.require(folder.assignment);
    if (trainer.asked() !== undefined) throw new Error('asked to stop before it began');
    living = await trainer.start(plan);
  }
  if (!has(journal, 'process-started')) journal.append(await describeStart(folder.assignment, living));
}

async function prepare({ folder, worker, transfer, journal }: AttemptParts): Promise<LaunchPlan> {
  const { assignment } = folder;
  const { store, runs, forks } = worker;
  const fetching = {
    ...{ ...transfer, store, runs, forks },
    warn: (code: string, message: string) => warn({ journal }, code, message),
  };
  if (assignment.kind === 'train') {
    const start = await prepareRun(assignment, fetching);
    requireModel(assignment, start, worker.options);
    return planTraining(folder, worker, start);
  }
  const checkpoint = await prepareCheckpoint(assignment, join(folder.path, 'model'), fetching);
  return planEvaluation(folder, worker, checkpoint);
}

async function conclude(
  parts: AttemptParts,
  ending: Ending,
  finding?: { readonly message: string; readonly isMisplaced: boolean },
): Promise<void> {
  const { folder, journal, trainer, upload, voice } = parts;
  const { assignment } = folder;
  const logFile = folder.streamFile('log');
  folder.update({ phase: 'ended', ending });
  // what printed last may not have ended its line
  endLastLine(logFile);
  cutTornEnd(folder.streamFile('trainer'));
  voice.listen();
  const unstored = assignment.kind === 'train' ? await upload.finish() : undefined;
  parts.transfer.signal.throwIfAborted();
  const { result, refusal } = readResult(folder);
  const step = Number(/step-(\d+)/.exec(assignment.evaluate?.path ?? '')?.[1] ?? -1);
  if (result !== undefined && !has(journal, 'evaluated'))
    journal.append({ kind: 'evaluated', time: Date.now(), step, result });
  if (has(journal, 'process-ended')) return;
  const facts = { ending, lastWords: finding?.message ?? voice.lastWords(), logFile, unstored, refusal };
  const asked = trainer.asked();
  const isFinal = ending.code === failed && voice.isExhausted();
  const told = {
    ...describeEnding(facts, asked),
    ...(asked === undefined ? {} : { asked }),
    ...(isFinal ? { isFinal } : {}),
    ...(finding?.isMisplaced === true ? { isMisplaced: true } : {}),
  };
  journal.append({ kind: 'process-ended', time: Date.now(), ...told });
}

async function describeStart({ spec, devices }: Assignment, { pid }: Living): Promise<AttemptEvent> {
  return {
    ...{ kind: 'process-started', time: Date.now(), pid, host: hostname() },
    devices: devices.map(({ id }) => id),
    ...{ versions: listVersions(), plugins: listPlugins(spec), gitRevision: await findRevision() },
  };
}
