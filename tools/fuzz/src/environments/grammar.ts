/** @file The words of an environment, as it speaks itself: its actions, its observations and what its oracle does. */
import type { EnvironmentDefinition, EnvironmentInstance, Observation } from '@espalier/plugin-kit';
import { createStream } from '@espalier/random';

export interface Grammar {
  /** whole actions that were valid somewhere */
  readonly actions: readonly string[];
  /** words, marks and spaces of actions, observations and facts */
  readonly words: readonly string[];
  /** the way to success from the start of some seeds */
  readonly plans: ReadonlyMap<number, readonly string[]>;
}

const steps = 8;
const maxWords = 600;
const maxActions = 400;

/** Plays a little to learn how the environment speaks. */
export async function learnGrammar(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  seeds: number,
): Promise<Grammar> {
  const actions = new Set<string>();
  const texts = new Set<string>();
  const plans = new Map<number, readonly string[]>();
  const instance = definition.create(params);
  for (let seed = 0; seed < seeds; seed++) {
    let observation = await instance.reset({ state: seed, noise: seed });
    const plan = instance.oracle?.() ?? [];
    plans.set(seed, plan);
    const stream = createStream(seed);
    for (let step = 0; step < steps; step++) {
      for (const action of [...(observation.actions ?? []), ...plan.slice(0, 20)]) actions.add(action);
      texts.add(observation.text);
      texts.add(JSON.stringify(instance.facts?.() ?? {}));
      const action = plan[step] ?? drawValid(instance, observation, stream.word());
      if (action === undefined) break;
      actions.add(action);
      const result = await instance.step(action);
      if (result.done) break;
      ({ observation } = result);
    }
  }
  await instance.close?.();
  const words = [...actions, ...texts].flatMap((text) => splitWords(text.slice(0, 4000)));
  return {
    actions: [...actions].slice(0, maxActions),
    words: [...new Set(words)].slice(0, maxWords),
    plans,
  };
}

/** A valid action: from the list, or a sample where any text is an action. */
export function drawValid(
  instance: EnvironmentInstance,
  { actions = [] }: Observation,
  choice: number,
): string | undefined {
  return actions.length > 0 ? actions[choice % actions.length] : instance.sampleAction?.(choice >>> 0);
}

/** Words, runs of marks, and white space. */
export function splitWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]+/gu) ?? [];
}
