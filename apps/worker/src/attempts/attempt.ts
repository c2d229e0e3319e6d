/**
 * @file One attempt from its assignment to its last acknowledged event. It ends early if another worker gets the job or
 * if this worker closes. run-attempt.ts has the phases in between.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { WarningCode } from '@espalier/contracts';
import type { Assignment } from '@espalier/protocol';
import type { CallMessage } from '@espalier/protocol/chat';
import { forkFile } from '../artifacts/fetch-run.js';
import { saveRunRecord } from '../artifacts/run-record.js';
import { createRunUpload } from '../artifacts/upload-run.js';
import { createEventShipper } from '../outbox/event-shipper.js';
import { describeTruncation } from './file-end.js';
import type { AttemptFolder } from './attempt-folder.js';
import { openWorkerLog, type WorkerLog } from './worker-log.js';
import { memoryLimitOf } from './memory-limit.js';
import { type ControlAction, createTrainerProcess } from './trainer-process.js';
import { runAttempt } from './run-attempt.js';
import { relayCall } from './relay-call.js';
import type { WorkerContext } from './run-attempt.js';

export interface Attempt {
  readonly assignment: Assignment;
  /** Whether its process has ended, so that its devices are free. */
  hasEnded(): boolean;
  /** Resumes shipping after the last sequence that the server has of each stream; default: 0. */
  resume(acked: Readonly<Record<string, number>>): void;
  control(action: Exclude<ControlAction, 'drain'>): void;
  /** Lets the process of a chat reply; the reply is sent to the server as it comes. */
  call(message: CallMessage): void;
  /** Asks it to save and stop, and kills it at a time (ms since the epoch). An evaluation may run until then. */
  drain(killAt: number): void;
  /** Kills the process and removes the attempt, because another worker has its job. */
  fence(): Promise<void>;
  /** Stops supervising the process, which keeps running. */
  detach(): void;
  /** Resolves when nothing is left to do. */
  readonly done: Promise<'shipped' | 'fenced' | 'detached'>;
}

const slowPause = 'worker.slow_pause';
const logTruncated = 'worker.log_truncated';
const bytesPerMb = 2 ** 20;

const describeSlowPause = (waitedMs: number): string =>
  `pause: the training is still running ${Math.round(waitedMs / 1000)} s after the request; it stops at the end of its step; if it hangs, cancel the run with "now"`;

function warnOnce(workerLog: WorkerLog, code: WarningCode, message: string): void {
  if (!workerLog.events.some((event) => event.kind === 'warning' && event.code === code))
    workerLog.append({ kind: 'warning', time: Date.now(), step: -1, code, message });
}

/** Passes a request on; a full disk prevents only that it is saved. */
function request(send: () => void, onUnsaved: (error: string) => void): void {
  try {
    send();
  } catch (error) {
    onUnsaved(String(error));
  }
}

function createTrainer(folder: AttemptFolder, { options }: WorkerContext, workerLog: WorkerLog) {
  const onSlow = (waitedMs: number): void => warnOnce(workerLog, slowPause, describeSlowPause(waitedMs));
  return createTrainerProcess(folder, options.timing, onSlow, memoryLimitOf(folder.assignment, options));
}

/** Runs an attempt from the phase that its folder records. */
export function createAttempt(folder: AttemptFolder, worker: WorkerContext): Attempt {
  const { assignment } = folder;
  const { attemptId, token, runId, jobId, number } = assignment;
  const { timing } = worker.options;
  const controller = new AbortController();
  const { signal } = controller;
  const workerLog = openWorkerLog(folder.streamFile('worker'));
  const trainer = createTrainer(folder, worker, workerLog);
  const logBytes = worker.options.logMb * bytesPerMb;
  const onFenced = (): void => void fence();
  const transfer = { timing, signal, isOnline: () => worker.connection.isOnline() };
  const upload = createRunUpload({
    ...transfer,
    runId,
    runFolder: join(worker.runs, runId),
    stageFolder: join(folder.path, 'stage'),
    logFile: folder.streamFile('log'),
    originFile: forkFile(worker.forks, runId),
    fencing: { attemptId, token },
    store: worker.store,
    workerLog,
    onFenced,
  });
  const shipper = createEventShipper(folder, {
    data: worker.options.data,
    connection: worker.connection,
    pollMs: timing.pollMs,
    onFenced,
    logBytes,
    onTruncated: () => warnOnce(workerLog, logTruncated, describeTruncation(logBytes)),
    onEvent: (event) => assignment.kind === 'train' && upload.onEvent(event),
  });

  const working = runAttempt({ folder, worker, workerLog, trainer, upload, shipper, transfer });
  const drain = async (): Promise<'shipped'> => {
    while (!shipper.isDrained()) await wait(timing.pollMs, undefined, { signal });
    if (assignment.kind === 'train')
      saveRunRecord(worker.runs, runId, { attemptId, jobId, number, isShipped: true });
    folder.remove();
    return 'shipped';
  };
  const detach = (): void => {
    controller.abort();
    shipper.close();
  };
  const onUnsaved = (error: string): void =>
    worker.log.warn({ attemptId, error }, 'request passed on, but not saved');
  let fenced: Promise<void> | undefined;
  const fence = (): Promise<void> => (fenced ??= abandon());
  const abandon = async (): Promise<void> => {
    detach();
    worker.log.warn({ attemptId, runId }, 'another worker has the job; killing the attempt');
    await working.catch(() => undefined);
    await trainer.kill();
    // an upload in progress may still write to the folder
    await upload.settled();
    folder.remove();
  };
  const handleAbort = async (error: unknown): Promise<'fenced' | 'detached'> => {
    if (!signal.aborted) throw error;
    if (fenced === undefined) return 'detached';
    await fenced;
    return 'fenced';
  };
  return {
    assignment,
    fence,
    detach,
    done: working
      .then(drain)
      .catch(handleAbort)
      .finally(() => shipper.close()),
    hasEnded: () => folder.state().phase === 'ended',
    resume: shipper.resume,
    call: (message) =>
      void relayCall(message, { folder, connection: worker.connection, signal, pollMs: timing.pollMs }),
    control: (action) => request(() => trainer.request(action), onUnsaved),
    drain: (killAt) => request(() => trainer.drain(killAt, assignment.kind === 'evaluate'), onUnsaved),
  };
}
