/** @file Reads the attempts in a worker's folder; the worker itself may be dead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An attempt whose process was started. */
export interface HeldAttempt {
  readonly worker: string;
  readonly folder: string;
  readonly attemptId: string;
  readonly runId: string;
  readonly token: number;
  /** leader of its process group */
  readonly pid: number;
  readonly hasEnded: boolean;
  /** its metrics rows so far */
  readonly rows: number;
}

interface StoredState {
  readonly phase: string;
  readonly living?: { readonly pid: number };
}

/** Lists the attempts in the folder of a worker. */
export function listHeld(worker: string, workerFolder: string): HeldAttempt[] {
  const parent = join(workerFolder, 'attempts');
  const names = existsSync(parent) ? readdirSync(parent) : [];
  return names.flatMap((attemptId) => {
    const folder = join(parent, attemptId);
    try {
      const { runId, token } = JSON.parse(readFileSync(join(folder, 'assignment.json'), 'utf8')) as {
        runId: string;
        token: number;
      };
      const { phase, living } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as StoredState;
      const said = join(folder, 'trainer.jsonl');
      const text = existsSync(said) ? readFileSync(said, 'utf8') : '';
      const rows = text.split('"kind":"metrics"').length - 1;
      const hasEnded = phase === 'ended' || existsSync(join(folder, 'exit'));
      return [{ worker, folder, attemptId, runId, token, pid: living?.pid ?? 0, hasEnded, rows }];
    } catch {
      // it is being created or removed
      return [];
    }
  });
}

/** Whether a process is alive and not a zombie. */
export function isWorking(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? 'X');
  } catch {
    return false;
  }
}

/** The child processes of a process. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
