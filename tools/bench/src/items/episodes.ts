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

export const wallTime: Clock = () => performance.now();

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
 * Plays the episodes again and again, half of `limit` seconds whole and half to find what of it are steps: by reading the clock
 * around the steps of each episode or, where an episode takes no longer than some readings, by resets alone, which are taken off.
 */
export async function playRecorded(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  recording: Recording,
  limit: number,
  clock: Clock = wallTime,
): Promise<Rates> {
  const instance = definition.create(params);
  const reading = readingOf(clock);
  const playFor = (played: Recording, isAlone: boolean): Promise<Played> =>
    playUntil(instance, played, { ms: limit * 500, clock, reading, isAlone });
  const whole = await playFor(recording, false);
  const steps = await (whole.ms / whole.episodes > 50 * reading ? stepsAlone() : stepsByResets());
  await instance.close?.();
  return { steps, episodes: whole.steps / (whole.ms / 1000), wholes: whole.episodes / (whole.ms / 1000) };

  async function stepsAlone(): Promise<number> {
    const alone = await playFor(recording, true);
    return alone.steps / (alone.ms / 1000);
  }

  async function stepsByResets(): Promise<number> {
    const episodes = recording.episodes.map(({ seed }) => ({ seed, actions: [] }));
    const resets = await playFor({ episodes, steps: 0 }, false);
    const ms = whole.ms - (resets.ms / resets.episodes) * whole.episodes;
    return whole.steps / (ms / 1000);
  }
}

interface Played {
  readonly steps: number;
  readonly episodes: number;
  readonly ms: number;
}

/** Plays for some milliseconds; those that count are all, or those of steps without resets. Readings of the clock are taken off. */
async function playUntil(
  instance: EnvironmentInstance,
  { episodes }: Recording,
  {
    ms,
    clock,
    reading,
    isAlone,
  }: { readonly ms: number; readonly clock: Clock; readonly reading: number; readonly isAlone: boolean },
): Promise<Played> {
  const counted = { steps: 0, episodes: 0, ms: 0 };
  const begin = clock();
  let now = begin;
  let readings = 0;
  let next = 1;
  while (now - begin < ms) {
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
      if (counted.episodes < next) continue;
      now = clock();
      readings += 1;
      // about once in a millisecond: between episodes a reading takes several times as long as one after another
      next = counted.episodes + Math.min(1000, Math.ceil(counted.episodes / (now - begin)));
      // slow episodes end the time within the round
      if (now - begin >= ms) break;
    }
    now = clock();
    readings += 1;
  }
  return isAlone ? counted : { ...counted, ms: now - begin - readings * reading };
}

/** Milliseconds that a reading of the clock takes. */
function readingOf(clock: Clock): number {
  const count = 20_000;
  const begin = clock();
  for (let read = 0; read < count; read += 1) clock();
  return (clock() - begin) / count;
}
