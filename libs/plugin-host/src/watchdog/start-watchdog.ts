import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { followCalls } from './current-call.js';

export interface Watchdog {
  dispose(): void;
}

/**
 * Watches for a plugin that never returns, from a thread of its own: says who it is, and lets a signal end the process,
 * which such a plugin otherwise keeps from hearing it. To be started by whoever listens for signals.
 *
 * @param exitCode code of a process that a signal ended this way
 * @param patienceMs how long a call may take before it is named
 */
export function startWatchdog(exitCode: number, patienceMs = 10_000): Watchdog {
  const file = new URL('./watchdog-thread.js', import.meta.url);
  // run from sources, as unit tests are, there is no such file
  if (!existsSync(fileURLToPath(file))) return { dispose: () => undefined };
  const memory = followCalls(undefined);
  const thread = new Worker(file, {
    workerData: { memory, patienceMs, exitCode },
    execArgv: ['--expose-internals', '--no-warnings'],
  });
  thread.unref();
  // a run does not need it
  thread.on('error', () => undefined);
  followCalls((labels) => thread.postMessage(labels));
  return {
    dispose() {
      followCalls(undefined);
      void thread.terminate();
    },
  };
}
