/**
 * @file What chance explains, on the environments that have it, against what follows from their rules; and that a filter
 * which takes it off ranks by what the policy did.
 */
import bandit from '@espalier/environment-bandit';
import frozenLake from '@espalier/environment-frozen-lake';
import type { Trajectory, TrajectoryGroup } from '@espalier/contracts';
import { filterGroups } from '@espalier/objective';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { estimateChance } from '@espalier/rollout';
import { describe, expect, it } from 'vitest';

/** Plays lists of actions from one state, each with noise of its own. */
async function playGroup(
  create: () => EnvironmentInstance,
  state: number,
  choices: readonly (readonly string[])[],
): Promise<TrajectoryGroup> {
  const trajectories: Trajectory[] = [];
  for (const [index, choice] of choices.entries()) {
    const seeds = { state, noise: 1000 * state + index, sampling: 0 };
    const environment = create();
    await environment.reset(seeds);
    const actions: object[] = [];
    let total = 0;
    for (const text of choice) {
      const { reward, done } = await environment.step(text);
      actions.push({ text });
      total += reward;
      if (done) break;
    }
    trajectories.push({ seeds, turns: [{ actions }], score: { total } } as unknown as Trajectory);
  }
  return { group: state, environment: '', stateSeed: state, trajectories };
}

const totalsOf = ({ trajectories }: TrajectoryGroup): number[] =>
  trajectories.map(({ score }) => score.total);
const chanceOf = (
  create: () => EnvironmentInstance,
  groups: readonly TrajectoryGroup[],
  noiseSeeds: number,
) =>
  estimateChance(groups, {
    create,
    noiseSeeds,
    weight: 1,
    rollout: { environmentTimeoutMs: 0, maxFailedShare: 0 },
    atOnce: 8,
  });

describe('chance in Bandit', () => {
  const create = () => bandit.create(bandit.params.parse({ arms: { low: 'Safe', high: 'Risky' } }));
  const all = (arm: string) => Array.from({ length: 16 }, () => [arm]);

  it('is that of a coin with probability 1/4 for the high arm, and none for the low arm', async () => {
    const groups = [
      await playGroup(create, 1, all('Risky')),
      await playGroup(create, 2, all('Safe')),
      await playGroup(create, 3, [...all('Risky').slice(8), ...all('Safe').slice(8)]),
    ];
    const { variances, steps } = await chanceOf(create, groups, 64);
    // 1,024 throws: within 0.025, over three standard errors
    expect(variances[0]).toBeCloseTo(3 / 16, 1.3);
    expect(variances[1]).toBe(0);
    expect(variances[2]).toBeCloseTo(3 / 32, 1.3);
    expect(steps).toBe(3 * 16 * 64);
  });

  it('no longer decides which group is kept: choices do', async () => {
    // hits and misses of one arm differ more than the arms do on average
    const lucky = await playGroup(create, 1, all('Risky'));
    const sure = () =>
      bandit.create(
        bandit.params.parse({ arms: { low: 'Safe', high: 'Risky' }, hitProbability: 1, highHitScore: 0.5 }),
      );
    const chosen = await playGroup(sure, 2, [...all('Risky').slice(8), ...all('Safe').slice(8)]);
    const [ofLucky, ofChosen] = [await chanceOf(create, [lucky], 16), await chanceOf(sure, [chosen], 16)];
    const rule = { kind: 'top-k', value: 1, zeros: 'drop' } as const;
    const groups = [{ totals: totalsOf(lucky) }, { totals: totalsOf(chosen) }];
    expect(filterGroups(groups, rule).kept).toEqual([0]);
    const aware = [
      { ...groups[0]!, chance: ofLucky.variances[0] },
      { ...groups[1]!, chance: ofChosen.variances[0] },
    ];
    expect(filterGroups(aware, rule).kept).toEqual([1]);
  });
});

describe('chance on slippery ice', () => {
  const create = () => frozenLake.create(frozenLake.params.parse({ successRate: 1 / 3 }));
  const firm = () => frozenLake.create(frozenLake.params.parse({ successRate: 1 }));

  /** A state with a plan of at most four steps. */
  async function findPlan(): Promise<{ state: number; plan: readonly string[] }> {
    for (let state = 1; ; state += 1) {
      const environment = firm();
      await environment.reset({ state, noise: state });
      const plan = environment.oracle?.() ?? [];
      if (plan.length > 0 && plan.length <= 2) return { state, plan };
    }
  }

  it('explains all of what the same actions earn, and nothing on firm ice', async () => {
    const { state, plan } = await findPlan();
    const same = Array.from({ length: 32 }, () => plan);
    const group = await playGroup(create, state, same);
    const totals = totalsOf(group);
    const mean = totals.reduce((sum, total) => sum + total, 0) / totals.length;
    expect(mean).toBeGreaterThan(0);
    expect(mean).toBeLessThan(1);
    const variance = totals.reduce((sum, total) => sum + (total - mean) ** 2, 0) / (totals.length - 1);
    const { variances } = await chanceOf(create, [group], 32);
    expect(variances[0]).toBeGreaterThan(0.5 * variance);
    expect(variances[0]).toBeLessThan(1.5 * variance);
    const held = await playGroup(firm, state, same);
    expect(totalsOf(held)).toEqual(same.map(() => 1));
    expect((await chanceOf(firm, [held], 4)).variances).toEqual([0]);
  });
});
