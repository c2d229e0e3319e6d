/**
 * @file One attempt from its assignment to the last acknowledged event, and the two ways it may be cut short: it
 * belongs to somebody else, or the worker ends. What is done in between is in work-through.ts.
 */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Assignment } from '@espalier/protocol';
import { forkFile } from '../artifacts/fetch-run.js';
import { saveRunRecord } from '../artifacts/run-record.js';
import { createRunUpload } from '../artifacts/upload-run.js';
import { createVoice } from '../shipping/voice.js';
import { describeCut } from './file-end.js';
import type { AttemptFolder } from './attempt-folder.js';
import { openJournal } from './journal.js';
import { createTrainerProcess } from './trainer-process.js';
import { workThrough } from './work-through.js';
import type { WorkerParts } from './worker-parts.js';

export interface Attempt {
  readonly assignment: Assignment;
  /** Its process has ended, so its devices are free. */
  hasEnded(): boolean;
  /** Goes on sending after what the server has; 0 for streams that are not named. */
  resume(acked: Readonly<Record<string, number>>): void;
  control(action: 'pause' | 'cancel' | 'kill'): void;
  /** Kills the process and forgets the attempt: it belongs to somebody else. */
  fence(): Promise<void>;
  /** Stops looking after it; its process goes on. */
  stop(): void;
  /** Resolves when nothing is left to do. */
  readonly done: Promise<'shipped' | 'fenced' | 'stopped'>;
}

const slowPause = 'worker.slow_pause';
const logCut = 'worker.log_cut';
const bytesPerMb = 2 ** 20;

const describeSlowPause = (waitedMs: number): string =>
  `pause: the training has not stopped ${Math.round(waitedMs / 1000)} s after it was asked to; it stops at the end of its step, and if it hangs, cancel the run with "now"`;

/** Takes up an attempt where its folder says it is. */
export function createAttempt(folder: AttemptFolder, worker: WorkerParts): Attempt {
  const { assignment } = folder;
  const { attemptId, token, runId, jobId, number } = assignment;
  const { tempo } = worker.options;
  const controller = new AbortController();
  const { signal } = controller;
  const journal = openJournal(folder.streamFile('worker'));
  const warnOnce = (code: string, message: string): void => {
    if (!journal.events.some((event) => event.kind === 'warning' && event.code === code))
      journal.append({ kind: 'warning', time: Date.now(), step: -1, code, message });
  };
  const trainer = createTrainerProcess(folder, tempo, (waitedMs) =>
    warnOnce(slowPause, describeSlowPause(waitedMs)),
  );
  const logBytes = worker.options.logMb * bytesPerMb;
  const onFenced = (): void => void fence();
  const transfer = { tempo, signal, isOnline: () => worker.exchange.isOnline() };
  const upload = createRunUpload({
    ...{ ...transfer, runId, runFolder: join(worker.runs, runId), stageFolder: join(folder.path, 'stage') },
    ...{ logFile: folder.streamFile('log'), originFile: forkFile(worker.forks, runId) },
    ...{ fencing: { attemptId, token }, store: worker.store, journal, onFenced },
  });
  const voice = createVoice(folder, {
    data: worker.options.data,
    ...{ exchange: worker.exchange, pollMs: tempo.pollMs, onFenced },
    ...{ logBytes, onCut: () => warnOnce(logCut, describeCut(logBytes)) },
    onSaid: (event) => assignment.kind === 'train' && upload.note(event),
  });

  const working = workThrough({ folder, worker, journal, trainer, upload, voice, transfer });
  const drain = async (): Promise<'shipped'> => {
    while (!voice.isDrained()) await wait(tempo.pollMs, undefined, { signal });
    if (assignment.kind === 'train')
      saveRunRecord(worker.runs, runId, { attemptId, jobId, number, isShipped: true });
    folder.remove();
    return 'shipped';
  };
  const stop = (): void => {
    controller.abort();
    voice.close();
  };
  let fenced: Promise<void> | undefined;
  const fence = (): Promise<void> => (fenced ??= abandon());
  const abandon = async (): Promise<void> => {
    stop();
    worker.log.warn({ attemptId, runId }, 'attempt belongs to somebody else; killed');
    await working.catch(() => undefined);
    await trainer.kill();
    // what was being stored may still write beside it
    await upload.settled();
    folder.remove();
  };
  const endCutShort = async (error: unknown): Promise<'fenced' | 'stopped'> => {
    if (!signal.aborted) throw error;
    if (fenced === undefined) return 'stopped';
    await fenced;
    return 'fenced';
  };
  return {
    ...{ assignment, fence, stop },
    done: working
      .then(drain)
      .catch(endCutShort)
      .finally(() => voice.close()),
    hasEnded: () => folder.state().phase === 'ended',
    resume: voice.resume,
    control(action) {
      try {
        trainer.ask(action);
      } catch (error) {
        worker.log.warn({ attemptId, action, error: String(error) }, 'passed on, but not noted');
      }
    },
  };
}
