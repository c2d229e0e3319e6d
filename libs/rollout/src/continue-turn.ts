/**
 * @file Lets a policy continue a stored trajectory from one of its turns, several times: the environment and the
 * conversation are brought to that turn by what was recorded, and everything after it is sampled anew. The environment's
 * chance stays that of the trajectory, as its noise seed does; what differs is what the policy samples.
 */
import { AppError, type SamplingParams, type Trajectory } from '@espalier/contracts';
import { deriveSeed } from '@espalier/random';
import { isFailedEpisode } from './episode-failure.js';
import { type CollectRequest, prepareEpisodes } from './group-rollout.js';
import { playBounded } from './play-bounded.js';
import { replayTurns, type RecordedSample } from './replay-turns.js';
import { runEpisode } from './rollout.js';
import { closeFailed, closeUnscorable, scoreTrajectory } from './score.js';

export interface ContinueChoice extends Pick<SamplingParams, 'temperature' | 'topP' | 'topK'> {
  /** from 0 */
  readonly turn: number;
  readonly episodes: number;
  /** concurrent episodes; results do not depend on it */
  readonly atOnce: number;
}

/** What came of them; failed ones, which no rate includes, are apart. */
export interface Continuations {
  readonly trajectories: readonly Trajectory[];
  readonly failed: readonly Trajectory[];
}

/** What continuing needs of a collection; no prompts are made, so its split and step are those of the trajectory. */
export type ContinueRequest<Params> = Omit<
  CollectRequest<Params>,
  'split' | 'step' | 'play' | 'tasks' | 'place'
>;

/**
 * Plays the continuations of one turn.
 *
 * @throws rollout.not_repeatable before anything is sampled; rollout.cancelled
 */
export async function continueTurn<Params>(
  request: ContinueRequest<Params>,
  trajectory: Trajectory,
  choice: ContinueChoice,
): Promise<Continuations> {
  const { turn, episodes, atOnce } = choice;
  const { split, step, group, seeds, turns } = trajectory;
  if (request.environment.definition.agent !== undefined)
    throw new AppError(
      'rollout.not_repeatable',
      `continue ${trajectory.id} from turn ${turn + 1}: a program played it, which cannot be brought to a turn; choose a trajectory of an environment that is played turn by turn`,
    );
  await rehearse(request, trajectory, turn);
  const setup = prepareEpisodes({ ...request, split, step }, choice, episodes);
  const replies = turns.slice(0, turn).map((one) => replyOf(trajectory, one));
  const stateKeys = turns.slice(0, turn + 1).map(({ stateKey }) => stateKey);
  const repeated = { ...setup, images: false, repeated: { replies, stateKeys } };
  let done = 0;
  const play = async (index: number): Promise<Trajectory> => {
    const sampling = deriveSeed(seeds.sampling, 'continuation', turn, index);
    const address = { split, step, group, index, retry: 0, seeds: { ...seeds, sampling } };
    const unscored = await runEpisode(repeated, address);
    done += 1;
    request.onProgress?.(done, episodes);
    if (['error', 'timeout', 'cancelled'].includes(unscored.stopReason)) return closeFailed(unscored);
    try {
      return (await scoreTrajectory(unscored, request.rewards, request.signal)).trajectory;
    } catch (thrown) {
      return closeUnscorable(unscored, thrown);
    }
  };
  const { definition, params } = request.environment;
  const most = definition.reads?.(params).episodes ?? atOnce;
  const played = await playBounded(episodes, Math.min(atOnce, most), play, request.signal);
  if (request.signal?.aborted === true)
    throw new AppError('rollout.cancelled', `continue ${trajectory.id} from turn ${turn + 1}: cancelled`);
  return {
    trajectories: played.filter((one) => !isFailedEpisode(one)),
    failed: played.filter(isFailedEpisode),
  };
}

/** Whether the environment repeats the trajectory is known before a policy is asked. */
async function rehearse<Params>(
  { environment: { definition, params }, rollout: { environmentTimeoutMs } }: ContinueRequest<Params>,
  trajectory: Trajectory,
  turn: number,
): Promise<void> {
  const environment = definition.create(params);
  try {
    await replayTurns(environment, trajectory, turn, { timeoutMs: environmentTimeoutMs });
  } finally {
    await environment.close?.();
  }
}

/** What was sampled in a turn, as an engine would give it. */
function replyOf(
  { tokens, logprobs, entropies }: Trajectory,
  { sampled: { start, end }, sampleStop, policyVersion }: Trajectory['turns'][number],
): RecordedSample {
  return {
    tokens: tokens.slice(start, end),
    logprobs: logprobs.slice(start, end),
    entropies: entropies.slice(start, end),
    stop: sampleStop,
    ...(policyVersion === undefined ? {} : { policyVersion }),
  };
}
