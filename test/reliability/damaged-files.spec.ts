/** @file Copies of one run, each with a bit flipped or an end cut off somewhere: what resuming makes of them. */
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileMark } from '@espalier/contracts';
import { isRepeatable } from '@espalier/contracts/metric';
import { createStream, type RandomStream } from '@espalier/random';
import { dropDamagedLines } from '@espalier/files';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/recorder';
import { createTrainer, type TrainerState } from '@espalier/trainer';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRunLogs } from '../../apps/cli/src/local/run-logs.js';
import { resolveStart } from '../../libs/trainer/src/resume.js';
import { saveTinyModel, tinyPlugins, tinyTrainingSpec } from '../support/tiny-training.js';

/** Against what never ends, not against a slow machine. */
const long = 900_000;
/** `DAMAGES=500` for the figures of docs/reference/reliability.md */
const mutantCount = Number(process.env['DAMAGES'] ?? 200);
const newest = 'checkpoints/step-000004';
let root: string;
let pristine: string;
let spec: ReturnType<typeof tinyTrainingSpec>;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-damage-'));
  const change = { checkpoint: { every: 1, keep: 4 }, validation: { every: 2, episodes: 2 } };
  spec = tinyTrainingSpec(saveTinyModel(join(root, 'model')), {
    ...change,
    rollout: { promptsPerStep: 2, groupSize: 2, maxResponseTokens: 8 },
  });
  pristine = join(root, 'pristine');
  await goOn(pristine, false);
}, long);
afterAll(() => removeFolder(root));

/** Runs, or resumes, with the logs of the command line. */
async function goOn(folder: string, resume: boolean): Promise<readonly string[]> {
  const logs = createRunLogs(folder);
  const warnings: string[] = [];
  const sink = {
    ...logs,
    emit(event: Parameters<typeof logs.emit>[0]): void {
      if (event.kind === 'warning') warnings.push(event.message);
      logs.emit(event);
    },
  };
  const rewound = (_state: unknown, start: Parameters<typeof logs.rewind>[0]) => {
    const finding = resume ? logs.rewind(start) : undefined;
    if (finding !== undefined) warnings.push(finding);
    return sink;
  };
  const trainer = await createTrainer(spec, { registry: tinyPlugins, sink: rewound, folder, resume });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  return warnings;
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** A copy that shares the bytes of all files but one. */
function cloneRun(target: string, name: string, bytes: Buffer): void {
  for (const file of filesOf(pristine)) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    if (file === name) writeFileSync(join(target, file), bytes);
    else linkSync(join(pristine, file), join(target, file));
  }
}

interface Mutant {
  readonly name: string;
  readonly isCut: boolean;
  /** bytes before it are as they were */
  readonly place: number;
  readonly bytes: Buffer;
}

function mutate(stream: RandomStream, name: string): Mutant {
  const bytes = readFileSync(join(pristine, name));
  const place = stream.int(bytes.length);
  const isCut = stream.next() < 0.3;
  if (isCut) return { name, isCut, place, bytes: bytes.subarray(0, place) };
  bytes[place] = (bytes[place] ?? 0) ^ (1 << stream.int(8));
  return { name, isCut, place, bytes };
}

/** Files that resuming reads: the newest checkpoint's, the logs, and those that begin a run. */
const targets = (): string[] =>
  filesOf(pristine).filter((name) => !name.startsWith('checkpoints/') || name.startsWith(newest));

/** The newest checkpoint whose logs, as it knows them, end before the damage. */
function expectedStep({ name, place }: Mutant): number {
  if (name.startsWith(newest)) return 3;
  for (const step of [4, 3, 2, 1]) {
    const logs = readFileSync(join(pristine, `checkpoints/step-00000${step}/logs.json`), 'utf8');
    const { files } = JSON.parse(logs) as { files: Record<string, FileMark> };
    if ((files[name]?.bytes ?? 0) <= place) return step;
  }
  return 4; // nothing is older than the damage: the newest, with what can be read of the log
}

function whereSetAside(run: string, { name }: Mutant): string {
  return name.startsWith(newest)
    ? join(run, 'checkpoints/corrupt-step-000004-1', name.slice(newest.length + 1))
    : join(run, dirname(name), `corrupt-${basename(name)}-1`);
}

/** Reading a damaged log gives whole rows from its start, or an error; never something else. */
function readsOnlyWholeRows(run: string): boolean {
  const isStartOf = (part: unknown[], all: unknown[]) =>
    JSON.stringify(part) === JSON.stringify(all.slice(0, part.length));
  const attempt = (read: (folder: string) => unknown[]): boolean => {
    try {
      return isStartOf(read(run), read(pristine));
    } catch (error) {
      return (error as { code?: string }).code === 'recorder.corrupt_log';
    }
  };
  const steps = listTrajectorySteps(join(pristine, 'trajectories'));
  return (
    attempt((folder) => readMetrics(join(folder, 'metrics.jsonl'))) &&
    steps.every((step) => attempt((folder) => readTrajectories(join(folder, 'trajectories'), { step })))
  );
}

