/** @file The stream `worker` of an attempt: events that the worker itself writes, each one durably. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { writeAll } from '@espalier/files';
import { attemptEvent, type AttemptEvent } from '@espalier/protocol';
import { truncatePartialLine } from './file-end.js';

export interface WorkerLog {
  /** Everything written so far, including by an earlier worker. */
  readonly events: readonly AttemptEvent[];
  append(event: AttemptEvent): void;
}

/** Opens the log. A partial line that a killed worker left was never sent, and is removed. */
export function openWorkerLog(path: string): WorkerLog {
  truncatePartialLine(path);
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

/** Appends a whole line or nothing; on a full disk a partial write is rolled back. */
function appendDurably(path: string, line: string): void {
  const descriptor = openSync(path, 'a');
  const { size } = fstatSync(descriptor);
  try {
    writeAll(descriptor, Buffer.from(line));
    fsyncSync(descriptor);
  } catch (error) {
    ftruncateSync(descriptor, size);
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
