import type { EventSink, RunEvent } from '@espalier/contracts';
import { createAppendFile } from './append-file.js';
import { encodeCheckedLine } from './checked-line.js';

const elsewhere: ReadonlySet<RunEvent['kind']> = new Set(['phase', 'metrics', 'trajectory']);

/** Creates a sink that appends what has no log of its own (starts, checkpoints, warnings, ends) as lines of JSON. */
export function createEventLogSink(path: string): EventSink & { close(): void } {
  const file = createAppendFile(path);
  return {
    emit(event) {
      if (!elsewhere.has(event.kind)) file.append(encodeCheckedLine(event));
    },
    flush: async () => file.sync(),
    close: () => file.close(),
  };
}
