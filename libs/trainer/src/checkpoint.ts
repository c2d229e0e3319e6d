/**
 * @file Checkpoints: folders `checkpoints/step-000010/`, complete or absent.
 *
 *   policy/        weights in the layout of Hugging Face, tokenizer, optimizer moments (written by the engine)
 *   critic/        the same for the critic, where there is one; further ones in critic-2/, critic-3/, …
 *   state.json     counters of the trainer
 *   spec.json      the resolved spec
 *   logs.json      the attempt, and length and sha256 of its logs (see run-logs.ts)
 *   start.json     the starting model: folder and sha256 of its files; the reference policy opens it
 *   probes.json    replies of the starting policy that drift is measured on (see probes.ts), where there are any
 *   replay.jsonl   groups that may be learned from again (see batch-files.ts), where there are any
 *   ahead.json     the batch of the next step, where sampling is ahead of the update
 *   manifest.json  sha256 and length of every file
 *
 * find-checkpoint.ts chooses the one to use.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runLayout, type RunSpec, type TrainableModel } from '@espalier/contracts';
import { encodeAhead, encodeReplay } from './batch-files.js';
import {
  aheadFile,
  loadAhead,
  loadPart,
  loadReplay,
  parseLogs,
  parseProbes,
  parseSpec,
  parseStart,
  parseState,
  replayFile,
} from './checkpoint-parts.js';
import { criticFolder } from './critics.js';
import { hashFile, publishFolder, verifyFolder, writeManifest } from '@espalier/files';
import { checkpointsFolder, listCheckpoints } from './run-folder.js';
import type { Probe } from './probes.js';
import type { LearnedGroup } from './replay.js';
import type { AheadBatch } from './sample-ahead.js';
import type { LogMarks } from './run-logs.js';
import type { TrainerState } from './trainer-state.js';
import { isRefusedBySystem, writeFailed } from './write-failure.js';

/** The model that the policy started from. */
export interface StartingModel {
  readonly folder: string;
  /** file name → sha256 */
  readonly files: Readonly<Record<string, string>>;
}

/** The logs of the run when the checkpoint was saved. */
export interface CheckpointLogs {
  /** 1 for the first process of a run */
  readonly attempt: number;
  readonly files: LogMarks;
  /** it is what a fork began with, before its first row */
  readonly isForkPoint?: true;
}

export interface CheckpointContents extends Omit<Checkpoint, 'folder' | 'logs'> {
  readonly logs?: CheckpointLogs;
  readonly policy: TrainableModel;
  readonly critics?: readonly TrainableModel[] | undefined;
}

export interface Checkpoint {
  /** undefined when the checkpoint has no `logs.json` */
  readonly logs: CheckpointLogs | undefined;
  readonly folder: string;
  readonly state: TrainerState;
  readonly spec: RunSpec;
  readonly start: StartingModel;
  /** undefined when the checkpoint has none */
  readonly probes?: readonly Probe[] | undefined;
  readonly replay?: readonly LearnedGroup[] | undefined;
  readonly ahead?: AheadBatch | undefined;
}

const tokenizerFiles = [
  'tokenizer.json',
  'tokenizer_config.json',
  'special_tokens_map.json',
  'generation_config.json',
  'chat_template.jinja',
];

/** Hashes configuration and weights of a model folder, but no moments: a copy has none. Without files the result is empty. */
export function hashStartingModel(folder: string): StartingModel {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const isRelevant = (name: string): boolean =>
    name === 'config.json' || (name.endsWith('.safetensors') && name !== 'optimizer.safetensors');
  const relevant = names.filter(isRelevant).sort();
  return { folder, files: Object.fromEntries(relevant.map((name) => [name, hashFile(join(folder, name))])) };
}

/**
 * Writes the checkpoint of a completed step and deletes all but the `keep` newest and those of the steps in `needed`.
 *
 * @returns its folder
 */
