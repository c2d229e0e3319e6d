import { parseConfig } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Console } from '../console.js';
import { planRun } from '../local/resolve-run.js';
import { listCutWarnings } from './describe-device.js';
import { estimateRun, predictIteration } from './estimate-run.js';

const registry = await discoverPlugins({ root: join(import.meta.dirname, '../../../..') });

const rates = { flop: 1e9, bytes: 1e9, node: 1e-6 };

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

it('says how many episodes the context ends early, and what long replies take', async () => {
  const planOf = async (contextTokens: number, maxResponseTokens: number) => {
    const text = `
environment: { use: frozen-lake }
algorithm: { use: grpo }
rollout: { promptsPerStep: 4, groupSize: 2, contextTokens: ${contextTokens}, maxResponseTokens: ${maxResponseTokens} }
validation: { every: 0, atStart: false, atEnd: false }
`;
    const planned = await planRun(parseConfig(text, 'lake.yaml'), [], { registry, console: {} as Console });
    const estimate = await estimateRun(planned, registry, () =>
      Promise.resolve({ wall: rates, processor: { ...rates, flop: 0.5e9 } }),
    );
    return { estimate, warnings: listCutWarnings(planned.spec, estimate) };
  };
  const whole = await planOf(1024, 32);
  expect([whole.estimate.expected.cutShare, whole.warnings]).toEqual([0, []]);
  const { secondsPerStep = 0, processorSecondsPerStep } = whole.estimate.expected;
  expect(processorSecondsPerStep).toBeGreaterThan(1.1 * secondsPerStep);
  const context = whole.estimate.expected.wholeTokens - 1;
  const cut = await planOf(context, 32);
  expect(cut.estimate.expected.cutShare).toBeGreaterThan(0.1);
  expect(cut.estimate.expected.wholeTokens).toBe(whole.estimate.expected.wholeTokens);
  expect(cut.warnings).toHaveLength(1);
  expect(cut.warnings[0]).toMatch(
    /^rollout\.contextTokens \d+: \d+ % of the episodes of a teacher do not fit/,
  );
  expect(cut.warnings[0]).toContain(`the longest takes ${context + 1} tokens`);
  // the room that a reply may take counts, as it does in a run: at the model's limit, too
  const reserved = await planOf(1024, 900);
  expect(reserved.estimate.expected.cutShare).toBeGreaterThan(0.1);
  expect(reserved.estimate.expected.turnsPerEpisode).toBeLessThan(whole.estimate.expected.turnsPerEpisode);
  const long = await planOf(1024, 128);
  expect(long.estimate.mostPeakBytes).toBeGreaterThan(1.1 * long.estimate.expected.peakBytes);
  expect(long.estimate.mostPeakBytes).toBeGreaterThan(whole.estimate.mostPeakBytes);
  // GraphQL has whole numbers of bytes
  for (const { estimate } of [whole, cut, reserved, long]) {
    const { peakBytes } = estimate.expected;
    expect([estimate.mostPeakBytes, peakBytes].filter((bytes) => !Number.isSafeInteger(bytes))).toEqual([]);
  }
}, 60_000);
