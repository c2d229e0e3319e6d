/**
 * @file Every installed algorithm trains a small model for two steps: it learns something, and nothing breaks. That it
 * learns the right thing is for the specs of its parts, and for docs/results.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { applyOverrides, parseConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins } from '@espalier/plugin-host';
import { createMemorySink } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { createTrainer } from '@espalier/trainer';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSprout } from '../support/sprout.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const registry = await discoverPlugins({ root });
const algorithms = registry.list().flatMap((one) => (one.kind === 'algorithm' ? [one] : []));
const folder = mkdtempSync(join(tmpdir(), 'espalier-algorithms-'));
let model = '';
beforeAll(async () => void (model = await makeSprout(folder)));
afterAll(() => removeFolder(folder));

const small = [
  'steps=2',
  'rollout.promptsPerStep=4',
  'rollout.groupSize=4',
  'rollout.maxResponseTokens=48',
  'rollout.prompt.preset=seedling',
  'update.miniBatches=2',
  'checkpoint.every=1',
  'checkpoint.keep=2',
  'validation.every=0',
  'validation.atStart=false',
  'validation.atEnd=false',
  'device.threads=1',
];

async function train(use: string, ...sets: string[]) {
  const written = parseConfig(
    `environment: { use: bandit }\nalgorithm: { use: ${use} }\nmodel: { path: '${model}' }\n`,
    'two-steps.yaml',
  );
  const { spec } = resolveRunSpec(applyOverrides(written, [...small, ...sets]), registry);
  const sink = createMemorySink();
  const own = join(folder, use);
  const trainer = await createTrainer(spec, { registry, sink, folder: own });
  try {
    const summary = await trainer.run(new AbortController().signal);
    const rows = sink.events.flatMap((event) => (event.kind === 'metrics' ? [event.values] : []));
    return { summary, rows, folder: own };
  } finally {
    await trainer.dispose();
  }
}

describe('two steps on Bandit', () => {
  it('are done by all algorithms that ship', () => {
    expect(algorithms.length).toBeGreaterThanOrEqual(16);
  });

  it('move three critics with PPO, each apart', async () => {
    const { summary, rows, folder: own } = await train('ppo, critics: 3, criticPessimism: 0.5');
    expect(summary).toMatchObject({ outcome: 'finished', reason: 'steps' });
    for (const row of rows) {
      expect(row['critic/gradient_norm']).toBeGreaterThan(0);
      expect(row['critic/ensemble_std']).toBeGreaterThan(0);
    }
    expect(rows[1]?.['update/critic_steps']).toBe(4);
    const read = (step: number, part: string): string =>
      readFileSync(join(own, `checkpoints/step-00000${step}/${part}/model.safetensors`)).toString('base64');
    const parts = ['critic', 'critic-2', 'critic-3'];
    expect(new Set(parts.flatMap((part) => [1, 2].map((step) => read(step, part)))).size).toBe(6);
  }, 120_000);

  it.each(algorithms.map((one) => [one.id, one] as const))(
    'move the policy with %s',
    async (id, one) => {
      const { critic, replay = false } = one.needs(one.params.parse({}));
      const { summary, rows, folder: own } = await train(id, ...(replay ? ['update.replay.groups=2'] : []));
      expect(summary).toMatchObject({ outcome: 'finished', reason: 'steps' });
      expect(rows).toHaveLength(2);
      for (const row of rows) {
        const broken = Object.entries(row).filter(([, value]) => !Number.isFinite(value));
        expect(broken).toEqual([]);
        expect(row['update/skipped']).toBe(0);
        expect(row['policy/gradient_norm']).toBeGreaterThan(0);
        if (critic) expect(row['critic/gradient_norm']).toBeGreaterThan(0);
        // credit is a difference: it varies, and its mean is within its largest value
        expect(row['credit/advantage_std']).toBeGreaterThan(0);
        expect(row['credit/advantage_max']).toBeLessThan(5);
        expect(Math.abs(row['credit/advantage_mean'] ?? NaN)).toBeLessThanOrEqual(
          row['credit/advantage_max'] ?? NaN,
        );
      }
      expect(rows[1]?.['update/policy_steps']).toBe(4);
      const weights = (path: string): Buffer => readFileSync(join(path, 'model.safetensors'));
      const start = weights(model);
      const [first, second] = [1, 2].map((step) =>
        weights(join(own, `checkpoints/step-00000${step}/policy`)),
      );
      expect(first?.equals(start)).toBe(false);
      expect(second?.equals(first as Buffer)).toBe(false);
    },
    120_000,
  );
});
