/**
 * @file Parses the JSON files of a checkpoint. A manifest proves that they are unchanged, not that this version of
 * Espalier wrote them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isSafePath, type RunSpec } from '@espalier/contracts';
import { modelKeys } from '@espalier/contracts/model-choice';
import { isCount, isRecord } from '@espalier/contracts/values';
import { parseAhead, parseReplay } from './batch-files.js';
import type { CheckpointLogs, StartingModel } from './checkpoint.js';
import { areProbes, type Probe } from './probes.js';
import type { LearnedGroup } from './replay.js';
import type { AheadBatch } from './sample-ahead.js';
import { parseTrainerState, type TrainerState } from './trainer-state.js';

const isHash = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Creates the error of a checkpoint with an invalid file. */
function corruptCheckpoint(folder: string, finding: string, cause?: unknown): AppError {
  return new AppError('trainer.corrupt_checkpoint', `load checkpoint "${folder}": ${finding}`, {
    details: { folder },
    cause,
  });
}

/** Reads one JSON file of a checkpoint. @throws trainer.corrupt_checkpoint */
export const loadPart = (folder: string, name: string): unknown =>
  readPart(folder, name, (text): unknown => JSON.parse(text));

function readPart(folder: string, name: string): string;
function readPart(folder: string, name: string, parse: (text: string) => unknown): unknown;
function readPart(folder: string, name: string, parse: (text: string) => unknown = (text) => text): unknown {
  try {
    return parse(readFileSync(join(folder, name), 'utf8'));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const finding = code === 'ENOENT' ? 'is missing' : code === undefined ? 'is not JSON' : `gave ${code}`;
    throw corruptCheckpoint(folder, `"${name}" ${finding}; restore the file that the run wrote`, cause);
  }
}

export const replayFile = 'replay.jsonl';
export const aheadFile = 'ahead.json';

/** Loads the groups that may be learned from again. @throws trainer.corrupt_checkpoint */
export function loadReplay(folder: string): readonly LearnedGroup[] {
  const groups = parseReplay(readPart(folder, replayFile));
  if (groups !== undefined) return groups;
  throw corruptCheckpoint(folder, `"${replayFile}" holds something else than groups of trajectories`);
}

/** Loads the batch of the next step. @throws trainer.corrupt_checkpoint */
export function loadAhead(folder: string): AheadBatch {
  const batch = parseAhead(readPart(folder, aheadFile));
  if (batch !== undefined) return batch;
  throw corruptCheckpoint(folder, `"${aheadFile}" does not hold the batch of the next step`);
}

/** Parses `state.json`. @throws trainer.corrupt_checkpoint */
export function parseState(folder: string, value: unknown): TrainerState {
  const state = parseTrainerState(value);
  if (state !== undefined) return state;
  throw corruptCheckpoint(
    folder,
    '"state.json" does not hold the counters of this version; another version wrote it',
  );
}

/** Parses the parts of `spec.json` that a resumed run compares; options of plugins stay unparsed. @throws trainer.corrupt_checkpoint */
export function parseSpec(folder: string, value: unknown): RunSpec {
  const isMixed = isRecord(value) && isRecord(value['environments']);
  const names = {
    ...(isMixed ? {} : { environment: ['use'] }),
    algorithm: ['use'],
    model: modelKeys,
  };
  const isPart = (part: unknown, keys: readonly string[]): boolean =>
    isRecord(part) && keys.some((key) => typeof part[key] === 'string');
  const [missing] =
    Object.entries(names).find(([name, keys]) => !isRecord(value) || !isPart(value[name], keys)) ?? [];
  if (missing === undefined) return value as RunSpec;
  throw corruptCheckpoint(folder, `"spec.json" does not name the ${missing}; it is not a resolved spec`);
}

/** Parses `start.json`. @throws trainer.corrupt_checkpoint */
export function parseStart(folder: string, value: unknown): StartingModel {
  const isStart =
    isRecord(value) &&
    typeof value['folder'] === 'string' &&
    isRecord(value['files']) &&
    Object.values(value['files']).every(isHash);
  if (isStart) return value as unknown as StartingModel;
  throw corruptCheckpoint(folder, '"start.json" lacks the folder or hashes of the starting model');
}

/** Parses `probes.json`. @throws trainer.corrupt_checkpoint */
export function parseProbes(folder: string, value: unknown): readonly Probe[] {
  if (areProbes(value)) return value;
  throw corruptCheckpoint(folder, '"probes.json" lacks tokens or log-probabilities of a probe');
}

/** Parses `logs.json`. @throws trainer.corrupt_checkpoint */
export function parseLogs(folder: string, value: unknown): CheckpointLogs {
  const isMark = ([name, mark]: [string, unknown]): boolean =>
    isSafePath(name) && isRecord(mark) && isCount(mark['bytes']) && isHash(mark['sha256']);
  const isLogs =
    isRecord(value) &&
    isCount(value['attempt']) &&
    value['attempt'] > 0 &&
    isRecord(value['files']) &&
    Object.entries(value['files']).every(isMark);
  if (isLogs) return value as unknown as CheckpointLogs;
  throw corruptCheckpoint(folder, '"logs.json" lacks the attempt, or length and sha256 of a log');
}
