import { startWatchdog } from '@espalier/plugin-host';
import type { Console } from './console.js';
import { createEchoFilter } from './echo-filter.js';
import { exitCodes } from './exit-codes.js';

export interface Interrupt {
  readonly signal: AbortSignal;
  /** Requests to stop as the first signal does. */
  stop(): void;
  dispose(): void;
}

/**
 * Turns the first Ctrl-C (or SIGTERM, or the closing of the terminal) into a request to stop after the present turn,
 * and the second into an exit.
 *
 * @param onRequest called once, so that a view can report it
 * @param hasSaved called at the abort: whether there is a checkpoint to resume from
 */
export function createInterrupt(
  console: Console,
  onRequest: () => void,
  hasSaved: () => boolean = () => false,
): Interrupt {
  console.outliveReader();
  const controller = new AbortController();
  const request = (): void => {
    if (controller.signal.aborted) return;
    controller.abort();
    onRequest();
  };
  const classify = createEchoFilter();
  const listen = (): void => {
    if (classify() === 'again') {
      console.note(hasSaved() ? 'aborted; the last checkpoint remains valid' : 'aborted; nothing was saved');
      process.exit(exitCodes.temporary);
    }
    request();
  };
  const hangUp = (): void => {
    classify();
    request();
  };
  // a plugin that never returns would keep this thread from handling any of them
  const watchdog = startWatchdog(exitCodes.temporary);
  process.on('SIGINT', listen);
  process.on('SIGTERM', listen);
  process.on('SIGHUP', hangUp);
  return {
    signal: controller.signal,
    stop: request,
    dispose() {
      watchdog.dispose();
      process.off('SIGINT', listen);
      process.off('SIGTERM', listen);
      process.off('SIGHUP', hangUp);
    },
  };
}
