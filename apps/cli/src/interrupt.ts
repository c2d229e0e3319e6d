import type { Console } from './console.js';
import { exitCodes } from './exit-codes.js';

export interface Interrupt {
  readonly signal: AbortSignal;
  dispose(): void;
}

/**
 * Turns the first Ctrl-C (or SIGTERM, or the closing of the terminal) into a request to stop after the present turn,
 * and the second into an exit.
 *
 * @param onRequest told once, so that a view can say what happens
 */
export function createInterrupt(console: Console, onRequest: () => void): Interrupt {
  console.outliveReader();
  const controller = new AbortController();
  const request = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    onRequest();
  };
  const listen = (): void => {
    if (controller.signal.aborted) {
      console.note('aborted; the last checkpoint stands');
      process.exit(exitCodes.temporary);
    }
    request();
  };
  process.on('SIGINT', listen);
  process.on('SIGTERM', listen);
  process.on('SIGHUP', request);
  return {
    signal: controller.signal,
    dispose() {
      process.off('SIGINT', listen);
      process.off('SIGTERM', listen);
      process.off('SIGHUP', request);
    },
  };
}
