/** @file Runs of this machine as recorded in their folders: state and one curve. Reads only. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type AppError, isAppError, runLayout, type RunSpec } from '@espalier/contracts';
import { isAlive, readLockOwner } from '@espalier/files';
import { type MetricRow, readMetrics } from '@espalier/recorder';
import { outcomeOf } from '@espalier/sweep';
import { listCheckpointSteps } from '@espalier/trainer/run-folder';
import { isRunFolder, readRunSpec } from './recorded-run.js';

/** A run in a line. */
export interface LocalRun {
  readonly folder: string;
  readonly spec: RunSpec;
  readonly step: number;
  /** how the newest attempt ended; `running` when it has not, `killed` when its process is gone all the same */
  readonly state: string;
  /** newest success in training, and newest in validation */
  readonly success: number | undefined;
  readonly validation: number | undefined;
}

/**
 * Lists the runs in a folder, by name; a folder without a run is skipped.
 *
 * @param onCorrupt gets the error of each run that cannot be read, which is left out
 */
export function listLocalRuns(folder: string, onCorrupt: (error: AppError) => void): LocalRun[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && isRunFolder(join(folder, entry.name)))
    .flatMap((entry) => {
      try {
        return [readLocalRun(join(folder, entry.name))];
      } catch (error) {
        if (!isAppError(error)) throw error;
        onCorrupt(error);
        return [];
      }
    })
    .sort((a, b) => a.folder.localeCompare(b.folder, 'en', { numeric: true }));
}

/** Reads one run. @throws cli.run_not_found, trainer.corrupt_run */
export function readLocalRun(folder: string): LocalRun {
  const spec = readRunSpec(folder);
  const rows = readRows(folder);
  const newest = (name: string): number | undefined =>
    rows.findLast(({ values }) => name in values)?.values[name];
  return {
    folder,
    spec,
    step: lastStep(folder),
    state: readRunState(folder),
    success: newest('rollout/success_rate'),
    validation: newest('validation/success_rate'),
  };
}

/** The last step that a run has completed: of its metrics, or before them that of the checkpoint which a fork begins with. */
export const lastStep = (folder: string): number =>
  readRows(folder).at(-1)?.step ?? listCheckpointSteps(folder)[0] ?? 0;

/** Gives [step, value] of a metric in a run. */
export function readCurve(folder: string, metric: string): [number, number][] {
  return readRows(folder).flatMap(({ step, values }): [number, number][] => {
    const value = values[metric];
    return value === undefined ? [] : [[step, value]];
  });
}

/** Names of all metrics of a run. */
export function listMetrics(folder: string): string[] {
  return [...new Set(readRows(folder).flatMap(({ values }) => Object.keys(values)))].sort();
}

/** Rows by file: a report asks for a run's metrics some twenty times, and they are large. */
const read = new Map<string, { readonly stamp: string; readonly rows: readonly MetricRow[] }>();

/** Reads all rows of a run's metrics; those of a file that has not changed are read once. */
export function readRows(folder: string): readonly MetricRow[] {
  const file = join(folder, runLayout.metrics);
  if (!existsSync(file)) return [];
  const { size, mtimeMs } = statSync(file);
  const known = read.get(file);
  const stamp = `${size} ${mtimeMs}`;
  if (known?.stamp === stamp) return known.rows;
  const rows = readMetrics(file);
  read.set(file, { stamp, rows });
  return rows;
}

/** How the newest attempt at a run ended; `running` when it has not, `killed` when its process is gone all the same. */
export function readRunState(folder: string): string {
  return outcomeOf(folder) ?? (isHeld(join(folder, runLayout.lock)) ? 'running' : 'killed');
}

/** Whether the owner of a lock lives; one on another machine is taken to. */
function isHeld(lock: string): boolean {
  const owner = readLockOwner(lock);
  return owner !== undefined && (owner.host !== hostname() || isAlive(owner));
}
