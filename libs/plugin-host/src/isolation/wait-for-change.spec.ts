import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { waitForChange } from './wait-for-change.js';

/** Notifies every few milliseconds without counting, and counts after `changeMs`. */
async function startNotifier(counter: Int32Array, changeMs: number): Promise<Worker> {
  const worker = new Worker(
    `const { parentPort, workerData: { counter, changeMs } } = require('node:worker_threads');
     parentPort.postMessage('runs');
     const timer = setInterval(() => Atomics.notify(counter, 0), 2);
     setTimeout(() => { clearInterval(timer); Atomics.add(counter, 0, 1); Atomics.notify(counter, 0); }, changeMs);`,
    { eval: true, workerData: { counter, changeMs } },
  );
  await once(worker, 'message');
  return worker;
}

it('waits on where it is notified of a change that was seen before', async () => {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const worker = await startNotifier(counter, 100);
  expect(waitForChange(counter, 0, 60_000)).toBe(true);
  expect(counter[0]).toBe(1);
  await worker.terminate();
});

it('returns at once where the counter has changed, and gives up in the end', () => {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  expect(waitForChange(counter, 7, 60_000)).toBe(true);
  expect(waitForChange(counter, 0, 20)).toBe(false);
});
