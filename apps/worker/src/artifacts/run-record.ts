/**
 * @file What a worker records about a run folder, in `runs/<runId>.json`: which attempt wrote it last, and whether the
 * server has all events of that attempt. A folder whose attempt was fenced or has unsent events may be ahead of the
 * server; then the worker uses only the checkpoint that the server names.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { saveWholeFile } from '@espalier/files';
import { readJson } from '../attempts/attempt-folder.js';

export interface RunRecord {
  readonly attemptId: string;
  readonly jobId: string;
  readonly number: number;
  /** the server has stored all events of the attempt */
  readonly isShipped: boolean;
}

const recordFile = (runs: string, runId: string): string => join(runs, `${runId}.json`);

export function loadRunRecord(runs: string, runId: string): RunRecord | undefined {
  try {
    return readJson(recordFile(runs, runId)) as RunRecord;
  } catch {
    return undefined;
  }
}

export function saveRunRecord(runs: string, runId: string, record: RunRecord): void {
  saveWholeFile(recordFile(runs, runId), JSON.stringify(record));
}

/**
 * Deletes run folders that have not been used for some days.
 *
 * @param isHeld whether this worker holds an attempt at the run
 * @returns how many it deleted
 */
export function deleteOldRuns(
  { runs, forks }: { readonly runs: string; readonly forks: string },
  days: number,
  isHeld: (runId: string) => boolean,
  now = Date.now(),
): number {
  const names = existsSync(runs) ? readdirSync(runs) : [];
  const old = names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .filter((runId) => !isHeld(runId) && now - statSync(recordFile(runs, runId)).mtimeMs > days * 86_400_000);
  for (const runId of old) {
    rmSync(join(runs, runId), { recursive: true, force: true });
    rmSync(join(forks, runId), { recursive: true, force: true });
    rmSync(recordFile(runs, runId), { force: true });
  }
  return old.length;
}
