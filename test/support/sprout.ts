/** @file A model of 60,000 parameters that has barely learned the format, so that trajectories differ, and a run with it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli } from './run-cli.js';

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

/** Trains the model in two seconds; returns its folder. */
export async function makeSprout(root: string): Promise<string> {
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'warm-start.yaml'), JSON.stringify(warmStart));
  const folder = join(root, 'sprout');
  const { code, stderr } = await runCli(['warm-start', join(root, 'warm-start.yaml'), '--out', folder]);
  if (code !== 0) throw new Error(`the warm start ended with ${String(code)}: ${stderr}`);
  return folder;
}

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
