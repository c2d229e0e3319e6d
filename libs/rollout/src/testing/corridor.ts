/** @file A smallest environment for tests: a corridor of four cells; the goal is the last one. */
import { defineEnvironment, type EnvironmentDefinition, type Observation } from '@espalier/plugin-kit';
import { z } from 'zod';

export interface CorridorParams {
  /** step number (from 1, counted per instance) at which `step` throws; 0 = never */
  readonly failAt: number;
  /** only attempts with this noise seed fail; absent = all */
  readonly failNoise?: (noise: number) => boolean;
  /** reward of the failing step instead of an error */
  readonly badReward?: number;
}

/** Right moves on, Left moves back, Jump is illegal here; falling off the left end is a failure. */
export const corridor: EnvironmentDefinition<CorridorParams> = defineEnvironment<CorridorParams>({
  id: 'corridor',
  summary: 'Walk right to the goal.',
  params: z.custom<CorridorParams>(),
  instruction: () => 'Reach G.',
  limits: () => ({ maxTurns: 5, maxActions: 10, maxActionsPerTurn: 2 }),
  create: (params) => {
    let place = 1;
    let steps = 0;
    let noise = 0;
    const text = (): string => [...'___G'].map((cell, index) => (index === place ? 'P' : cell)).join('');
    const see = (): Observation => ({
      text: text(),
      actions: ['Left', 'Right', 'Jump'],
      stateKey: String(place),
    });
    return {
      reset: (seeds) => {
        noise = seeds.noise;
        place = 1;
        return see();
      },
      step: (action) => {
        steps += 1;
        const fails = steps === params.failAt && (params.failNoise?.(noise) ?? true);
        if (fails && params.badReward === undefined) throw new Error('the floor broke');
        const valid = action !== 'Jump';
        if (valid) place += action === 'Right' ? 1 : -1;
        const done = place === 3 || place < 0;
        const reward = fails ? (params.badReward ?? 0) : place === 3 ? 1 : -0.1;
        return {
          observation: see(),
          reward,
          done,
          success: place === 3,
          valid,
          effective: valid,
          metrics: { place },
        };
      },
      render: text,
      facts: () => ({ place }),
      oracle: () => Array.from({ length: 3 - place }, () => 'Right'),
    };
  },
});
