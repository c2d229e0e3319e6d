/**
 * @file What of a training is stored and when, in the background: checkpoints with the logs they go on from,
 * trajectory files once their step is over, and at the end whatever is left.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ArtifactKind, AttemptEvent } from '@espalier/protocol';
import {
  checkpointPath,
  keepCheckpoint,
  manifestName,
  type Marks,
  readLogMarks,
} from './checkpoint-folder.js';
import { cutPart, metricsName } from './metric-parts.js';
import { createFileUpload, type FileUpload, type FileUploadParts } from './upload-file.js';

export interface RunUpload {
  /** Takes note of what the training says. */
  note(event: AttemptEvent): void;
  /** Stores what is left; gives a sentence about what could not be stored, if anything. */
  finish(): Promise<string | undefined>;
  /** After its signal was aborted: resolves when nothing is written or sent any more. */
  settled(): Promise<unknown>;
}

export interface RunUploadParts extends FileUploadParts {
  /** for second names of checkpoints, on the same file system as the run */
  readonly stageFolder: string;
  readonly logFile: string;
  /** tells where a forked run began; need not exist */
  readonly originFile: string;
}

const trajectoryFile = (step: number): string =>
  `trajectories/step-${String(step).padStart(6, '0')}.jsonl.gz`;

/** Creates the upload of one attempt at training. */
export function createRunUpload(parts: RunUploadParts): RunUpload {
  const files = createFileUpload(parts);
  let newestStep = 0;
  let work: Promise<unknown> = Promise.resolve();
  /** One after the other; what fails is told at the end, and the next goes on. */
  const enqueue = (task: () => Promise<unknown>): void => {
    work = work
      .then(() => (parts.signal.aborted ? undefined : task()))
      .catch((error: unknown) => {
        if (!parts.signal.aborted) files.fail('checkpoint', error);
      });
  };
  return {
    note(event) {
      if (event.kind === 'run-started') {
        const { step } = event;
        newestStep = Math.max(newestStep, step);
        const origin = { path: basename(parts.originFile), file: parts.originFile };
        enqueue(() => files.upload({ artifact: 'spec', step, ...origin }));
        enqueue(() => files.upload({ artifact: 'spec', step, path: 'spec.json' }));
      }
      if (event.kind === 'checkpoint') enqueue(() => uploadCheckpoint(event.step, files, parts));
      if ('step' in event && event.step > newestStep) {
        const step = newestStep;
        newestStep = event.step;
        enqueue(() => files.upload({ artifact: 'trajectories', step, path: trajectoryFile(step) }));
      }
    },
    settled: () => work,
    async finish() {
      enqueue(() => uploadRest(newestStep, files, parts));
      await work;
      return files.describeFailures();
    },
  };
}

/** Stores a checkpoint unless the trainer has deleted it meanwhile, and before it the logs that it goes on from. */
async function uploadCheckpoint(step: number, files: FileUpload, parts: RunUploadParts): Promise<void> {
  const path = checkpointPath(step);
  const stage = join(parts.stageFolder, basename(path));
  rmSync(stage, { recursive: true, force: true });
  try {
    const listed = keepCheckpoint(join(parts.runFolder, path), stage);
    if (listed === undefined) return;
    let isComplete = true;
    for (const [name, mark] of Object.entries(readLogMarks(stage)))
      isComplete = (await uploadLog(step, name, mark, files, parts)) && isComplete;
    for (const [name, mark] of Object.entries(listed)) {
      const one = { path: `${path}/${name}`, file: join(stage, name), mark };
      isComplete = (await files.upload({ artifact: 'checkpoint', step, ...one })) && isComplete;
    }
    // last: a checkpoint counts from then on
    const manifest = { path: `${path}/${manifestName}`, file: join(stage, manifestName) };
    if (isComplete) await files.upload({ artifact: 'checkpoint', step, ...manifest });
    else files.fail(manifest.path, 'what it needs is not all stored');
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** Stores a log as far as a checkpoint goes on from it. */
function uploadLog(
  step: number,
  name: string,
  mark: Marks[string],
  files: FileUpload,
  { runFolder, stageFolder, fencing: { attemptId }, journal: { events } }: RunUploadParts,
): Promise<boolean> {
  if (name !== metricsName) return files.upload({ artifact: kindOf(name), step, path: name, mark });
  const part = cutPart(join(runFolder, name), mark.bytes, stageFolder, { attemptId, events });
  return part === undefined ? Promise.resolve(true) : files.upload({ artifact: 'log', step, ...part });
}

/** Stores everything of the run but its checkpoints, as it is at the end of the attempt. */
async function uploadRest(step: number, files: FileUpload, parts: RunUploadParts): Promise<void> {
  const inFolder = (name: string): string[] => {
    const folder = join(parts.runFolder, name);
    return existsSync(folder) ? readdirSync(folder).map((file) => `${name}/${file}`) : [];
  };
  const paths = [...inFolder('validation'), ...inFolder('trajectories'), metricsName, 'events.jsonl'];
  for (const path of paths.filter((name) => !/(^|\/)(\.|broken-)|\.tmp$/.test(name)))
    await files.upload({ artifact: kindOf(path), step, path });
  const path = `logs/${parts.fencing.attemptId}.txt`;
  await files.upload({ artifact: 'log', step, path, file: parts.logFile });
}

function kindOf(path: string): ArtifactKind {
  if (path.startsWith('trajectories/')) return 'trajectories';
  if (path.startsWith('validation/')) return 'evaluation';
  return path.endsWith('spec.json') ? 'spec' : 'log';
}
