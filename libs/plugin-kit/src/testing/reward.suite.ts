/**
 * @file What every reward must do, as a vitest suite.
 */
import { describe, expect, it } from 'vitest';
import type { RewardDefinition, UnscoredTrajectory } from '../define-reward.js';
import { describeDefinition } from './definition.suite.js';
import { sampleTrajectories } from './sample-trajectory.js';

export interface RewardSuiteOptions {
  /** options under test; what is absent takes its default */
  readonly params?: Readonly<Record<string, unknown>>;
  /** trajectories besides the suite's own */
  readonly trajectories?: readonly UnscoredTrajectory[];
}

/** Runs the suite: one finite value per turn, finite metrics, the same every time, no change to the trajectory. */
export function testReward<Params>(
  definition: RewardDefinition<Params>,
  options: RewardSuiteOptions = {},
): void {
  const given = options.params ?? {};
  describe(`reward ${definition.id} ${JSON.stringify(given)}`, () => {
    describeDefinition(definition, given);
    const params = definition.params.parse(given);
    const trajectories = (): UnscoredTrajectory[] => [
      ...sampleTrajectories(),
      ...(options.trajectories ?? []),
    ];

    it('gives one finite value per turn, and finite metrics', async () => {
      for (const trajectory of trajectories()) {
        const { perTurn, metrics } = await definition.score(trajectory, params);
        expect(perTurn).toHaveLength(trajectory.turns.length);
        for (const value of [...perTurn, ...Object.values(metrics ?? {})])
          expect(Number.isFinite(value)).toBe(true);
        for (const name of Object.keys(metrics ?? {})) {
          expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
          if (definition.metrics !== undefined) expect(Object.keys(definition.metrics)).toContain(name);
        }
      }
    });

    it('scores the same trajectory the same way', async () => {
      for (const trajectory of trajectories()) {
        const first = await definition.score(trajectory, params);
        expect(await definition.score(trajectory, params)).toEqual(first);
      }
    });

    it('leaves the trajectory as it was', async () => {
      const untouched = structuredClone(trajectories());
      const used = trajectories();
      for (const trajectory of used) await definition.score(trajectory, params);
      expect(used).toEqual(untouched);
    });
  });
}
