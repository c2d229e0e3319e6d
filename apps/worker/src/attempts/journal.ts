/** @file The stream `worker` of an attempt: lines that the worker itself writes, durable one by one. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { writeSync } from 'node:fs';
import { attemptEvent, type AttemptEvent } from '@espalier/protocol';
import { cutTornEnd } from './file-end.js';

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
      appendDurably(path, `${JSON.stringify(event)}\n`);
      events.push(event);
    },
  };
}

/** Appends a line, or nothing of it: on a full disk a part may have been written. */
function appendDurably(path: string, line: string): void {
  const descriptor = openSync(path, 'a');
  const { size } = fstatSync(descriptor);
  try {
    const bytes = Buffer.from(line);
    for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
    fsyncSync(descriptor);
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
