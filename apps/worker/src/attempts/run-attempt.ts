/**
 * @file The phases of an attempt: prepare, start, wait, upload, report how it ended. A worker that was killed in a phase
 * can repeat that phase. Training never waits for the server.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findRevision, listVersions } from '@espalier/config';
import { hasCode, runLayout, type WarningCode } from '@espalier/contracts';
import type { Assignment, AttemptEvent } from '@espalier/protocol';
import { fetchTrajectories, prepareCheckpoint, prepareRun } from '../artifacts/fetch-run.js';
import type { TransferParts } from '../artifacts/retry-transfer.js';
import type { RunUpload } from '../artifacts/upload-run.js';
import { listPlugins } from '../plugins/list-plugins.js';
import type { ExitStatus, LaunchPlan } from './launch.js';
import { describeExceeded, memoryExceeded } from './memory-limit.js';
import { validateModel } from './validate-model.js';
import { type ProcessIdentity, saveWholeFile, terminateLastLine } from '@espalier/files';
import { planChat, planEvaluation, planRescoring, planTraining, specHere } from './plan-launch.js';
import { type ArtifactStore, isRefusal } from '../artifacts/artifact-store.js';
import type { ServerConnection } from '../connection.js';
import type { Logger } from '../logger.js';
import type { ExternalPlugins } from '../plugins/external-plugins.js';
import type { WorkerOptions } from '../worker-options.js';
import type { EventShipper } from '../outbox/event-shipper.js';
import type { AttemptFolder } from './attempt-folder.js';
import { describeExit, failed, readResult } from './outcome.js';
import { truncatePartialLine } from './file-end.js';
import type { WorkerLog } from './worker-log.js';
import type { TrainerProcess } from './trainer-process.js';

/** What all attempts of a worker share. */
export interface WorkerContext {
  readonly options: WorkerOptions;
  readonly cli: string;
  /** folder of run folders */
  readonly runs: string;
  /** folder of the models that forked runs start from */
  readonly forks: string;
  readonly connection: ServerConnection;
  readonly store: ArtifactStore;
  readonly plugins: ExternalPlugins;
  readonly log: Logger;
}

export interface AttemptContext {
  readonly folder: AttemptFolder;
  readonly worker: WorkerContext;
  readonly workerLog: WorkerLog;
  readonly trainer: TrainerProcess;
  readonly upload: RunUpload;
  readonly shipper: EventShipper;
  readonly transfer: TransferParts;
}

/** Exit codes of the command line: a failure that a retry may fix, and two that it cannot fix. */
const temporary = 75;
const refused = 3;
const notFound = 4;

const has = ({ events }: WorkerLog, kind: AttemptEvent['kind']): boolean =>
  events.some((event) => event.kind === kind);

/**
 * Runs an attempt from the phase that its folder records; afterwards only its streams remain to be shipped. A failure
 * here, such as a full disk, is retried.
 */
export async function runAttempt(parts: AttemptContext): Promise<void> {
  const { signal } = parts.transfer;
  for (let delay = 500; ; delay = Math.min(30_000, 2 * delay)) {
    try {
      return await runOnce(parts);
    } catch (error) {
      signal.throwIfAborted();
      const { attemptId } = parts.folder.assignment;
      const message = error instanceof Error ? error.message : String(error);
      parts.worker.log.error({ attemptId, message, delay }, 'attempt failed; retrying');
    }
    await wait(delay, undefined, { signal });
  }
}

async function runOnce(parts: AttemptContext): Promise<void> {
  const { folder, worker, trainer, transfer } = parts;
  const { exitStatus } = folder.state();
  if (exitStatus !== undefined) return conclude(parts, exitStatus);
  try {
    await start(parts);
  } catch (error) {
    transfer.signal.throwIfAborted();
    // a process that was started is adopted again: until it has ended, its devices and its run are in use
    if (trainer.wasStarted()) throw error;
    const message = error instanceof Error ? error.message : String(error);
    worker.log.warn({ attemptId: folder.assignment.attemptId, message }, 'attempt could not start');
    if (hasCode(error, 'model.not_found')) warn(parts, 'model.not_found', message);
    if (hasCode(error, 'model.not_allowed')) warn(parts, 'model.not_allowed', message);
    if (hasCode(error, 'hub.not_allowed')) warn(parts, 'hub.not_allowed', message);
    const lacksPlugins = hasCode(error, 'worker.plugins_differ');
    return conclude(parts, { code: exitCodeOf(error), signal: null }, { message, lacksPlugins });
  }
  return conclude(parts, await trainer.waitForEnd(transfer.signal));
}

/** No retry finds the model. */
const modelErrors = ['model.not_found', 'model.not_allowed', 'hub.not_allowed'] as const;
/** No retry makes the assignment valid. */
const specErrors = [
  'contracts.invalid_value',
  'contracts.unsafe_path',
  'config.unreadable',
  'config.unknown_key',
  'config.wrong_type',
  'config.derived_key',
  'config.impossible_budget',
] as const;

/** The exit code that tells whether a retry could succeed. */
function exitCodeOf(error: unknown): number {
  if (hasCode(error, ...modelErrors)) return notFound;
  return isRefusal(error) || hasCode(error, ...specErrors) ? refused : temporary;
}

const warn = ({ workerLog }: Pick<AttemptContext, 'workerLog'>, code: WarningCode, message: string): void =>
  workerLog.append({ kind: 'warning', time: Date.now(), step: -1, code, message });

