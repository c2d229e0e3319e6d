/** @file Episodes as seeds and actions: recorded once, then played against the clock. */
import type { EnvironmentDefinition, EnvironmentInstance, Observation } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';

interface Episode {
  readonly seed: number;
  readonly actions: readonly string[];
}

export interface Recording {
  readonly episodes: readonly Episode[];
  readonly steps: number;
}

export interface Rates {
  /** steps per second while steps are taken */
  readonly steps: number;
  /** steps per second of whole episodes, resets included */
  readonly episodes: number;
  /** whole episodes per second */
  readonly wholes: number;
}

/** Most actions of an episode. */
const longest = 100;

/** Records episodes of random valid actions, or of the oracle's, until there are enough or the time is up. */
export async function recordEpisodes(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  kind: 'random' | 'oracle',
  short: boolean,
): Promise<Recording> {
  const [most, ms] = short ? [4, 2000] : [1000, 5000];
  const instance = definition.create(params);
  const episodes: Episode[] = [];
  const begin = performance.now();
  for (let seed = 0; seed < most && (seed === 0 || performance.now() - begin < ms); seed += 1) {
    const first = await instance.reset({ state: seed, noise: seed });
    const chosen = kind === 'oracle' ? (instance.oracle?.() ?? []) : undefined;
    const actions = await play(instance, first, chosen, seed);
    if (actions.length > 0) episodes.push({ seed, actions });
  }
  await instance.close?.();
  return { episodes, steps: episodes.reduce((sum, { actions }) => sum + actions.length, 0) };
}

/** Plays a plan, or random actions, and gives what was played. */
async function play(
  instance: EnvironmentInstance,
  first: Observation,
  plan: readonly string[] | undefined,
  seed: number,
): Promise<string[]> {
  const stream = createStream(seed);
  const played: string[] = [];
  let observation = first;
  while (played.length < longest) {
    const action = plan === undefined ? drawValid(instance, observation, stream.word()) : plan[played.length];
    if (action === undefined) break;
    const result = await instance.step(action);
    played.push(action);
    if (result.done) break;
    ({ observation } = result);
  }
  return played;
}

function drawValid(
  instance: EnvironmentInstance,
  { actions = [] }: Observation,
  choice: number,
): string | undefined {
  return actions.length > 0 ? actions[choice % actions.length] : instance.sampleAction?.(choice);
}

/** Plays the episodes again and again for `limit` seconds. */
export async function playRecorded(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  { episodes }: Recording,
  limit: number,
): Promise<Rates> {
  const instance = definition.create(params);
  let steps = 0;
  let wholes = 0;
  let resetMs = 0;
  let stepMs = 0;
  while (resetMs + stepMs < limit * 1000) {
    for (const { seed, actions } of episodes) {
      const begin = performance.now();
      const first = instance.reset({ state: seed, noise: seed });
      if (first instanceof Promise) await first;
      const middle = performance.now();
      for (const action of actions) {
        const result = instance.step(action);
        if (result instanceof Promise) await result;
      }
      const end = performance.now();
      resetMs += middle - begin;
      stepMs += end - middle;
      steps += actions.length;
      wholes += 1;
      if (resetMs + stepMs >= limit * 1000) break;
    }
  }
  await instance.close?.();
  const seconds = (stepMs + resetMs) / 1000;
  return { steps: steps / (stepMs / 1000), episodes: steps / seconds, wholes: wholes / seconds };
}
