/**
 * @file The thread of a sandbox. It starts an interpreter in a fresh WASM instance, waits for a job, runs it and starts the
 * next interpreter, so that one is up before it is needed. It blocks while it waits or runs: the host ends it from outside.
 */
import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { Answer, Job, Message, WorkerStart } from './job.js';
import { maxError, maxResult } from './job.js';
import { runJavaScript } from './javascript.js';
import { runPython } from './python.js';

/** How an interpreter speaks to the host: each job is taken once, and answers are counted. */
export interface Reporter {
  takeJob(): Job;
  loaded(error?: string): void;
  answer(index: number, answer: Answer): void;
  /** whether what is printed now is kept */
  isHeard(): boolean;
}

const { language, module, memoryBytes, port, signal } = workerData as WorkerStart;
const bell = new Int32Array(signal);
const send = (message: Message): void => port.postMessage(message);

/** Sends what fits the job, in its order: one `loaded`, then one answer for each call. */
function createReporter(): Reporter {
  let job: Job | undefined;
  let next = -1;
  let start = 0;
  return {
    takeJob() {
      send({ kind: 'up' });
      // the notification of the job before may come late
      while (Atomics.load(bell, 0) === 0) Atomics.wait(bell, 0, 0);
      Atomics.store(bell, 0, 0);
      job = (receiveMessageOnPort(port) as { message: Job }).message;
      start = performance.now();
      return job;
    },
    loaded(error) {
      if (next !== -1) return;
      next = error === undefined ? 0 : Infinity;
      const atMs = performance.now() - start;
      send({ kind: 'loaded', atMs, ...(error !== undefined && { error: error.slice(0, maxError) }) });
    },
    answer(index, { kind, text }) {
      if (index !== next || index >= (job?.calls.length ?? 0)) return;
      next++;
      const isLong = kind === 'value' && text.length > maxResult;
      const answer: Answer = isLong
        ? { kind: 'too_large', text: '' }
        : { kind, text: text.slice(0, kind === 'value' ? maxResult : maxError) };
      send({ kind: 'answer', atMs: performance.now() - start, index, answer });
    },
    isHeard: () => next < (job?.heard ?? Infinity),
  };
}

for (;;) {
  const reporter = createReporter();
  const { printed, end } =
    language === 'python' ? runPython(module, reporter) : await runJavaScript(module, memoryBytes, reporter);
  send({ kind: 'ended', printed, end });
}
