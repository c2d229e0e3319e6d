/**
 * @file Uploads single files of a run, each once and with its hash. Every upload is an event of the stream `worker`.
 * Failed uploads are collected and reported at the end.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '@espalier/contracts';
import type { ArtifactKind } from '@espalier/protocol';
import type { WorkerLog } from '../attempts/worker-log.js';
import { type ArtifactStore, type Fencing, hashOf, isFencedRefusal } from './artifact-store.js';
import { retryTransfer, type TransferParts } from './retry-transfer.js';

export interface Upload {
  readonly artifact: ArtifactKind;
  readonly step: number;
  readonly path: string;
  /** default: the file of that path in the run */
  readonly file?: string;
  /** default: all of it */
  readonly digest?: { readonly bytes: number; readonly sha256: string };
}

export interface FileUploadParts extends TransferParts {
  readonly runId: string;
  readonly runFolder: string;
  readonly fencing: Fencing;
  readonly store: ArtifactStore;
  readonly workerLog: WorkerLog;
  readonly onFenced: () => void;
  readonly now?: () => number;
}

export interface FileUpload {
  /** Uploads a file; returns false if that failed. @throws the reason of the signal when it is aborted */
  upload(one: Upload): Promise<boolean>;
  /** Records another failure. */
  fail(what: string, reason: unknown): void;
  /** Describes failed uploads in a sentence; undefined if there are none. */
  describeFailures(): string | undefined;
}

/** Creates the uploads of one attempt, which skip files that its log lists as uploaded. */
export function createFileUpload(parts: FileUploadParts): FileUpload {
  const { runFolder, workerLog, now = Date.now } = parts;
  const stored = new Map<string, string>();
  for (const event of workerLog.events) if (event.kind === 'artifact') stored.set(event.path, event.sha256);
  const failures = new Map<string, string>();
  const fail = (what: string, reason: unknown): void =>
    void failures.set(what, isAppError(reason) ? reason.message : String(reason));

  const store = async ({ artifact, step, path, file, digest }: Upload): Promise<void> => {
    const source = file ?? join(runFolder, path);
    if (!existsSync(source)) return;
    const bytes = digest?.bytes ?? statSync(source).size;
    const sha256 = digest?.sha256 ?? (await hashOf(source, bytes));
    if (stored.get(path) === sha256) return;
    const local = { file: source, path, bytes, sha256 };
    await retryTransfer((signal) => parts.store.store(parts.runId, local, parts.fencing, signal), parts);
    workerLog.append({ kind: 'artifact', time: now(), step, artifact, path, bytes, sha256 });
    stored.set(path, sha256);
  };
  return {
    fail,
    async upload(one) {
      try {
        await store(one);
        failures.delete(one.path);
        return true;
      } catch (error) {
        if (parts.signal.aborted) throw error;
        if (isFencedRefusal(error)) parts.onFenced();
        fail(one.path, error);
        return false;
      }
    },
    describeFailures() {
      const [first] = failures;
      if (first === undefined) return undefined;
      return `${failures.size} file(s) could not be uploaded and exist only on the worker, such as ${first[0]}: ${first[1]}`;
    },
  };
}
