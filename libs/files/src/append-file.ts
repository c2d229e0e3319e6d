/**
 * @file An append-only file. Writes are immediate; `sync` makes them durable. A failed write is remembered and thrown by
 * `sync`, because emitting an event must not throw.
 */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AppError, type FileMark } from '@espalier/contracts';
import { syncPath, writeAll } from './whole-file.js';

export interface AppendFile {
  append(bytes: Uint8Array | string): void;
  /** @throws recorder.write_failed when any write so far has failed */
  sync(): void;
  /** Length and sha256 of the contents. */
  mark(): FileMark;
  close(): void;
}

/** Creates the file, or opens it for appending. */
export function createAppendFile(path: string): AppendFile {
  const isNew = !existsSync(path);
  const descriptor = openSync(path, 'a');
  if (isNew) syncPath(dirname(path));
  const present = isNew ? Buffer.alloc(0) : readFileSync(path);
  const hash = createHash('sha256').update(present);
  let bytes = present.length;
  let failure: unknown;
  const attempt = (write: () => void): void => {
    try {
      if (failure === undefined) write();
    } catch (error) {
      failure = error;
    }
  };
  return {
    append(content) {
      attempt(() => {
        const buffer = typeof content === 'string' ? Buffer.from(content) : content;
        writeAll(descriptor, buffer);
        hash.update(buffer);
        bytes += buffer.length;
      });
    },
    sync() {
      attempt(() => fsyncSync(descriptor));
      if (failure !== undefined) throw writeFailed(path, failure);
    },
    mark: () => ({ bytes, sha256: hash.copy().digest('hex') }),
    close: () => closeSync(descriptor),
  };
}

/** Adds a newline to a file that does not end with one, unless it is empty or missing. Reads one byte. */
export function terminateLastLine(path: string): void {
  if (existsSync(path) && !['', '\n'].includes(readLastByte(path))) appendFileSync(path, '\n');
}

function readLastByte(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const last = Buffer.alloc(1);
    const count = readSync(descriptor, last, 0, 1, Math.max(0, fstatSync(descriptor).size - 1));
    return last.toString('latin1', 0, count);
  } finally {
    closeSync(descriptor);
  }
}

/** The error of a failed write. */
export function writeFailed(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'recorder.write_failed',
    `write ${path}: ${reason}; free disk space or choose another folder`,
    { cause },
  );
}
