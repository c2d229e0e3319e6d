/**
 * @file Where a run begins: anew in an empty folder, or after the newest checkpoint of the same run that is whole
 * together with the logs it goes on from. Where no checkpoint has whole logs, the newest whole one is used and what
 * can be read of the logs is kept: training is dearer than a row of a log.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type RunSpec } from '@espalier/contracts';
import { listDamagedRunFiles } from './attempts.js';
import { type Checkpoint, dropUnfinished, hashStartingModel, type StartingModel } from './checkpoint.js';
import { loadRunFile } from './durable-folder.js';
import { allBroken, type FoundCheckpoint, loadNewestCheckpoint, putAsideBroken } from './find-checkpoint.js';
import { specFile } from './run-folder.js';
import {
  copyAside,
  type DamagedLog,
  dropDamagedValidations,
  listDamagedLogs,
  type LogMarks,
} from './run-logs.js';

/** Changing these does not change what an iteration does. */
const changeable = new Set(['name', 'steps', 'validation', 'checkpoint', 'device', 'derived']);
/** Nor does where a plugin runs, in whatever part of the spec. */
const places = new Set(['isolation', 'callTimeoutMs']);

/** Folder of a checkpoint → why its weights cannot be loaded. */
export type Unusable = ReadonlyMap<string, string>;

/** How the logs of a run are to be cut back before it goes on. */
export interface LogStart {
  /** what to cut back to; undefined for a checkpoint of an earlier version, which does not know */
  readonly marks: LogMarks | undefined;
  /** logs that do not begin as `marks` says: what can be read of them is kept */
  readonly damaged: readonly string[];
}

export interface StartPoint extends FoundCheckpoint {
  readonly logs: LogStart;
  /** what was found and done, a sentence each */
  readonly warnings: readonly string[];
}

/**
 * Finds where to begin in a run folder whose lock is held; sets what is damaged aside, writes nothing else.
 *
 * @param unusable checkpoints whose weights could not be loaded
 * @throws trainer.run_exists, trainer.resume_mismatch, trainer.broken_run, trainer.broken_checkpoint
 */
export function resolveStart(
  folder: string,
  spec: RunSpec,
  resume: boolean,
  unusable: Unusable = new Map(),
): StartPoint {
  if (existsSync(specFile(folder)) && !resume) {
    throw new AppError(
      'trainer.run_exists',
      `start run: "${folder}" already holds one; resume it, or choose another folder`,
    );
  }
  dropUnfinished(folder);
  const found = findStart(folder, unusable);
  if (found.checkpoint === undefined && found.broken.length > 0)
    throw allBroken(`resume run "${folder}"`, found.broken);
  const files = listDamagedRunFiles(folder);
  const isSpecWhole = files.every(({ name }) => name !== 'spec.json');
  if (found.checkpoint !== undefined)
    requireSameSpec(folder, found.checkpoint.spec, spec, found.checkpoint.start);
  else if (existsSync(specFile(folder)) && isSpecWhole)
    requireSameSpec(folder, loadRunFile(specFile(folder), 'restore it, or start a new run'), spec);
  const going = `going on from step ${found.checkpoint?.state.step ?? 0}`;
  const warnings = [
    ...putAsideBroken(found).map(({ folder: at, message }) => `${message}; set aside as "${at}", ${going}`),
    ...[...files, ...found.seen].map((damaged) => setAside(folder, damaged, found.damaged, going)),
  ];
  dropDamagedValidations(folder, found.seen);
  const marks = found.checkpoint === undefined ? {} : found.checkpoint.logs?.files;
  return { ...found, warnings, logs: { marks, damaged: found.damaged.map(({ name }) => name) } };
}

/**
 * Makes sure that there is something to go on with, before the folder is locked.
 *
 * @throws trainer.nothing_to_resume
 */
export function requireRun(folder: string): void {
  // a process killed while it began leaves its folder with no more than its lock
  if (existsSync(specFile(folder)) || existsSync(join(folder, 'run.lock'))) return;
  throw new AppError(
    'trainer.nothing_to_resume',
    `resume run: "${folder}" holds none; start one without resuming`,
  );
}

