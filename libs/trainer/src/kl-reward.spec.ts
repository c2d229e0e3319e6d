/** @file A penalty in the reward whose weight follows a target, in a run in two environments, and over a resume. */
import reinforce from '@espalier/algorithm-reinforce-plus-plus';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objective } from '@espalier/plugin-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyRegistry, trainTiny } from './testing/tiny-run.js';

let root = '';
beforeAll(() => void (root = mkdtempSync(join(tmpdir(), 'espalier-kl-reward-'))));
afterAll(() => rmSync(root, { recursive: true }));

const own = { environment: { use: 'guess' }, maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 };
const environments = { near: { ...own, groups: 2 }, far: { ...own, groups: 1, maxTurns: 1 } };
// about what the tiny policy has drifted by
const options = { klRewardCoefficient: 0.5, klRewardEstimator: 'abs', klTarget: 3e-8, klRate: 0.5 };

async function train(folder: string, { steps = 4, resume = false, compare = 'per-tag' } = {}) {
  const { events, error } = await trainTiny(root, {
    spec: {
      environment: undefined,
      environments,
      mixing: { compare },
      algorithm: { use: 'reinforce-plus-plus', ...reinforce.params.parse(options) },
      steps,
      validation: { every: 0 },
      checkpoint: { every: 1, keep: 9 },
    },
    registry: {
      get: (kind, id) => (kind === 'algorithm' ? (reinforce as never) : tinyRegistry.get(kind, id)),
    },
    folder,
    resume,
  });
  expect(error).toBeUndefined();
  return events.flatMap((event) =>
    event.kind === 'metrics' && event.values['algorithm/kl_reward_coefficient/near'] !== undefined
      ? [event.values]
      : [],
  );
}

const memoryAt = (folder: string, step: number): Readonly<Record<string, number>> =>
  (
    JSON.parse(readFileSync(join(root, folder, `checkpoints/step-00000${step}/state.json`), 'utf8')) as {
      memory: Readonly<Record<string, number>>;
    }
  ).memory;

describe('a penalty in the reward that follows a target', () => {
  it('has a weight for each tag, which moves by the divergence of that tag', async () => {
    const rows = await train('tags');
    expect(rows).toHaveLength(4);
    for (const tag of ['near', 'far']) {
      let weight = 0.5;
      rows.forEach((row, index) => {
        expect(row[`algorithm/kl_reward_coefficient/${tag}`]).toBe(weight);
        const kl = row[`tag/${tag}/credit/kl_reference`] ?? NaN;
        expect(Number.isFinite(kl)).toBe(true);
        weight = objective.nextKlCoefficient(weight, kl, { target: 3e-8, rate: 0.5 });
        expect(memoryAt('tags', index + 1)[`klRewardCoefficient/${tag}`]).toBe(weight);
      });
      expect(new Set(rows.map((row) => row[`tag/${tag}/credit/kl_reference`])).size).toBeGreaterThan(1);
    }
    expect(memoryAt('tags', 4)['klRewardCoefficient/near']).not.toBe(
      memoryAt('tags', 4)['klRewardCoefficient/far'],
    );
  });

  it('has them where credit is compared over all tags, too', async () => {
    const rows = await train('together', { compare: 'together' });
    const [first, second] = rows;
    expect(first?.['credit/kl_reference']).toBe(0); // the policy is its own reference
    expect(second?.['algorithm/kl_reward_coefficient/near']).toBeCloseTo(0.45, 12);
    expect(second?.['algorithm/kl_reward_coefficient/far']).toBeCloseTo(0.45, 12);
  });

  it('is saved and resumed', async () => {
    const straight = await train('straight');
    await train('halves', { steps: 2 });
    const second = await train('halves', { resume: true });
    expect(second).toHaveLength(2);
    expect(memoryAt('halves', 4)).toEqual(memoryAt('straight', 4));
    expect(second[1]?.['credit/kl_reference']).toBe(straight[3]?.['credit/kl_reference']);
  });
});
