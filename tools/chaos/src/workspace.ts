/**
 * @file A workspace with a model of 60,000 parameters that has barely learned the format, so that trajectories differ, and
 * a run per algorithm that takes seconds and still has critic, validation and checkpoints. That of PPO has two critics, samples a
 * step ahead of the update and learns from earlier groups again, so that a kill meets batches which are under way, held and replayed.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from './training-process.js';

const shape =
  '{ hiddenSize: 48, layers: 2, heads: 4, keyValueHeads: 2, intermediateSize: 64, vocabularySize: 400, contextLength: 512 }';

const warmStart = [
  'name: sprout',
  `model: ${shape}`,
  'demonstrations: [{ environment: { use: bandit }, noise: 1 }]',
  'tokens: 100000',
  'batchTokens: 4096',
  'optimizer: { learningRate: 0.005 }',
  'validation: { everyTokens: 1000000, episodes: 16, finalEpisodes: 16 }',
];

const samplesAhead = [
  'rollout: { promptsPerStep: 4, groupSize: 4, maxResponseTokens: 40, ahead: 1 }',
  'update: { replay: { groups: 2, capacity: 8 }, criticMiniBatches: 2, valueNormalization: { use: running } }',
];
const samplesInTurn = ['rollout: { promptsPerStep: 4, groupSize: 4, maxResponseTokens: 40 }'];

const runOf = (algorithm: string): string[] => [
  `name: ${algorithm}`,
  'environment: { use: bandit }',
  `algorithm: { use: ${algorithm}${algorithm === 'ppo' ? ', critics: 2' : ''} }`,
  'model: { path: ./models/sprout }',
  'steps: 6',
  ...(algorithm === 'ppo' ? samplesAhead : samplesInTurn),
  'validation: { every: 3, episodes: 8 }',
  'checkpoint: { every: 2 }',
  'device: { threads: 1 }',
];

/** Prepares the workspace; an existing model is reused. */
export async function prepareWorkspace(folder: string, algorithms: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'warm-start.yaml'), `${warmStart.join('\n')}\n`);
  for (const algorithm of algorithms)
    writeFileSync(join(folder, `${algorithm}.yaml`), `${runOf(algorithm).join('\n')}\n`);
  if (existsSync(join(folder, 'models/sprout/config.json'))) return;
  const { code, stderr } = await runProcess(['warm-start', 'warm-start.yaml'], folder);
  if (code !== 0) throw new Error(`chaos: the warm start ended with ${String(code)}: ${stderr}`);
}
