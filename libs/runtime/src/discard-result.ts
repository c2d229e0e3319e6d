/**
 * @file Memory of results that is given back at once. What is merely dropped stays resident until a garbage collection, and
 * V8 collects after every 64 MB of such arrays: where results are large, after every few runs, each time through the whole
 * heap.
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { RuntimeTensor } from './runtime-tensor.js';

/** A port whose other end is closed: what is transferred to it is freed. Node 20 has no other way to free an array. */
let nowhere: MessagePort | undefined;

/** Frees an array of its own, which is empty from then on, as is every view of it. */
export function discardArray({ buffer }: Pick<Float32Array, 'buffer'>): void {
  if (nowhere === undefined) {
    const { port1, port2 } = new MessageChannel();
    port2.close();
    nowhere = port1;
  }
  nowhere.postMessage(null, [buffer as ArrayBuffer]);
}

/** Frees the array of a result that a session returned and that nobody reads any more; what lies on a device stays. */
export function discardResult(result: RuntimeTensor): void {
  // reading the values would bring them to the host
  if (result.mirror === undefined) discardArray(result.values);
}
