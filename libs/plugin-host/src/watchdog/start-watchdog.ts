import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { followCalls } from './current-call.js';

export interface Watchdog {
  dispose(): void;
}

/**
 * Starts a thread that watches for a plugin that never returns: it names the plugin, and lets a signal end the process,
 * which would otherwise be blocked.
 *
 * @param exitCode exit code of a process that a signal ends this way; undefined where this process handles no signals
 * @param reportAfterMs how long a call may take before it is reported
 */
export function startWatchdog(exitCode?: number, reportAfterMs = 10_000): Watchdog {
  const file = new URL('./watchdog-thread.js', import.meta.url);
  // the file exists only when compiled, not when tests run from source
  if (!existsSync(fileURLToPath(file))) return { dispose: () => undefined };
  const memory = followCalls(undefined);
  const thread = new Worker(file, {
    workerData: { memory, reportAfterMs, exitCode },
    execArgv: ['--expose-internals', '--no-warnings'],
  });
  thread.unref();
  // a run works without it
  thread.on('error', () => undefined);
  followCalls((labels) => thread.postMessage(labels));
  return {
    dispose() {
      followCalls(undefined);
      void thread.terminate();
    },
  };
}
