/** @file All finished seeds of one entry. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import type { RunSpec } from '@espalier/contracts';
import { requestedThreads } from '@espalier/contracts/values';
import { specFile } from '@espalier/trainer/run-folder';
import { commandFor, type Entry, lineage, type Matrix } from '../matrix.js';
import { createJob } from '../run/job.js';
import {
  madeFile,
  type MadeModel,
  readStored,
  untrainedFile,
  type UntrainedModel,
} from '../run/prepare-models.js';
import { collectSeed } from './collect-seed.js';
import type { EntryResult, WarmStarted } from './result.js';

/** Collects what is there; undefined when no seed has finished. */
export function collectEntry(
  out: string,
  entry: Entry,
  {
    matrix,
    seedsAsked,
    note,
  }: { readonly matrix: Pick<Matrix, 'file' | 'models'>; readonly seedsAsked: number; readonly note: string },
): EntryResult | undefined {
  const jobs = Array.from({ length: seedsAsked }, (_, index) => createJob(out, entry, index + 1));
  const seeds = jobs.flatMap((job) => collectSeed(job) ?? []);
  const file = jobs.map(({ folder }) => specFile(folder)).find((path) => existsSync(path));
  if (seeds.length === 0 || file === undefined) return undefined;
  const spec = JSON.parse(readFileSync(file, 'utf8')) as RunSpec;
  const { name, title, config, minutes, bar } = entry;
  const again = commandFor(matrix);
  const warmStart = collectWarmStart(out, entry, matrix);
  return {
    name,
    title,
    config,
    command: `${again}${again.includes(' -- ') ? '' : ' --'} --only ${name} --seeds ${seedsAsked}`,
    machine: `${cpus().length} × ${(cpus()[0]?.model ?? '').trim()}`,
    threads: spec.device.threads ?? requestedThreads(process.env) ?? availableParallelism(),
    note,
    seedsAsked,
    budgetMinutes: minutes,
    ...(bar === undefined ? {} : { bar }),
    temperature: spec.validation.temperature,
    ...(warmStart === undefined ? {} : { warmStart }),
    seeds,
    spec,
  };
}

/** What warm starts made of a model; undefined for an entry without one, or before the model was measured. */
function collectWarmStart(
  out: string,
  entry: Entry,
  matrix: Pick<Matrix, 'models'>,
): WarmStarted | undefined {
  const models = lineage(matrix, entry);
  const started = models.filter((model) => 'warmStart' in model);
  const untrained = readStored<UntrainedModel>(untrainedFile(out, entry.name));
  if (started.length === 0 || (models.length > 1 && untrained === undefined)) return undefined;
  const minutes = started.map(
    ({ name }) => readStored<MadeModel>(madeFile(out, name))?.minutes ?? Number.NaN,
  );
  return {
    models: models.map(({ title }) => title),
    ...measuredBefore(untrained),
    minutes: minutes.reduce((sum, one) => sum + one, 0),
  };
}

function measuredBefore(untrained: UntrainedModel | undefined): Pick<WarmStarted, 'before'> {
  if (untrained === undefined) return {};
  const { success, low, high, formatValid } = untrained;
  return { before: { success, low, high, formatValid } };
}
