/** @file Policies that play an environment without solving it, and the oracle's: what OpenEnv's RFC 008 asks to compare. */
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import type { EnvironmentDefinition, EnvironmentInstance, Observation } from '@espalier/plugin-kit';

/** Chooses actions; undefined takes none and ends the episode. */
export interface Policy {
  readonly name: string;
  readonly act: (
    observation: Observation,
    instance: EnvironmentInstance,
    stream: RandomStream,
  ) => string | undefined;
}

export interface Played {
  readonly total: number;
  readonly success: boolean;
  /** chance changed an action, as the environment says */
  readonly slipped: boolean;
}

/** Plays one episode; an action that is not in the list is refused as in a run, and ends it. */
export async function playPolicy(
  definition: EnvironmentDefinition<unknown>,
  params: unknown,
  { act }: Policy,
  seeds: { readonly state: number; readonly noise: number; readonly sampling?: number },
  maxActions = definition.limits(params).maxActions,
): Promise<Played> {
  const instance = definition.create(params);
  // not the seed itself, or a choice would repeat the draw of the environment
  const stream = createStream(deriveSeed('policy', seeds.sampling ?? seeds.state));
  let total = 0;
  let slipped = false;
  try {
    let observation = await instance.reset(seeds);
    for (let step = 0; step < maxActions; step++) {
      const action = act(observation, instance, stream);
      if (action === undefined || observation.actions?.includes(action) === false) break;
      const result = await instance.step(action);
      total += result.reward;
      slipped ||= result.slipped === true;
      if (result.done) return { total, success: result.success, slipped };
      ({ observation } = result);
    }
    return { total, success: false, slipped };
  } finally {
    await instance.close?.();
  }
}

/** Follows the plan of the oracle, asked again wherever the plan is over. */
export function followOracle(): Policy {
  let plan: readonly string[] = [];
  let from: EnvironmentInstance | undefined;
  return {
    name: 'oracle',
    act: (_observation, instance) => {
      if (from !== instance || plan.length === 0) plan = instance.oracle?.() ?? [];
      from = instance;
      const [action, ...rest] = plan;
      plan = rest;
      return action;
    },
  };
}

/** Legal actions at random. */
export const random: Policy = {
  name: 'random',
  act: ({ actions }, instance, stream) =>
    actions === undefined ? instance.sampleAction?.(stream.word() >>> 0) : stream.pick(actions),
};

/** Says nothing. */
export const empty: Policy = {
  name: 'empty',
  act: ({ actions }) => (actions === undefined ? '' : undefined),
};

const mostConstants = 12;

/** Takes one action whatever it sees. */
export const constant = (text: string): Policy => ({
  name: `constant ${JSON.stringify(text)}`,
  act: () => text,
});

/** The actions that constant policies are made of. */
export const constantsOf = ({ actions }: Observation): readonly string[] =>
  actions?.slice(0, mostConstants) ?? ['yes', '0', '1'];

/** The policies that must gain nothing. @param first an observation @param instruction of the environment */
export function listAdversaries(first: Observation, instruction: string): Policy[] {
  const constants = [...constantsOf(first).map(constant), repeatOne()];
  if (first.actions !== undefined) return constants;
  return [
    ...constants,
    { name: 'format-only', act: () => '<think></think><answer></answer>' },
    { name: 'prompt-echo', act: ({ text }) => `${instruction}\n${text}` },
    { name: 'length', act: () => 'a '.repeat(10_000) },
  ];
}

/** Draws one legal action per episode and repeats it. */
function repeatOne(): Policy {
  let chosen: string | undefined;
  let from: EnvironmentInstance | undefined;
  return {
    name: 'repeated',
    act: (observation, instance, stream) => {
      if (from !== instance) chosen = random.act(observation, instance, stream);
      from = instance;
      return chosen;
    },
  };
}