describe(`a run with one of ${mutantCount} damages`, () => {
  it('is one of 200 at least', () => {
    expect(mutantCount).toBeGreaterThanOrEqual(200);
  });

  it(
    'is resumed from the newest checkpoint that is whole with its logs; the damage is named and set aside',
    async () => {
      const stream = createStream(4);
      const names = targets();
      const silent: string[] = [];
      const hits = new Map<string, number>();
      for (let index = 0; index < mutantCount; index += 1) {
        const mutant = mutate(stream, names[index % names.length] ?? '');
        if (mutant.name === 'events.jsonl') continue; // the next two tests
        const run = join(root, 'mutant');
        cloneRun(run, mutant.name, mutant.bytes);
        const wholeRows = readsOnlyWholeRows(run);
        const { checkpoint, warnings } = resolveStart(run, spec, true);
        const aside = whereSetAside(run, mutant);
        const isNamed = warnings.some(({ message }) => message.includes(basename(mutant.name)));
        const isKept = existsSync(aside) && readFileSync(aside).equals(mutant.bytes);
        const step = checkpoint?.state.step;
        if (!isNamed || !isKept || !wholeRows || step !== expectedStep(mutant))
          silent.push(
            `${mutant.name} ${mutant.isCut ? 'cut' : 'flipped'} at ${mutant.place}: step ${step}, ${warnings.map(({ message }) => message).join()}`,
          );
        hits.set(mutant.name, (hits.get(mutant.name) ?? 0) + 1);
        rmSync(run, { recursive: true });
        await nextTurn(); // the test runner waits for signs of life
      }
      expect(silent).toEqual([]);
      expect(names.length).toBeGreaterThan(20);
      expect(Math.min(...hits.values())).toBeGreaterThanOrEqual(5);
    },
    long,
  );

  it('keeps no damaged line of its log of events', { timeout: long }, () => {
    const stream = createStream(5);
    const original = readFileSync(join(pristine, 'events.jsonl'), 'utf8').split('\n');
    for (let index = 0; index < 40; index += 1) {
      const { bytes, isCut } = mutate(stream, 'events.jsonl');
      const path = join(root, 'events.jsonl');
      writeFileSync(path, bytes);
      const wasWhole = bytes.subarray(-1).toString() !== '\n';
      const aside = dropDamagedLines(path);
      expect(
        readFileSync(path, 'utf8')
          .split('\n')
          .every((line) => original.includes(line)),
      ).toBe(true);
      if (!isCut && !wasWhole) expect(readFileSync(aside ?? '').equals(bytes)).toBe(true);
    }
  });

  it.each([
    `${newest}/policy/model.safetensors`,
    `${newest}/critic/optimizer.safetensors`,
    `${newest}/manifest.json`,
    'metrics.jsonl',
    'events.jsonl',
    'trajectories/step-000003.jsonl.gz',
    'spec.json',
  ])(
    'ends as if nothing had been damaged: %s',
    async (name) => {
      const run = join(root, 'again');
      cpSync(pristine, run, { recursive: true });
      const bytes = readFileSync(join(run, name));
      const place = Math.floor(0.7 * bytes.length);
      bytes[place] = (bytes[place] ?? 0) ^ 4;
      writeFileSync(join(run, name), bytes);
      const warnings = await goOn(run, true);
      expect(warnings.join('\n')).toContain(basename(name));
      expect(lastingOf(run)).toEqual(lastingOf(pristine));
      rmSync(run, { recursive: true });
    },
    long,
  );
});

/** Weights, moments, rows and attempts, without what the clock says. */
function lastingOf(run: string) {
  const weights = ['policy/model', 'policy/optimizer', 'critic/model', 'critic/optimizer'].map((name) =>
    readFileSync(join(run, newest, `${name}.safetensors`)).toString('base64'),
  );
  const state = JSON.parse(readFileSync(join(run, newest, 'state.json'), 'utf8')) as TrainerState;
  const rows = readMetrics(join(run, 'metrics.jsonl')).map(({ step, values }) => ({
    step,
    values: Object.entries(values).filter(([key]) => isRepeatable(key)),
  }));
  const stored = join(run, 'trajectories');
  const attempts = listTrajectorySteps(stored).map((step) =>
    readTrajectories(stored, { step }).map(({ id, tokens, score }) => ({ id, tokens, score })),
  );
  return { weights, state, rows, attempts };
}
