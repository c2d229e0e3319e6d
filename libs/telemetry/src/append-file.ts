/**
 * @file A file that only grows. Writes are immediate; `sync` makes them survive a power cut.
 * A write that fails is remembered and thrown by `sync`, because whoever emits must not be thrown at.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { AppError } from '@espalier/contracts';

export interface AppendFile {
  append(bytes: Uint8Array | string): void;
  /** @throws telemetry.write_failed when any write so far has failed */
  sync(): void;
  close(): void;
}

/** Creates the file, or opens it at its end. */
export function createAppendFile(path: string): AppendFile {
  const descriptor = openSync(path, 'a');
  let failure: unknown;
  const attempt = (write: () => void): void => {
    try {
      if (failure === undefined) write();
    } catch (error) {
      failure = error;
    }
  };
  return {
    append(bytes) {
      attempt(() => {
        const buffer = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
        for (let written = 0; written < buffer.length;) written += writeSync(descriptor, buffer, written);
      });
    },
    sync() {
      attempt(() => fsyncSync(descriptor));
      if (failure !== undefined) throw writeFailed(path, failure);
    },
    close: () => closeSync(descriptor),
  };
}

/** The error of a file that could not be written. */
export function writeFailed(path: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'telemetry.write_failed',
    `write ${path}: ${reason}; make room or choose another folder`,
    { cause },
  );
}
