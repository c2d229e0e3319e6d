/** @file The prompts of fixed initial states, without any episode. */
import type { SampleRequest } from '@espalier/contracts';
import { type CollectRequest, type EpisodesChoice, prepareEpisodes } from './group-rollout.js';
import { rolloutSeeds } from './seeds.js';
import { withTimeLimit } from './time-limit.js';

/** What a policy would be asked first. */
export type InitialPrompt = Pick<SampleRequest, 'tokens' | 'params' | 'seed'>;

/**
 * Encodes the first prompt of each of the fixed initial states; nothing is sampled.
 *
 * @throws what the environment throws, plugin.timeout, rollout.unsupported_template
 */
export async function encodeInitialPrompts<Params>(
  request: CollectRequest<Params>,
  { episodes, ...choice }: Pick<EpisodesChoice, 'episodes' | 'temperature' | 'topP' | 'topK'>,
): Promise<InitialPrompt[]> {
  const setup = prepareEpisodes(request, choice, 1);
  const { contexts, environmentTimeoutMs: limitMs, sampling } = setup;
  const room = setup.contextTokens - sampling.maxTokens - contexts.closingLength;
  const prompts: InitialPrompt[] = [];
  for (let group = 0; group < episodes; group += 1) {
    const {
      state,
      noise,
      sampling: seed,
    } = rolloutSeeds({
      runSeed: request.seed,
      split: request.split,
      environment: setup.environment,
      step: request.step,
      promptsPerStep: episodes,
      group,
      index: 0,
      retry: 0,
      noiseSeed: request.rollout.noiseSeed,
    });
    const environment = setup.create();
    try {
      const observation = await withTimeLimit('reset', environment.reset({ state, noise }), limitMs);
      const context = contexts.open();
      context.appendObservation(
        { observation, actionsLeft: contexts.options.limits.maxActions, reward: 0 },
        room,
      );
      prompts.push({ tokens: context.prompt(), params: sampling, seed });
    } finally {
      await withTimeLimit('close', environment.close?.(), limitMs);
    }
  }
  return prompts;
}
