/**
 * @file Plays any environment by hand. Nothing is kept between calls: each creates the environment, resets it with the seeds
 * and takes the actions, so that a state is named by its environment, seeds and actions.
 */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import type { PlayedState } from './catalogue-messages.js';
import { PluginCatalogue } from './plugin-catalogue.service.js';

/** Actions by hand at most, and the characters of each. */
export const mostPlayedActions = 200;
export const mostActionCharacters = 1000;

const seed = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const playEnvironmentRequest = z.strictObject({
  environment: z
    .looseObject({ use: z.string().min(1).max(200) })
    .describe('the environment as a spec chooses it: `use`, and its options'),
  seed: seed.default(0).describe('seed of the initial state'),
  noiseSeed: seed.optional().describe('seed of the environment’s chance; default: as `seed`'),
  actions: z
    .array(z.string().max(mostActionCharacters))
    .max(mostPlayedActions)
    .default([])
    .describe(`actions to take, in order; at most ${mostPlayedActions}`),
});
export type PlayEnvironmentRequest = z.infer<typeof playEnvironmentRequest>;

/** of a call of the environment */
const timeoutMs = 10_000;

@Injectable()
export class EnvironmentPlay {
  constructor(private readonly catalogue: PluginCatalogue) {}

  /**
   * The state after some actions.
   *
   * @throws plugin.not_found, rollout.not_repeatable where it cannot be played here, config.wrong_type and the like for options
   */
  play({
    environment,
    seed: state,
    noiseSeed = state,
    actions,
  }: PlayEnvironmentRequest): Promise<PlayedState> {
    const seeds = { state, noise: noiseSeed, sampling: 0 };
    return this.catalogue.play({ environment, seeds, turn: 0, actions, timeoutMs });
  }
}
