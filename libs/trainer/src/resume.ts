/**
 * @file Decides where a run starts: from scratch in an empty folder, or from the newest checkpoint that is intact
 * together with its logs. If no checkpoint has intact logs, the newest intact one is used and the readable part of the
 * logs is kept: training costs more than a row of a log.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, runLayout, type RunSpec, type WarningCode } from '@espalier/contracts';
import { forgetSamplerDefaults } from '@espalier/contracts/sampler-correction';
import { copyAside } from '@espalier/files';
import { listDamagedRunFiles } from './attempts.js';
import { type Checkpoint, dropUnfinished, hashStartingModel, type StartingModel } from './checkpoint.js';
import { loadRunFile, specFile } from './run-folder.js';
import {
  allCorrupt,
  type FoundCheckpoint,
  loadNewestCheckpoint,
  setAsideCorrupt,
} from './find-checkpoint.js';
import { type DamagedLog, dropDamagedValidations, listDamagedLogs, type LogMarks } from './run-logs.js';

/** Sections that do not affect what an iteration computes. */
const changeable = new Set(['name', 'steps', 'validation', 'checkpoint', 'device', 'monitor']);
/** Keys of plugins, in any section, that do not either. */
const hostKeys = new Set(['isolation', 'callTimeoutMs']);
/** Keys of rewards that say how an endpoint is asked, and what that may cost: not what it is asked. */
const askingKeys = new Set([
  'baseUrl',
  'apiKeyFrom',
  'price',
  'budget',
  'retries',
  'backoffMs',
  'timeoutMs',
  'concurrency',
]);

/** Folder of a checkpoint → why its weights cannot be loaded. */
export type Unusable = ReadonlyMap<string, string>;

/** How to truncate the logs of a run before it resumes. */
export interface LogStart {
  /** the lengths to truncate to; empty when the run kept no logs */
  readonly marks: LogMarks;
  /** logs that do not match `marks`: their readable part is kept */
  readonly damaged: readonly string[];
}

/** A damaged file, and what was done about it. */
export interface StartWarning {
  readonly code: WarningCode;
  readonly message: string;
}

export interface StartPoint extends FoundCheckpoint {
  readonly logs: LogStart;
  readonly warnings: readonly StartWarning[];
}

/**
 * Finds where to start in a locked run folder; sets damaged files aside, writes nothing else.
 *
 * @param unusable checkpoints whose weights cannot be loaded
 * @throws trainer.run_exists, trainer.resume_mismatch, trainer.corrupt_run, trainer.corrupt_checkpoint
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
      `start run: "${folder}" already holds a run; resume it, or choose another folder`,
    );
  }
  dropUnfinished(folder);
  const found = findStart(folder, unusable);
  if (found.checkpoint === undefined && found.corrupt.length > 0)
    throw allCorrupt(`resume run "${folder}"`, found.corrupt);
  const files = listDamagedRunFiles(folder);
  const isSpecWhole = files.every(({ name }) => name !== runLayout.spec);
  if (found.checkpoint !== undefined)
    validateSameSpec(folder, found.checkpoint.spec, spec, found.checkpoint.start);
  else if (existsSync(specFile(folder)) && isSpecWhole)
    validateSameSpec(folder, loadRunFile(specFile(folder), 'restore it, or start a new run'), spec);
  const resuming = `resuming from step ${found.checkpoint?.state.step ?? 0}`;
  const warnings: StartWarning[] = [
    ...setAsideCorrupt(found).map(({ folder: at, message }) => ({
      code: 'trainer.corrupt_checkpoint' as const,
      message: `${message}; set aside as "${at}", ${resuming}`,
    })),
    ...[...files, ...found.seen].map((damaged) => ({
      code: 'trainer.corrupt_run' as const,
      message: setAside(folder, damaged, found.damaged, resuming),
    })),
    ...listDeviceChanges(folder, found.checkpoint, spec),
  ];
  dropDamagedValidations(folder, found.seen);
  const marks = found.checkpoint?.logs?.files ?? {};
  return { ...found, warnings, logs: { marks, damaged: found.damaged.map(({ name }) => name) } };
}

/** What decides numbers, beyond the library that computes them; threads do not. */
const computing = ['provider', 'precision', 'sampling'] as const;

/** An option that was given at the start and forgotten at the resume would change a run in silence. */
function listDeviceChanges(
  folder: string,
  checkpoint: Checkpoint | undefined,
  { device, engine, steps }: RunSpec,
): StartWarning[] {
  // a server computes as it does, and what is done stays as it is
  if (checkpoint === undefined || engine !== undefined || checkpoint.state.step >= steps) return [];
  const before = checkpoint.spec.device;
  const changes = computing.flatMap((name) =>
    before[name] === device[name] ? [] : [`device.${name} ${device[name]} (${before[name]} before)`],
  );
  if (changes.length === 0) return [];
  const message = `resume run "${folder}": from step ${checkpoint.state.step} on it computes with ${changes.join(', ')}, so its numbers are others than they would have been; stop it and set what it had before, if that is not meant`;
  return [{ code: 'trainer.device_changed', message }];
}

