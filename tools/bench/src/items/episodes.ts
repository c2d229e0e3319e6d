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

/** A clock in milliseconds. */
export type Clock = () => number;

const wallTime: Clock = () => performance.now();

/** Processor time of this process, garbage collection included: it stands while other work has the processor. */
export const processorTime: Clock = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

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

/**
 * Plays the episodes again and again, half of `limit` seconds with the clock read around all of them and half with the
 * clock read around the steps of each, whose readings are taken off: one may take as long as the shortest episode.
 */
export async function playRecorded(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  recording: Recording,
  limit: number,
  clock: Clock = wallTime,
): Promise<Rates> {
  const instance = definition.create(params);
  const whole = await playFor(instance, recording, limit * 500, clock, false);
  const alone = await playFor(instance, recording, limit * 500, clock, true);
  await instance.close?.();
  return {
    steps: alone.steps / (alone.ms / 1000),
    episodes: whole.steps / (whole.ms / 1000),
    wholes: whole.episodes / (whole.ms / 1000),
  };
}

/** Plays for some milliseconds of what counts: everything, or steps without resets. */
async function playFor(
  instance: EnvironmentInstance,
  { episodes }: Recording,
  limit: number,
  clock: Clock,
  isAlone: boolean,
): Promise<{ readonly steps: number; readonly episodes: number; readonly ms: number }> {
  const counted = { steps: 0, episodes: 0, ms: 0 };
  const reading = isAlone ? readingOf(clock) : 0;
  const begin = clock();
  let now = begin;
  while (now - begin < limit) {
    for (const { seed, actions } of episodes) {
      const first = instance.reset({ state: seed, noise: seed });
      if (first instanceof Promise) await first;
      const middle = isAlone ? clock() : 0;
      for (const action of actions) {
        const result = instance.step(action);
        if (result instanceof Promise) await result;
      }
      if (isAlone) counted.ms += clock() - middle - reading;
      counted.steps += actions.length;
      counted.episodes += 1;
      // slow episodes end the time within the round
      if ((counted.episodes & 15) === 0 && clock() - begin >= limit) break;
    }
    now = clock();
  }
  return isAlone ? counted : { ...counted, ms: now - begin };
}

/** Milliseconds that a reading of the clock takes. */
function readingOf(clock: Clock): number {
  const count = 20_000;
  const begin = clock();
  for (let read = 0; read < count; read += 1) clock();
  return (clock() - begin) / count;
}
