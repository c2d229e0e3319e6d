/**
 * @file What a worker remembers of a run folder beside it, `runs/<runId>.json`: which attempt wrote it last, and
 * whether all that this attempt said has reached the server. A folder whose attempt was taken away, or has unsent
 * events, may be ahead of what the server knows; then only what the server names is used of it.
 */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, saveWhole } from '../attempts/attempt-folder.js';

export interface RunRecord {
  readonly attemptId: string;
  readonly jobId: string;
  readonly number: number;
  /** everything that the attempt said is stored by the server */
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
  saveWhole(recordFile(runs, runId), JSON.stringify(record));
}

/**
 * Deletes run folders that nobody has worked in for long.
 *
 * @param isHeld tells of runs with an attempt of this worker
 * @returns how many
 */
export function dropOldRuns(
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
