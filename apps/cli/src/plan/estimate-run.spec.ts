import { parseConfig } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Console } from '../console.js';
import { planRun } from '../local/resolve-run.js';
import { predictIteration } from './estimate-run.js';

const registry = await discoverPlugins({ root: join(import.meta.dirname, '../../../..') });

const predict = async (text: string) => {
  const planned = await planRun(parseConfig(text, 'mixed.yaml'), [], { registry, console: {} as Console });
  return predictIteration(planned, registry);
};

it('expects greedy baselines in the tags whose algorithm compares with them', async () => {
  const { compared, episodes, work } = await predict(`
algorithm: { use: grpo }
rollout: { groupSize: 2 }
environments:
  short: { environment: { use: bandit }, groups: 3 }
  long: { environment: { use: frozen-lake }, groups: 2, algorithm: { use: remax } }
`);
  expect(compared).toEqual([false, false, false, true, true]);
  // the last of each group of the second tag is there twice
  const sampled = (turns: (typeof episodes)[number] = []): number =>
    turns.reduce((sum, turn) => sum + turn.sampled, 0);
  const once = episodes.reduce((sum, turns) => sum + sampled(turns), 0);
  expect(episodes).toHaveLength(10);
  expect(work.sampling.sampledTokens).toBe(once + sampled(episodes[7]) + sampled(episodes[9]));
}, 60_000);
