/**
 * @file Brings an environment to a turn of a stored trajectory: it is reset with the seeds of the trajectory, and its
 * actions are taken again. Each state on the way must be the one that was recorded; an environment that does not repeat
 * itself, or another version of it, is refused.
 */
import { AppError, type SampleResult, type Trajectory } from '@espalier/contracts';
import type { EnvironmentInstance, Observation } from '@espalier/plugin-kit';
import { withTimeLimit } from './time-limit.js';

/** What a trajectory needs to be repeated. */
export type Repeated = Pick<Trajectory, 'id' | 'seeds'> & {
  readonly turns: readonly {
    readonly stateKey: string;
    readonly actions: readonly { readonly text: string }[];
  }[];
};

/** A state that was reached, and how. */
export interface ReachedState {
  readonly observation: Observation;
  /** of the actions that were asked for, not of those before the turn */
  readonly steps: readonly TakenStep[];
  /** why no more actions can be taken; undefined: they can */
  readonly ended?: 'success' | 'failure';
}

export interface TakenStep {
  readonly action: string;
  readonly reward: number;
  readonly valid: boolean;
  readonly effective: boolean;
  readonly slipped?: boolean | undefined;
}

/**
 * Repeats a trajectory up to the state before a turn, then takes other actions until they or the episode end.
 *
 * @param turn from 0
 * @throws rollout.not_repeatable, plugin.timeout, what the environment throws
 */
export async function replayTurns(
  environment: EnvironmentInstance,
  { id, seeds, turns }: Repeated,
  turn: number,
  { actions = [], timeoutMs }: { readonly actions?: readonly string[]; readonly timeoutMs: number },
): Promise<ReachedState> {
  const refuse = (at: number, finding: string): AppError =>
    new AppError(
      'rollout.not_repeatable',
      `repeat ${id} up to turn ${turn + 1}: ${finding} at turn ${at + 1}; its environment does not repeat itself, or is another version than the one that was played`,
    );
  const { state, noise } = seeds;
  let observation = await withTimeLimit('reset', environment.reset({ state, noise }), timeoutMs);
  for (const [index, recorded] of turns.entries()) {
    if (recorded.stateKey !== observation.stateKey) throw refuse(index, 'another state came up');
    if (index === turn) break;
    for (const { text } of recorded.actions) {
      const result = await withTimeLimit('step', environment.step(text), timeoutMs);
      ({ observation } = result);
      if (result.done) throw refuse(index, 'the episode ended');
    }
  }
  const steps: TakenStep[] = [];
  for (const action of actions) {
    const result = await withTimeLimit('step', environment.step(action), timeoutMs);
    const { reward, valid, effective, slipped } = result;
    ({ observation } = result);
    steps.push({ action, reward, valid, effective, slipped });
    if (result.done) return { observation, steps, ended: result.success ? 'success' : 'failure' };
  }
  return { observation, steps };
}

/** A reply as a turn keeps it: the version of the weights may not be known. */
export type RecordedSample = Omit<SampleResult, 'policyVersion'> &
  Pick<Trajectory['turns'][number], 'policyVersion'>;

/** What an episode takes from a trajectory before it samples. */
export interface RepeatedTurns {
  readonly replies: readonly RecordedSample[];
  /** of the states before each of these turns, and of the first that is sampled */
  readonly stateKeys: readonly string[];
}

/** @throws rollout.not_repeatable where the repeated replies lead elsewhere */
export function checkRepeated(
  repeated: RepeatedTurns | undefined,
  turn: number,
  { stateKey }: Observation,
): void {
  const expected = repeated?.stateKeys[turn];
  if (expected === undefined || expected === stateKey) return;
  throw new AppError(
    'rollout.not_repeatable',
    `repeat the replies before turn ${turn + 1}: they lead to another state than recorded; continue with the prompt format, the tokenizer and the environment that the trajectory was played with`,
  );
}