/** What is there to go on from; see {@link findStart}. */
export interface FoundStart extends FoundCheckpoint {
  /** damaged logs that the checkpoint goes on from */
  readonly damaged: readonly DamagedLog[];
  /** those, and the ones for which newer checkpoints were passed over */
  readonly seen: readonly DamagedLog[];
}

/** Finds the newest checkpoint that is whole with its logs, else the newest whole one. Changes nothing on disk. */
export function findStart(folder: string, unusable: Unusable): FoundStart {
  const seen = new Map<string, DamagedLog>();
  const flawOf = (checkpoint: Checkpoint): string | undefined => unusable.get(checkpoint.folder);
  const accept = (checkpoint: Checkpoint): string | undefined => {
    const flaw = flawOf(checkpoint);
    if (flaw !== undefined) return flaw;
    const damaged = listDamagedLogs(folder, checkpoint.logs?.files ?? {});
    damaged.forEach((log) => seen.has(log.name) || seen.set(log.name, log));
    const [first] = damaged;
    return first === undefined ? undefined : `the log "${first.name}" is damaged, ${first.finding}`;
  };
  const withLogs = loadNewestCheckpoint(folder, { accept });
  if (withLogs.checkpoint !== undefined) return { ...withLogs, damaged: [], seen: [...seen.values()] };
  const found = loadNewestCheckpoint(folder, { accept: flawOf });
  const damaged = listDamagedLogs(folder, found.checkpoint?.logs?.files ?? {});
  return { ...found, damaged, seen: [...seen.values()] };
}

function setAside(
  folder: string,
  { name, finding }: DamagedLog,
  unavoidable: readonly DamagedLog[],
  going: string,
): string {
  const aside = copyAside(folder, name);
  const where = aside === undefined ? 'nothing of it is left' : `set aside as "${aside}"`;
  const isLost = unavoidable.some((log) => log.name === name);
  const loss = isLost ? '; no checkpoint is older than the damage, what can be read of it is kept' : '';
  return `resume run "${folder}": "${name}" is damaged, ${finding}; ${where}, ${going}${loss}`;
}

function comparable(spec: object): unknown {
  const kept = Object.fromEntries(Object.entries(spec).filter(([key]) => !changeable.has(key)));
  return JSON.parse(
    JSON.stringify(kept, (key, value: unknown) => (places.has(key) ? undefined : value)),
  ) as unknown;
}

function requireSameSpec(
  folder: string,
  before: RunSpec | object,
  now: RunSpec,
  start?: StartingModel,
): void {
  const here = isSameModelElsewhere(before, now, start) ? { ...before, model: now.model } : before;
  const differences = listDifferences(comparable(here), comparable(now));
  if (differences.length === 0) return;
  throw new AppError(
    'trainer.resume_mismatch',
    `resume run "${folder}": ${differences.join('; ')}; a resumed run keeps its spec (free to change: ${[...changeable].slice(0, 5).join(', ')})`,
  );
}

/** A run may go on where its starting model lies in another folder, as long as the files are the same. */
function isSameModelElsewhere(before: object, now: RunSpec, start: StartingModel | undefined): boolean {
  const { use } = (before as Partial<RunSpec>).model ?? {};
  const areFolders = [use, now.model.use].every((place) => place?.includes('/') === true);
  if (!areFolders || start === undefined || Object.keys(start.files).length === 0) return false;
  return listDifferences(start.files, hashStartingModel(now.model.use).files).length === 0;
}

/** Names every place where two JSON values differ. */
export function listDifferences(before: unknown, now: unknown, path = ''): string[] {
  if (typeof before === 'object' && before !== null && typeof now === 'object' && now !== null) {
    const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
    const read = (value: object, key: string): unknown => (value as Record<string, unknown>)[key];
    return [...keys].flatMap((key) =>
      listDifferences(read(before, key), read(now, key), path === '' ? key : `${path}.${key}`),
    );
  }
  if (before === now) return [];
  return [`${path} was ${JSON.stringify(before) ?? 'absent'}, now ${JSON.stringify(now) ?? 'absent'}`];
}