/**
 * Checks that the folder holds a run, before it is locked.
 *
 * @throws trainer.nothing_to_resume
 */
export function validateRunExists(folder: string): void {
  // a process killed at its start leaves only the lock in the folder
  if (existsSync(specFile(folder)) || existsSync(join(folder, runLayout.lock))) return;
  throw new AppError(
    'trainer.nothing_to_resume',
    `resume run: "${folder}" holds no run; start one without resuming`,
  );
}

/** The checkpoint to start from; see {@link findStart}. */
export interface FoundStart extends FoundCheckpoint {
  /** damaged logs of the chosen checkpoint */
  readonly damaged: readonly DamagedLog[];
  /** those, and the ones for which newer checkpoints were skipped */
  readonly seen: readonly DamagedLog[];
}

/** Finds the newest checkpoint that is intact with its logs, else the newest intact one. Changes nothing on disk. */
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
  resuming: string,
): string {
  const path = join(folder, name);
  const where = existsSync(path) ? `set aside as "${copyAside(path)}"` : 'no copy could be made';
  const isLost = unavoidable.some((log) => log.name === name);
  const loss = isLost ? '; no checkpoint is older than the damage, its readable part is kept' : '';
  return `resume run "${folder}": "${name}" is damaged, ${finding}; ${where}, ${resuming}${loss}`;
}

/** Lists where two specs differ in what they compute; a correction of the sampler that follows from `device` may follow anew. */
function listOtherSettings(before: object, now: object): string[] {
  const specs = [before, now];
  const [written, writtenNow] = specs.map(writtenCorrection);
  const isSame = listDifferences(written, writtenNow).length === 0;
  const [was, is] = specs.map((spec) => comparable(isSame ? withoutCorrection(spec) : spec));
  return listDifferences(was, is);
}

/** What of the correction does not follow from `device`. */
function writtenCorrection(spec: object): unknown {
  const { update, device, engine } = spec as Partial<RunSpec>;
  if (update?.samplerCorrection === undefined || device === undefined) return {};
  return forgetSamplerDefaults({ update, device, engine });
}

function withoutCorrection(spec: object): object {
  const { update, ...rest } = spec as Partial<RunSpec>;
  if (update === undefined) return spec;
  const { samplerCorrection: _, ...others } = update;
  return { ...rest, update: others };
}

/** What of a spec affects what an iteration computes, by section. */
export function comparable(spec: object): Readonly<Record<string, unknown>> {
  const { environments, engine } = spec as {
    readonly environments?: object;
    readonly engine?: RunSpec['engine'];
  };
  const kept = Object.fromEntries(Object.entries(spec).filter(([key]) => !changeable.has(key)));
  // a server may have moved; what it computes must be the same
  if (engine !== undefined) kept['engine'] = { use: engine.use, model: engine.model };
  // groups are numbered in the order of tags
  if (environments !== undefined) kept['order of tags'] = Object.keys(environments).join(', ');
  const leaveOutAsking = (key: string, value: unknown): unknown =>
    key === 'rewards' ? leaveOut(value, askingKeys) : value;
  return leaveOut(kept, hostKeys, leaveOutAsking) as Readonly<Record<string, unknown>>;
}

/** A copy without some keys, at any depth. @param change what becomes of the other values */
function leaveOut(
  value: unknown,
  keys: ReadonlySet<string>,
  change = (_key: string, kept: unknown): unknown => kept,
): unknown {
  const replace = (key: string, kept: unknown): unknown => (keys.has(key) ? undefined : change(key, kept));
  return JSON.parse(JSON.stringify(value, replace)) as unknown;
}

/** Whether a run that continues another one goes on by other settings: what it computes, or what its health is judged by. */
export function hasOtherSettings(before: RunSpec, now: RunSpec): boolean {
  const settingsOf = ({ model: _model, ...spec }: RunSpec): object => spec;
  const others = listOtherSettings(settingsOf(before), settingsOf(now));
  return others.length > 0 || listDifferences(before.monitor, now.monitor).length > 0;
}

function validateSameSpec(
  folder: string,
  before: RunSpec | object,
  now: RunSpec,
  start?: StartingModel,
): void {
  const here = isSameModelElsewhere(before, now, start) ? { ...before, model: now.model } : before;
  const differences = listOtherSettings(here, now);
  if (differences.length === 0) return;
  throw new AppError(
    'trainer.resume_mismatch',
    `resume run "${folder}": ${differences.join('; ')}; a resumed run keeps its spec (you may change: ${[...changeable].join(', ')}, and how the endpoint of a reward is asked)`,
  );
}

/** A run may resume with its starting model in another folder if the files are the same. */
function isSameModelElsewhere(before: object, now: RunSpec, start: StartingModel | undefined): boolean {
  const was = (before as Partial<RunSpec>).model;
  const { model } = now;
  if (was === undefined || 'use' in was || 'use' in model) return false;
  if (!('path' in was && 'path' in model)) return false;
  if (start === undefined || Object.keys(start.files).length === 0) return false;
  return listDifferences(start.files, hashStartingModel(model.path).files).length === 0;
}

/** Lists the paths at which two JSON values differ. */
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
