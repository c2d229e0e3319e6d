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
        const result = await definition.score(trajectory, params);
        expect(result, 'what score() returns; { perTurn: number[] }').toMatchObject({
          perTurn: expect.any(Array) as unknown,
        });
        const { perTurn, metrics = {} } = result;
        expect(
          perTurn.length,
          `values in perTurn, for ${trajectory.turns.length} turns; one for each, 0 where nothing was earned`,
        ).toBe(trajectory.turns.length);
        for (const [turn, value] of perTurn.entries())
          expect(value, `perTurn[${turn}] is a finite number`).toSatisfy(Number.isFinite);
        for (const [name, value] of Object.entries(metrics)) {
          expect(value, `metric ${name} is a finite number`).toSatisfy(Number.isFinite);
          expect(name, 'the name of a metric').toMatch(/^[a-z][a-z0-9_]*$/);
          if (definition.metrics !== undefined)
            expect(
              Object.keys(definition.metrics),
              `metrics that the definition describes; add unit and formula of ${name}`,
            ).toContain(name);
        }
      }
    });

    it('gives evidence for sampled tokens of its turn, finite, with a note', async () => {
      for (const trajectory of trajectories()) {
        const { evidence = [] } = await definition.score(trajectory, params);
        expect(evidence.length, 'pieces of evidence').toBeLessThanOrEqual(trajectory.tokens.length);
        for (const [index, { turn, start, end, value, note }] of evidence.entries()) {
          const { sampled } = trajectory.turns[turn] ?? { sampled: { start: 0, end: 0 } };
          const place = `evidence[${index}] lies within the sampled tokens ${sampled.start}..${sampled.end} of turn ${turn}; tokensOf() finds them`;
          expect(start, place).toBeGreaterThanOrEqual(sampled.start);
          expect(end, place).toBeLessThanOrEqual(sampled.end);
          expect(end, place).toBeGreaterThan(start);
          expect(value, `evidence[${index}].value is a finite number`).toSatisfy(Number.isFinite);
          expect(note.length, `characters of evidence[${index}].note`).toBeLessThanOrEqual(200);
        }
      }
    });

    it('scores a trajectory the same way every time', async () => {
      for (const trajectory of trajectories()) {
        const first = await definition.score(trajectory, params);
        expect(
          await definition.score(trajectory, params),
          'the score of the same trajectory again; nothing but the trajectory and the options may have an effect',
        ).toEqual(first);
      }
    });

    it('does not change the trajectory', async () => {
      const untouched = structuredClone(trajectories());
      const used = trajectories();
      for (const trajectory of used) await definition.score(trajectory, params);
      expect(used, 'the trajectory after score(); work on copies').toEqual(untouched);
    });
  });
}
