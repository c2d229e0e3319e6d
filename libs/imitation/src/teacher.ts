/**
 * @file A teacher plays one episode and records it as a policy would: the rollout's context builder makes tokens and
 * spans. Each action is the oracle's or, with the demonstration's noise, a random one; the thought is the environment's
 * explanation of the actions. No model is involved.
 */
import { AppError, type Trajectory } from '@espalier/contracts';
import type { EnvironmentInstance, Observation } from '@espalier/plugin-kit';
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import { type ContextFactory, type EpisodeContext, stateSeed, withTimeLimit } from '@espalier/rollout';
import type { Demonstration } from './demonstration.js';

/** An episode as training data. */
export interface TaughtEpisode {
  readonly tokens: Int32Array; // [T]
  /** positions of the teacher's tokens, end of turn included, ascending */
  readonly positions: Int32Array; // [n]
  /** sequences of their own among the tokens (`rollout.context`) */
  readonly windows: NonNullable<Trajectory['windows']>;
  readonly success: boolean;
}

/** Seeds of one taught episode. */
export interface TaughtSeeds {
  readonly state: number;
  readonly noise: number;
  /** decides the teacher's noise and its number of actions */
  readonly teacher: number;
}

/**
 * Plays and records one episode; `contexts` has the demonstration's prompt format.
 *
 * @param contextTokens most tokens of a prompt and its reply: prompts leave out turns, or the episode ends, as
 * `rollout.context` says
 */
export async function teachEpisode(
  demonstration: Demonstration,
  contexts: ContextFactory,
  seeds: TaughtSeeds,
  contextTokens = Infinity,
): Promise<TaughtEpisode> {
  const context = contexts.open();
  const instance = demonstration.environment.create(demonstration.params);
  let success: boolean;
  try {
    success = await playTurns(demonstration, { contexts, context, instance, contextTokens }, seeds);
  } finally {
    await waitFor(demonstration, 'close', instance.close?.());
  }
  const spans = context
    .spans()
    .filter(({ kind }) => kind === 'think' || kind === 'answer' || kind === 'control');
  const positions = spans.flatMap(({ start, end }) =>
    Array.from({ length: end - start }, (_, i) => start + i),
  );
  return {
    tokens: context.tokens(),
    positions: Int32Array.from(positions),
    windows: context.windows(),
    success,
  };
}

/** Plays until the episode ends, and reports whether that is a success. */
async function playTurns(
  demonstration: Demonstration,
  {
    contexts,
    context,
    instance,
    contextTokens,
  }: {
    readonly contexts: ContextFactory;
    readonly context: EpisodeContext;
    readonly instance: EnvironmentInstance;
    readonly contextTokens: number;
  },
  { state, noise, teacher }: TaughtSeeds,
): Promise<boolean> {
  const room = contextTokens - demonstration.spec.rollout.maxResponseTokens - contexts.closingLength;
  const { maxTurns, maxActions } = demonstration.limits;
  const stream = createStream(teacher);
  let observation = await waitFor(demonstration, 'reset', instance.reset({ state, noise }));
  let actionsLeft = maxActions;
  let reward = 0;
  for (let turn = 0; turn < maxTurns && actionsLeft > 0; turn += 1) {
    const shown = { observation, actionsLeft, reward };
    if (turn > 0 && context.measurePrompt(shown, room) > room) break;
    context.appendObservation(shown, room);
    const actions = chooseActions(demonstration, instance, observation, actionsLeft, stream);
    context.appendResponseText(writeReply(demonstration, contexts.opened, instance, actions));
    reward = 0;
    for (const action of actions) {
      const result = await waitFor(demonstration, 'step', instance.step(action));
      if (result.done) return result.success;
      ({ observation } = result);
      reward += result.reward;
      actionsLeft -= 1;
    }
  }
  return false;
}

/** Waits for a call of the environment, as long as a demonstration allows. @throws plugin.timeout */
export const waitFor = <T>(
  { name, spec }: Pick<Demonstration, 'name' | 'spec'>,
  hook: string,
  result: T | Promise<T>,
): Promise<T> => withTimeLimit(`${name}.${hook}`, result, spec.rollout.environmentTimeoutMs);

/** Most tokens of a prompt and its reply: those of `rollout.contextTokens`, at most what the model holds. */
export const contextTokensOf = (
  { contextTokens = Infinity }: Pick<Demonstration['spec']['rollout'], 'contextTokens'>,
  contextLength: number,
): number => Math.min(contextTokens, contextLength);

/** Seeds of the episode `index` of a demonstration; states come from the train split, so validation shares none. */
export function taughtSeeds(seed: number, demonstration: string, index: number): TaughtSeeds {
  const derive = (purpose: string) => deriveSeed(seed, 'warm-start', demonstration, index, purpose);
  const state = stateSeed('train', deriveSeed(seed, 'warm-start', demonstration), index);
  return { state, noise: derive('luck'), teacher: derive('teacher') };
}

/** Takes one or more actions from the plan, up to the limit, and replaces some at random. */
function chooseActions(
  { spec, limits }: Demonstration,
  instance: EnvironmentInstance,
  { actions: available }: Observation,
  actionsLeft: number,
  stream: RandomStream,
): string[] {
  const plan = spec.noise < 1 ? (instance.oracle?.() ?? []) : [];
  const most = Math.max(
    1,
    Math.min(spec.actionsPerTurn, limits.maxActionsPerTurn, actionsLeft, plan.length || Infinity),
  );
  return Array.from({ length: 1 + stream.int(most) }, (_, i) => {
    const planned = plan[i];
    if (planned !== undefined && stream.next() >= spec.noise) return planned;
    return available === undefined ? sampleAction(instance, stream) : stream.pick(available);
  });
}

/** A random action where any text is one. @throws plugin.failed when the environment cannot draw one */
function sampleAction(instance: EnvironmentInstance, stream: RandomStream): string {
  if (instance.sampleAction !== undefined) return instance.sampleAction(stream.word());
  throw new AppError(
    'plugin.failed',
    'draw a random action: the environment has neither a list of actions nor `sampleAction`; add one, or set noise to 0',
  );
}

/**
 * Writes the reply that follows the opening tag, whether the run or the chat template writes it; it reasons unless the
 * prompt asks for the answer alone.
 */
function writeReply(
  { prompt: { format } }: Demonstration,
  opened: ContextFactory['opened'],
  instance: EnvironmentInstance,
  actions: readonly string[],
): string {
  const answer = `<answer>${actions.join(` ${format.actionSeparator} `)}</answer>`;
  const isFree = format.thinking === 'none' || format.thinking === 'template';
  const isAnswerOnly = isFree && opened !== '<think>';
  const reply = isAnswerOnly ? answer : `<think>${instance.explain?.(actions) ?? ''}</think>${answer}`;
  return reply.slice(opened.length);
}
