/**
 * @file Stores single files of a run: each once, with its hash, until it works; each stored file is one line of the
 * worker's stream. What could not be stored is remembered and told at the end.
 */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '@espalier/contracts';
import type { ArtifactKind } from '@espalier/protocol';
import type { Journal } from '../attempts/journal.js';
import { type ArtifactStore, type Fencing, hashOf, isFencedRefusal } from '../server/artifact-store.js';
import { persevere, type TransferParts } from './transfer.js';

export interface Upload {
  readonly artifact: ArtifactKind;
  readonly step: number;
  readonly path: string;
  /** default: the file of that path in the run */
  readonly file?: string;
  /** default: all of it */
  readonly mark?: { readonly bytes: number; readonly sha256: string };
}

export interface FileUploadParts extends TransferParts {
  readonly runId: string;
  readonly runFolder: string;
  readonly fencing: Fencing;
  readonly store: ArtifactStore;
  readonly journal: Journal;
  readonly onFenced: () => void;
  readonly now?: () => number;
}

export interface FileUpload {
  /** Stores a file; false when that could not be done. @throws the reason of the signal, when it is aborted */
  upload(one: Upload): Promise<boolean>;
  /** Notes something else that failed. */
  fail(what: string, reason: unknown): void;
  /** What could not be stored, in a sentence; undefined when everything was. */
  describeFailures(): string | undefined;
}

/** Creates the uploads of one attempt; what its journal tells of is not stored again. */
export function createFileUpload(parts: FileUploadParts): FileUpload {
  const { runFolder, journal, now = Date.now } = parts;
  const stored = new Map<string, string>();
  for (const event of journal.events) if (event.kind === 'artifact') stored.set(event.path, event.sha256);
  const failures = new Map<string, string>();
  const fail = (what: string, reason: unknown): void =>
    void failures.set(what, isAppError(reason) ? reason.message : String(reason));

  const store = async ({ artifact, step, path, file, mark }: Upload): Promise<void> => {
    const source = file ?? join(runFolder, path);
    if (!existsSync(source)) return;
    const bytes = mark?.bytes ?? statSync(source).size;
    const sha256 = mark?.sha256 ?? (await hashOf(source, bytes));
    if (stored.get(path) === sha256) return;
    const local = { file: source, path, bytes, sha256 };
    await persevere((signal) => parts.store.store(parts.runId, local, parts.fencing, signal), parts);
    journal.append({ kind: 'artifact', time: now(), step, artifact, path, bytes, sha256 });
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
      return `${failures.size} file(s) could not be stored and lie only on the worker, such as ${first[0]}: ${first[1]}`;
    },
  };
}