export async function saveCheckpoint(
  runFolder: string,
  contents: CheckpointContents,
  keep: number,
  needed: readonly number[] = [],
): Promise<string> {
  const parent = checkpointsFolder(runFolder);
  const target = join(parent, runLayout.stepName(contents.state.step));
  const temporary = join(parent, `.tmp-${runLayout.stepName(contents.state.step)}-${process.pid}`);
  try {
    rmSync(temporary, { recursive: true, force: true });
    await fillFolder(temporary, contents);
    writeManifest(temporary);
    publishFolder(temporary, target);
  } catch (error) {
    // a partial checkpoint would waste space on a full disk
    rmSync(temporary, { recursive: true, force: true });
    throw isRefusedBySystem(error) ? writeFailed(`save checkpoint "${target}"`, error) : error;
  }
  listCheckpoints(runFolder)
    .slice(keep)
    .filter((old) => !needed.includes(runLayout.stepOf(old) ?? -1))
    .forEach((old) => rmSync(old, { recursive: true, force: true }));
  return target;
}

async function fillFolder(folder: string, contents: CheckpointContents): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  // not recursive: an error then names the folder that failed
  mkdirSync(folder);
  mkdirSync(join(folder, 'policy'));
  await contents.policy.save(join(folder, 'policy'), { optimizer: true });
  copyTokenizer(contents.start.folder, join(folder, 'policy'));
  for (const [index, critic] of (contents.critics ?? []).entries()) {
    const own = join(folder, criticFolder(index));
    mkdirSync(own);
    await critic.save(own, { optimizer: true });
  }
  for (const part of ['state', 'spec', 'start', 'logs', 'probes'] as const) {
    if (contents[part] === undefined) continue;
    // numbers of probes are many, and nobody reads them
    const indent = part === 'probes' ? 0 : 2;
    writeFileSync(join(folder, `${part}.json`), JSON.stringify(contents[part], null, indent));
  }
  const { replay = [], ahead } = contents;
  if (replay.length > 0) writeFileSync(join(folder, replayFile), encodeReplay(replay));
  if (ahead !== undefined) writeFileSync(join(folder, aheadFile), encodeAhead(ahead));
}

/** Copies the tokenizer from the starting model: it never changes, and the engine writes weights only. */
function copyTokenizer(from: string, to: string): void {
  for (const name of tokenizerFiles) {
    if (existsSync(join(from, name)) && !existsSync(join(to, name))) cpSync(join(from, name), join(to, name));
  }
}

/** Removes partial files of a killed process; requires the run's lock. */
export function dropUnfinished(runFolder: string): void {
  const parent = checkpointsFolder(runFolder);
  for (const name of existsSync(parent) ? readdirSync(parent) : []) {
    const isReplaced = name.endsWith('.old') && existsSync(join(parent, name.slice(0, -4)));
    if (name.startsWith('.tmp-') || isReplaced) rmSync(join(parent, name), { recursive: true, force: true });
  }
  for (const folder of [runFolder, join(runFolder, runLayout.validation)]) {
    for (const name of existsSync(folder) ? readdirSync(folder) : [])
      if (name.startsWith('.tmp-')) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Checks every file of a checkpoint and reads all but the weights, which models load from `policy/`, `critic/` and those next to it.
 *
 * @throws trainer.corrupt_checkpoint naming the file that differs from the manifest or is invalid
 */
export function loadCheckpoint(folder: string): Checkpoint {
  verifyFolder(folder);
  const hasProbes = existsSync(join(folder, 'probes.json'));
  const hasLogs = existsSync(join(folder, runLayout.checkpointLogs));
  const has = (name: string): boolean => existsSync(join(folder, name));
  return {
    folder,
    logs: hasLogs ? parseLogs(folder, loadPart(folder, runLayout.checkpointLogs)) : undefined,
    state: parseState(folder, loadPart(folder, runLayout.checkpointState)),
    spec: parseSpec(folder, loadPart(folder, runLayout.spec)),
    start: parseStart(folder, loadPart(folder, 'start.json')),
    probes: hasProbes ? parseProbes(folder, loadPart(folder, 'probes.json')) : undefined,
    replay: has(replayFile) ? loadReplay(folder) : undefined,
    ahead: has(aheadFile) ? loadAhead(folder) : undefined,
  };
}
