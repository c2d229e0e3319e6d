/**
 * @file The vitest suite for rewards.
 */
import { describe, expect, it } from 'vitest';
import type { RewardDefinition, UnscoredTrajectory } from '../define-reward.js';
import { describeDefinition } from './definition.suite.js';
import { sampleTrajectories } from './sample-trajectory.js';

export interface RewardSuiteOptions {
  /** options under test; the others have their defaults */
  readonly params?: Readonly<Record<string, unknown>>;
  /** additional trajectories */
  readonly trajectories?: readonly UnscoredTrajectory[];
}

/** Runs the suite: one finite value per turn, finite metrics, evidence about sampled tokens, determinism, no change to the trajectory. */
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

    it('returns one finite value per turn, and finite metrics', async () => {
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

    it('gives evidence for sampled tokens of its turn, finite, with a note', async () => {
      for (const trajectory of trajectories()) {
        const { evidence = [] } = await definition.score(trajectory, params);
        expect(evidence.length).toBeLessThanOrEqual(trajectory.tokens.length);
        for (const { turn, start, end, value, note } of evidence) {
          const { sampled } = trajectory.turns[turn] ?? { sampled: { start: 0, end: 0 } };
          expect(start).toBeGreaterThanOrEqual(sampled.start);
          expect(end).toBeLessThanOrEqual(sampled.end);
          expect(end).toBeGreaterThan(start);
          expect(Number.isFinite(value)).toBe(true);
          expect(note.length).toBeLessThanOrEqual(200);
        }
      }
    });

    it('scores a trajectory the same way every time', async () => {
      for (const trajectory of trajectories()) {
        const first = await definition.score(trajectory, params);
        expect(await definition.score(trajectory, params)).toEqual(first);
      }
    });

    it('does not change the trajectory', async () => {
      const untouched = structuredClone(trajectories());
      const used = trajectories();
      for (const trajectory of used) await definition.score(trajectory, params);
      expect(used).toEqual(untouched);
    });
  });
}
