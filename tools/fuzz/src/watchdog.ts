/**
 * @file Reports an input that never returns. The thread under test cannot, so another thread tracks its progress.
 */
import { Worker } from 'node:worker_threads';

export interface Watchdog {
  /** Records the input that starts now. */
  begin(index: number): void;
  close(): Promise<void>;
}

const watch = `
const { workerData } = require('node:worker_threads');
const { progress, limitMs, target, seed } = workerData;
let seen = -1, since = process.cpuUsage();
setInterval(() => {
  const index = Atomics.load(progress, 0);
  if (index !== seen) { seen = index; since = process.cpuUsage(); return; }
  if (index < 0) return;
  const { user, system } = process.cpuUsage(since);
  if ((user + system) / 1000 < limitMs) return;
  require('node:fs').writeSync(2, '\\nfuzz ' + target + ': input ' + index + ' of seed ' + seed + ' does not end; see it with --only ' + target + ' --seed ' + seed + ' --from ' + index + ' --inputs 1\\n');
  process.kill(process.pid, 'SIGKILL');
}, 500);
`;

/** Starts watching; beyond `limitMs` of CPU time on one input it ends the program with an error. */
export function createWatchdog(target: string, seed: number, limitMs: number): Watchdog {
  const progress = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
  const worker = new Worker(watch, { eval: true, workerData: { progress, limitMs, target, seed } });
  worker.unref();
  return {
    begin: (index) => void Atomics.store(progress, 0, index),
    close: async () => void (await worker.terminate()),
  };
}
