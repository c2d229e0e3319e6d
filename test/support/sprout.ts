/** @file A model of 60,000 parameters that has barely learned the format, so that trajectories differ, and a run with it. */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRepeatable } from '@espalier/contracts/metric';
import { hashFile } from '@espalier/files';
import { sha256Of } from './held-attempt.js';
import { callCli } from './call-cli.js';
import { sharedFolderVariable } from './shared-folder.js';

const warmStart = {
  name: 'sprout',
  model: {
    hiddenSize: 48,
    layers: 2,
    heads: 4,
    keyValueHeads: 2,
    intermediateSize: 64,
    vocabularySize: 400,
    contextLength: 512,
  },
  demonstrations: [{ environment: { use: 'bandit' }, noise: 1 }],
  tokens: 100_000,
  batchTokens: 4096,
  optimizer: { learningRate: 0.005 },
  validation: { everyTokens: 1_000_000, episodes: 16, finalEpisodes: 16 },
};

/** Makes the model; returns its folder. It is trained once per test run, in two seconds, and then copied. */
export async function makeSprout(root: string): Promise<string> {
  mkdirSync(root, { recursive: true });
  const folder = join(root, 'sprout');
  const kept = join(process.env[sharedFolderVariable] ?? root, 'kept-sprout');
  if (!existsSync(kept)) {
    await trainSprout(root, folder);
    cpSync(folder, `${folder}-copy`, { recursive: true });
    keep(`${folder}-copy`, kept);
  } else cpSync(kept, folder, { recursive: true });
  return folder;
}

async function trainSprout(root: string, folder: string): Promise<void> {
  writeFileSync(join(root, 'warm-start.yaml'), JSON.stringify(warmStart));
  const { code, stderr } = await callCli(['warm-start', join(root, 'warm-start.yaml'), '--out', folder]);
  if (code !== 0) throw new Error(`the warm start ended with ${String(code)}: ${stderr}`);
}

/** Another file sees a copy only when it is whole; the first of two made at once stays. */
function keep(copy: string, kept: string): void {
  try {
    renameSync(copy, kept);
  } catch (error) {
    if (!existsSync(kept)) throw error;
  }
}

/** What a run comes to without a server. */
export interface PlainRun {
  /** sha256 of its last weights */
  readonly hash: string;
  /** steps and values of its metrics, by name; without those that differ between equal runs */
  readonly series: Readonly<Record<string, readonly (readonly [number, number])[]>>;
}

/**
 * Trains a run without a server. What it comes to does not depend on where the model is, so one such run is trained per
 * test run.
 */
export async function trainPlainRun(
  root: string,
  spec: Readonly<Record<string, unknown>>,
): Promise<PlainRun> {
  const { model: _model, ...rest } = spec;
  const name = `plain-${sha256Of(Buffer.from(JSON.stringify(rest)))}`;
  const kept = join(process.env[sharedFolderVariable] ?? root, name);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as PlainRun;
  const file = join(root, 'spec.yaml');
  writeFileSync(file, JSON.stringify(spec));
  const plain = join(root, 'plain');
  const { code, stderr } = await callCli(['train', file, '--out', plain]);
  if (code !== 0) throw new Error(`plain training ended with ${String(code)}: ${stderr}`);
  const hash = hashFile(join(plain, weightsOf(Number(spec['steps']))));
  const run: PlainRun = { hash, series: readSeries(join(plain, 'metrics.jsonl')) };
  writeFileSync(`${plain}.json`, JSON.stringify(run));
  keep(`${plain}.json`, kept);
  return run;
}

/** The sha256 of the last weights of such a run. */
export const trainPlain = async (root: string, spec: Readonly<Record<string, unknown>>): Promise<string> =>
  (await trainPlainRun(root, spec)).hash;

function readSeries(path: string): PlainRun['series'] {
  const series: Record<string, (readonly [number, number])[]> = {};
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const { step, values } = JSON.parse(line) as { step: number; values: Record<string, number> };
    for (const [name, value] of Object.entries(values))
      if (isRepeatable(name) && typeof value === 'number') (series[name] ??= []).push([step, value]);
  }
  return series;
}

/** The file of the policy after a step. */
export const weightsOf = (step: number): string =>
  `checkpoints/step-${String(step).padStart(6, '0')}/policy/model.safetensors`;

/** A run with critic, reference, validation and checkpoints, of about 0.1 s per step. */
export function sproutSpec(model: string, change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'tiny',
    model: { path: model },
    environment: { use: 'bandit' },
    algorithm: { use: 'ppo', klCoefficient: 0.05 },
    steps: 24,
    checkpoint: { every: 2, keep: 2 },
    rollout: { promptsPerStep: 2, groupSize: 4, maxResponseTokens: 40 },
    validation: { every: 4, episodes: 4 },
    ...change,
  };
}
