/** @file A quiet game: valid actions, recorded while nobody else plays, and played again beside hostile strings. */
import { isDeepStrictEqual } from 'node:util';
import type { EnvironmentDefinition, EnvironmentInstance, StepResult } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';
import { drawValid } from './grammar.js';

interface Recorded {
  readonly seed: number;
  readonly first: unknown;
  readonly steps: readonly { readonly action: string; readonly result: StepResult }[];
}

export interface QuietGame {
  /** Plays the next action; says what is not as it was. */
  advance(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Most games, and most steps of one. */
const mostGames = 4;
const mostSteps = 12;

/** Records a few games and gives one instance that repeats them. */
export async function recordQuiet(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  seeds: number,
): Promise<QuietGame> {
  const instance = definition.create(params);
  const records: Recorded[] = [];
  const games = Math.min(mostGames, seeds);
  for (let seed = 100; seed < 100 + games; seed++) records.push(await record(instance, seed));
  let game = 0;
  let step = -1;
  const differs = (what: string): string =>
    `another instance: ${what} is not what it was without hostile strings`;
  return {
    advance: async () => {
      const { seed, first, steps } = records[game]!;
      const next = step < 0 ? undefined : steps[step]!;
      const found =
        next === undefined ? await instance.reset(seedsOf(seed)) : await instance.step(next.action);
      const isSame = isDeepStrictEqual(found, next === undefined ? first : next.result);
      const what = next === undefined ? `reset of seed ${seed}` : `step ${step} of seed ${seed}`;
      step += 1;
      if (step === steps.length) [game, step] = [(game + 1) % records.length, -1];
      return isSame ? undefined : differs(what);
    },
    close: async () => void (await instance.close?.()),
  };
}

const seedsOf = (seed: number): { state: number; noise: number } => ({ state: seed, noise: seed + 1 });

async function record(instance: EnvironmentInstance, seed: number): Promise<Recorded> {
  const stream = createStream(seed);
  const first = await instance.reset(seedsOf(seed));
  const steps: { action: string; result: StepResult }[] = [];
  let observation = first;
  while (steps.length < mostSteps && steps.at(-1)?.result.done !== true) {
    const action = drawValid(instance, observation, stream.word());
    if (action === undefined) break;
    const result = await instance.step(action);
    steps.push({ action, result });
    ({ observation } = result);
  }
  return { seed, first, steps };
}
