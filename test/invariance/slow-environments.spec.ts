/** @file Environments that take their time: others are sampled meanwhile, and nothing but time differs. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import frozenLake from '@espalier/environment-frozen-lake';
import type { EnvironmentDefinition, EnvironmentInstance } from '@espalier/plugin-kit';
import { createMemorySink } from '@espalier/recorder';
import { createTrainer, type PluginLookup } from '@espalier/trainer';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveTinyModel, tinyPlugins, tinyTrainingSpec } from '../support/tiny-training.js';

let root: string;
let model: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-slow-'));
  model = saveTinyModel(join(root, 'model'));
});
afterAll(() => removeFolder(root));

/** Plugins with a FrozenLake that begins late; its instances are numbered in the order in which they are made. */
function pluginsWith(delayMs: (instance: number) => number): PluginLookup {
  let instances = 0;
  const environment = {
    ...frozenLake,
    create: (params: unknown) => {
      const instance = (frozenLake as unknown as EnvironmentDefinition<unknown>).create(params);
      const wait = delayMs(instances++);
      const reset: EnvironmentInstance['reset'] = async (seeds) => {
        if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
        return instance.reset(seeds);
      };
      return { ...instance, reset };
    },
  };
  return {
    get: (kind: string, id: string) =>
      kind === 'environment' ? environment : tinyPlugins.get(kind as 'reward', id),
  } as unknown as PluginLookup;
}

/** Tokens and log-probabilities of every attempt of one iteration. */
async function collect(name: string, registry: PluginLookup): Promise<unknown[]> {
  const spec = tinyTrainingSpec(model, {
    environment: { use: 'frozen-lake', ...frozenLake.params.parse({}) },
    steps: 1,
    validation: { every: 0, atStart: false, atEnd: false },
    rollout: { promptsPerStep: 2, groupSize: 3, maxResponseTokens: 6 },
  });
  const budget = { maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
  const resolved = { ...spec, rollout: { ...spec.rollout, ...budget } };
  const sink = createMemorySink();
  const trainer = await createTrainer(resolved, { registry, sink, folder: join(root, name) });
  try {
    await trainer.run(new AbortController().signal);
  } finally {
    await trainer.dispose();
  }
  return sink.events.flatMap((event: RunEvent) => {
    if (event.kind !== 'trajectory') return [];
    const { id, tokens, logprobs, turns } = event.trajectory;
    return [{ id, tokens: [...tokens], logprobs: [...logprobs], turns: turns.length }];
  });
}

describe('an environment that takes its time', () => {
  it('changes no token and no log-probability, whoever is sampled meanwhile', async () => {
    const fast = await collect(
      'fast',
      pluginsWith(() => 0),
    );
    expect(fast).toHaveLength(6);
    expect(
      await collect(
        'late',
        pluginsWith((instance) => 7 * instance),
      ),
    ).toEqual(fast);
    expect(
      await collect(
        'later',
        pluginsWith((instance) => (instance % 2 === 0 ? 0 : 25)),
      ),
    ).toEqual(fast);
  }, 120_000);
});