async function start(parts: AttemptContext): Promise<void> {
  const { folder, worker, trainer, workerLog } = parts;
  let living = trainer.find();
  if (living === undefined) {
    const plan = await prepare(parts);
    worker.plugins.validate(folder.assignment);
    trainer.asked.throwIfAborted();
    living = await trainer.start(plan);
  }
  if (!has(workerLog, 'process-started')) workerLog.append(await describeStart(folder.assignment, living));
}

async function prepare({
  folder,
  worker,
  trainer,
  transfer,
  workerLog,
}: AttemptContext): Promise<LaunchPlan> {
  const { assignment } = folder;
  const { store, runs, forks } = worker;
  const fetching = {
    ...transfer,
    // what a process that will not start needs is not fetched
    signal: AbortSignal.any([transfer.signal, trainer.asked]),
    store,
    runs,
    forks,
    warn: (code: WarningCode, message: string) => warn({ workerLog }, code, message),
  };
  if (assignment.kind === 'train') {
    const prepared = await prepareRun(assignment, fetching);
    validateModel(assignment, prepared.model, worker.options);
    return planTraining(folder, worker, prepared);
  }
  if (assignment.evaluate?.rescore !== undefined) return prepareRescoring(folder, worker, fetching);
  const checkpoint = await prepareCheckpoint(assignment, join(folder.path, 'model'), fetching);
  validateModel(assignment, checkpoint, worker.options);
  if (assignment.kind === 'chat') {
    const endpointKey = randomBytes(24).toString('base64url');
    // a worker that is restarted calls the same process
    folder.update({ endpointKey });
    return planChat(folder, worker, checkpoint, endpointKey);
  }
  const trajectories = join(folder.path, 'stored');
  await fetchTrajectories(assignment, trajectories, fetching);
  return planEvaluation(folder, worker, checkpoint, trajectories);
}

/**
 * Lays out what a run has stored as its folder: the trajectories, the spec, and the checkpoint if it scores their tokens,
 * whose tokenizer is that of the run. Other rewards need no weights.
 */
async function prepareRescoring(
  folder: AttemptFolder,
  worker: AttemptContext['worker'],
  fetching: Parameters<typeof fetchTrajectories>[2],
): Promise<LaunchPlan> {
  const { assignment } = folder;
  const run = join(folder.path, 'stored');
  await fetchTrajectories(assignment, run, fetching);
  saveWholeFile(join(run, runLayout.spec), JSON.stringify(specHere(assignment)));
  if (assignment.evaluate?.rescore?.logprobs === false) return planRescoring(folder, worker, undefined, run);
  const checkpoint = await prepareCheckpoint(assignment, run, fetching);
  validateModel(assignment, checkpoint, worker.options);
  return planRescoring(folder, worker, checkpoint, run);
}

async function conclude(
  parts: AttemptContext,
  exitStatus: ExitStatus,
  finding?: { readonly message: string; readonly lacksPlugins: boolean },
): Promise<void> {
  const { folder, worker, workerLog, trainer, upload, shipper } = parts;
  const { assignment } = folder;
  const logFile = folder.streamFile('log');
  folder.update({ phase: 'ended', exitStatus });
  // the last line of output may be incomplete
  terminateLastLine(logFile);
  truncatePartialLine(folder.streamFile('trainer'));
  shipper.readNewEvents();
  const unstored = assignment.kind === 'train' ? await upload.finish() : undefined;
  parts.transfer.signal.throwIfAborted();
  const { result, refusal } = readResult(folder);
  const step = runLayout.stepOf(assignment.evaluate?.path ?? '') ?? -1;
  if (result !== undefined && !has(workerLog, 'evaluated'))
    workerLog.append({ kind: 'evaluated', time: Date.now(), step, result });
  if (has(workerLog, 'process-ended')) return;
  const { exceeded } = folder.state();
  const excess = exceeded && describeExceeded(exceeded, assignment, worker.options.name);
  if (excess !== undefined) warn(parts, memoryExceeded, excess);
  const report = {
    // the kill is the worker's own, and every new try would end the same way
    exitStatus: excess === undefined ? exitStatus : { code: failed, signal: null },
    finalMessage:
      excess === undefined
        ? (finding?.message ?? shipper.finalMessage())
        : `error ${memoryExceeded}: ${excess}`,
    logFile,
    unstored,
    refusal,
  };
  const requested = trainer.requested();
  const outcome = shipper.outcome();
  const isEnded = outcome === 'no-signal' || outcome === 'collapsed';
  const isFinal = excess !== undefined || (exitStatus.code === failed && isEnded);
  const isPaused = exitStatus.code === temporary && outcome === 'paused';
  const exit = {
    ...describeExit(report, requested),
    ...(requested === undefined ? {} : { asked: requested }),
    ...(isFinal ? { isFinal } : {}),
    ...(isPaused ? { isPaused } : {}),
    ...(finding?.lacksPlugins === true ? { lacksPlugins: true } : {}),
  };
  workerLog.append({ kind: 'process-ended', time: Date.now(), ...exit });
}

async function describeStart({ spec, devices }: Assignment, { pid }: ProcessIdentity): Promise<AttemptEvent> {
  return {
    kind: 'process-started',
    time: Date.now(),
    pid,
    host: hostname(),
    devices: devices.map(({ id }) => id),
    versions: listVersions(),
    plugins: listPlugins(spec),
    gitRevision: await findRevision(),
  };
}
