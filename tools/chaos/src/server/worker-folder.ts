/** @file What the folder of a worker shows of the attempts it holds, read as it lies there; the worker may be dead. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An attempt whose process was started. */
export interface HeldAttempt {
  readonly worker: string;
  readonly folder: string;
  readonly attemptId: string;
  readonly runId: string;
  readonly token: number;
  /** leader of its group of processes */
  readonly pid: number;
  readonly hasEnded: boolean;
  /** lines it has said about finished steps */
  readonly rows: number;
}

interface KeptState {
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
      const { phase, living } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as KeptState;
      const said = join(folder, 'trainer.jsonl');
      const text = existsSync(said) ? readFileSync(said, 'utf8') : '';
      const rows = text.split('"kind":"metrics"').length - 1;
      const hasEnded = phase === 'ended' || existsSync(join(folder, 'exit'));
      return [{ worker, folder, attemptId, runId, token, pid: living?.pid ?? 0, hasEnded, rows }];
    } catch {
      // It is just being made or removed.
      return [];
    }
  });
}

/** Tells whether a process works: it is there, and not only waiting to be collected. */
export function isWorking(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? 'X');
  } catch {
    return false;
  }
}

/** The processes that a process started. */
export function childrenOf(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
