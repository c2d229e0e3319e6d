/**
 * @file Uploads the files of a training run in the background: each checkpoint with the logs it resumes from, trajectory
 * files once their step is over, and the remaining files at the end.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import type { ArtifactKind, AttemptEvent } from '@espalier/protocol';
import { linkCheckpoint, type FileDigests, readLogDigests } from './checkpoint-folder.js';
import { copyNewPart } from './metric-parts.js';
import { createFileUpload, type FileUpload, type FileUploadParts } from './upload-file.js';

export interface RunUpload {
  /** Schedules the uploads that an event of the training process calls for. */
  onEvent(event: AttemptEvent): void;
  /** Uploads the remaining files; returns a sentence about failed uploads, if any. */
  finish(): Promise<string | undefined>;
  /** After its signal was aborted: resolves when it has stopped writing and sending. */
  settled(): Promise<unknown>;
}

export interface RunUploadParts extends FileUploadParts {
  /** for hard links to checkpoints; on the same file system as the run */
  readonly stageFolder: string;
  readonly logFile: string;
  /** names the checkpoint that a forked run started from; need not exist */
  readonly originFile: string;
}

/** Creates the upload of one training attempt. */
export function createRunUpload(parts: RunUploadParts): RunUpload {
  const files = createFileUpload(parts);
  let newestStep = 0;
  let work: Promise<unknown> = Promise.resolve();
  /** Runs tasks one after the other; failures are collected and do not stop later tasks. */
  const enqueue = (task: () => Promise<unknown>): void => {
    work = work
      .then(() => (parts.signal.aborted ? undefined : task()))
      .catch((error: unknown) => {
        if (!parts.signal.aborted) files.fail('checkpoint', error);
      });
  };
  return {
    onEvent(event) {
      if (event.kind === 'run-started') {
        const { step } = event;
        newestStep = Math.max(newestStep, step);
        const origin = { path: basename(parts.originFile), file: parts.originFile };
        enqueue(() => files.upload({ artifact: 'spec', step, ...origin }));
        enqueue(() => files.upload({ artifact: 'spec', step, path: runLayout.spec }));
        enqueue(() => uploadStart(step, files, parts));
      }
      if (event.kind === 'checkpoint') enqueue(() => uploadCheckpoint(event.step, files, parts));
      if ('step' in event && event.step > newestStep) {
        const step = newestStep;
        newestStep = event.step;
        enqueue(() => files.upload({ artifact: 'trajectories', step, path: runLayout.trajectoriesOf(step) }));
      }
    },
    settled: () => work,
    async finish() {
      enqueue(() => uploadRemaining(newestStep, files, parts));
      await work;
      return files.describeFailures();
    },
  };
}

/** Uploads the adapter that the run began with, if any. Its adapter_config.json, without which it is none, follows the rest. */
async function uploadStart(step: number, files: FileUpload, { runFolder }: RunUploadParts): Promise<void> {
  const folder = join(runFolder, runLayout.start);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.sort().reverse())
    if (!(await files.upload({ artifact: 'spec', step, path: `${runLayout.start}/${name}` }))) return;
}

/** Uploads a checkpoint, and before it the logs that it resumes from, unless the trainer has already deleted it. */
async function uploadCheckpoint(step: number, files: FileUpload, parts: RunUploadParts): Promise<void> {
  const path = runLayout.checkpoint(step);
  const stage = join(parts.stageFolder, basename(path));
  rmSync(stage, { recursive: true, force: true });
  try {
    const listed = linkCheckpoint(join(parts.runFolder, path), stage);
    if (listed === undefined) return;
    let isComplete = true;
    for (const [name, digest] of Object.entries(readLogDigests(stage)))
      isComplete = (await uploadLog(step, name, digest, files, parts)) && isComplete;
    for (const [name, digest] of Object.entries(listed)) {
      const one = { path: `${path}/${name}`, file: join(stage, name), digest };
      isComplete = (await files.upload({ artifact: 'checkpoint', step, ...one })) && isComplete;
    }
    // last: the manifest makes the checkpoint valid
    const manifest = { path: `${path}/${runLayout.manifest}`, file: join(stage, runLayout.manifest) };
    if (isComplete) await files.upload({ artifact: 'checkpoint', step, ...manifest });
    else files.fail(manifest.path, 'not all of its files are uploaded');
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Uploads a log up to the length that a checkpoint records. */
function uploadLog(
  step: number,
  name: string,
  digest: FileDigests[string],
  files: FileUpload,
  { runFolder, stageFolder, fencing: { attemptId }, workerLog: { events } }: RunUploadParts,
): Promise<boolean> {
  if (name !== runLayout.metrics) return files.upload({ artifact: kindOf(name), step, path: name, digest });
  const part = copyNewPart(join(runFolder, name), digest.bytes, stageFolder, { attemptId, events });
  return part === undefined ? Promise.resolve(true) : files.upload({ artifact: 'log', step, ...part });
}

/** Uploads all files of the run except its checkpoints, at the end of the attempt. */
async function uploadRemaining(step: number, files: FileUpload, parts: RunUploadParts): Promise<void> {
  const inFolder = (name: string): string[] => {
    const folder = join(parts.runFolder, name);
    return existsSync(folder) ? readdirSync(folder).map((file) => `${name}/${file}`) : [];
  };
  const paths = [
    ...inFolder(runLayout.validation),
    ...inFolder(runLayout.trajectories),
    runLayout.metrics,
    runLayout.events,
  ];
  for (const path of paths.filter((name) => !/(^|\/)(\.|corrupt-)|\.tmp$/.test(name)))
    await files.upload({ artifact: kindOf(path), step, path });
  const path = `logs/${parts.fencing.attemptId}.txt`;
  await files.upload({ artifact: 'log', step, path, file: parts.logFile });
}

function kindOf(path: string): ArtifactKind {
  if (path.startsWith(`${runLayout.trajectories}/`)) return 'trajectories';
  if (path.startsWith(`${runLayout.validation}/`)) return 'evaluation';
  return path.endsWith(runLayout.spec) ? 'spec' : 'log';
}
