/** @file The stream `worker` of an attempt: lines that the worker itself writes, durable one by one. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { attemptEvent, type AttemptEvent } from '@espalier/protocol';

export interface Journal {
  /** What was written so far, also by an earlier worker. */
  readonly events: readonly AttemptEvent[];
  append(event: AttemptEvent): void;
}

/** Opens a journal; a line that a killed worker left unfinished was never sent and is cut off. */
export function openJournal(path: string): Journal {
  cutTornEnd(path);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => attemptEvent.parse(JSON.parse(line)));
  return {
    events,
    append(event) {
      const descriptor = openSync(path, 'a');
      try {
        writeSync(descriptor, `${JSON.stringify(event)}\n`);
        fsyncSync(descriptor);
      } finally {
        closeSync(descriptor);
      }
      events.push(event);
    },
  };
}

/** Cuts a file back to its last whole line. */
export function cutTornEnd(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) truncateSync(path, end);
}
