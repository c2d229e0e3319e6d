/**
 * @file Collects P initial states × G rollouts concurrently: every episode is an async function that waits for the
 * policy, and the engine batches waiting requests. Fixed states, which may be very many, run with bounded concurrency. A
 * failed episode is retried once, then dropped; too many failures stop the run. `statistics.ts` computes the metrics.
 */
import { setMaxListeners } from 'node:events';
import {
  AppError,
  type PolicyModel,
  type RunSpec,
  type SamplingParams,
  type Split,
  type Tokenizer,
  type Trajectory,
  type TrajectoryGroup,
} from '@espalier/contracts';
import type { AdaptiveSpec } from '@espalier/contracts/schedule-options';
import type { EnvironmentDefinition, UnscoredTrajectory } from '@espalier/plugin-kit';
import { encodePiece } from './chat-frame.js';
import { createContextFactory, validateTokenizer } from './context.js';
import { isFailedEpisode } from './episode-failure.js';
import type { EpisodePlayer } from './episode-player.js';
import { closeUnequal, findUnequalStarts } from './equal-starts.js';
import { checkFailedShare, createFailureCount } from './failed-share.js';
import { closeAlone, formGroups, listGreedySlots } from './form-groups.js';
import { type GroupRecord, listSlots, playRounds, type Slot } from './group-rounds.js';
import { type Gate, playBounded } from './play-bounded.js';
import { promptOptionsOf } from './prompt.js';
import { type EpisodeSetup, type RolloutAddress, runEpisode } from './rollout.js';
import { type BoundReward, closeFailed, closeUnscorable, scoreTrajectory } from './score.js';
import { rolloutSeeds } from './seeds.js';

/** Default concurrency for fixed states: keeps an engine busy, and contexts and caches fit in memory with a model. */
const defaultConcurrency = 512;

type SamplingChoice = Pick<SamplingParams, 'temperature' | 'topP' | 'topK'>;

/** What to collect, and the parts to do it with. */
export interface CollectRequest<Params> {
  /** seed of the run */
  readonly seed: number;
  readonly rollout: RunSpec['rollout'];
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  readonly tokenizer: Tokenizer;
  /** maximum sequence length of the engine */
  readonly contextLength: number;
  readonly environment: { readonly definition: EnvironmentDefinition<Params>; readonly params: Params };
  readonly rewards: readonly BoundReward[];
  /** plays the episodes in place of the built-in rollout */
  readonly play?: EpisodePlayer | undefined;
  /** in a run of several environments */
  readonly tag?: string | undefined;
  /** of a curriculum, from 1 */
  readonly level?: number | undefined;
  /** per group: index of its initial state among those of the split; default: no state repeats */
  readonly tasks?: readonly number[] | undefined;
  /** one more episode of each group is played greedily, along with the others; see form-groups.ts */
  readonly greedyBaseline?: boolean | undefined;
  /** where the groups of this environment stand among those of the step; default: it has all of them */
  readonly place?: GroupPlace | undefined;
  /** episodes wait here for those of other collections with the same environment */
  readonly gate?: Gate | undefined;
  readonly split: Split;
  /** step to sample for: from 1 in training; in validation, the completed iterations */
  readonly step: number;
  readonly signal?: AbortSignal;
  /** told of each turn as it is played, where the built-in rollout plays it */
  readonly onTurn?: EpisodeSetup['onTurn'];
  /** called after each episode */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The groups of one environment among those of a step. */
export interface GroupPlace {
  readonly first: number;
  /** groups of the step, of all environments */
  readonly total: number;
}

/** The collected trajectories. */
export interface Collection {
  /** groups with at least one trajectory; groups and trajectories in order */
  readonly groups: readonly TrajectoryGroup[];
  /** failed rollouts, for the record; never part of a group */
  readonly failed: readonly Trajectory[];
  /** number of rollouts, retries included */
  readonly rollouts: number;
  /** mean of each reward and reward metric over the trajectories that report it */
  readonly rewardMetrics: Readonly<Record<string, number>>;
  /** the reward metrics of each trajectory */
  readonly rewardRecords?: readonly Readonly<Record<string, number>>[];
  /** the same by tag, in a run of several environments */
  readonly tags?: ReadonlyMap<string, Collection>;
}

interface RolloutOutcome {
  readonly trajectory?: Trajectory;
  readonly metrics: Readonly<Record<string, number>>;
  readonly failed: readonly Trajectory[];
}

/**
 * Collects the groups of one iteration.
 * @throws rollout.too_many_errors, rollout.cancelled, rollout.unsupported_template
 */
export async function collectGroups<Params>(request: CollectRequest<Params>): Promise<Collection> {
  const { promptsPerStep, groupSize, adaptive } = request.rollout;
  const plan = { promptsPerStep, groupSize, adaptive, atOnce: promptsPerStep * episodesOf(request) };
  return collect(request, plan, request.rollout);
}

/** The episodes of a group, on average. */
export const episodesOf = ({
  rollout,
  greedyBaseline = false,
}: Pick<CollectRequest<unknown>, 'rollout' | 'greedyBaseline'>): number =>
  rollout.groupSize + Number(greedyBaseline);

/** How to play the fixed states; the results do not depend on the concurrency. */
export interface EpisodesChoice extends SamplingChoice {
  /** initial states */
  readonly episodes: number;
  /** index of the first state; default: 0 */
  readonly from?: number;
  /** episodes of each state, with draws of their own; default: 1 */
  readonly draws?: number;
  /** concurrent episodes; default: 512 */
  readonly atOnce?: number;
  /** reduces a scored trajectory to what is kept; default: all of it */
  readonly condense?: (trajectory: Trajectory) => Trajectory;
}

/**
 * Collects one trajectory, or `draws` of them, for each of the fixed initial states of validation or test.
 * @throws as {@link collectGroups}
 */
export async function collectEpisodes<Params>(
  request: CollectRequest<Params>,
  validation: EpisodesChoice,
): Promise<Collection> {
  const { episodes, from = 0, draws = 1, atOnce = defaultConcurrency, condense } = validation;
  const plan = { promptsPerStep: episodes, groupSize: draws, from, atOnce, condense };
  return collect(request, plan, validation);
}

/** The number of rollouts and their concurrency. */
interface EpisodePlan {
  readonly promptsPerStep: number;
  readonly groupSize: number;
  /** the first group */
  readonly from?: number;
  readonly atOnce: number;
  /** sizes follow what is sampled; `groupSize` is their mean */
  readonly adaptive?: AdaptiveSpec | undefined;
  readonly condense?: ((trajectory: Trajectory) => Trajectory) | undefined;
}

async function collect<Params>(
  request: CollectRequest<Params>,
  { promptsPerStep, groupSize, from = 0, atOnce, adaptive, condense }: EpisodePlan,
  choice: SamplingChoice,
): Promise<Collection> {
  const total = promptsPerStep * groupSize;
  let greedySlots = request.greedyBaseline === true ? listGreedySlots(promptsPerStep, request.rollout) : [];
  const episodes = total + greedySlots.length;
  const failures = createFailureCount(episodes, request.rollout.maxFailedShare);
  const signal = AbortSignal.any([
    failures.signal,
    ...(request.signal === undefined ? [] : [request.signal]),
  ]);
  // every reward that is waited for listens
  setMaxListeners(0, signal);
  const perGroup = groupSize + Number(request.greedyBaseline ?? false);
  const playEpisode = preparePlay(request, choice, perGroup, signal);
  let done = 0;
  const runRollout = async ({ own, index, isGreedy }: Slot): Promise<RolloutOutcome> => {
    const playOwn = (address: RolloutAddress) => playEpisode(address, isGreedy === true);
    const outcome = await runWithRetries(request, playOwn, signal, from + own, index, failures.count);
    done += 1;
    request.onProgress?.(done, episodes);
    const { trajectory } = outcome;
    if (condense === undefined || trajectory === undefined) return outcome;
    return { ...outcome, trajectory: condense(trajectory) };
  };
  const { definition, params } = request.environment;
  const most = definition.reads?.(params).episodes ?? atOnce;
  const greedy: RolloutOutcome[] = [];
  const play = async (slots: readonly Slot[]): Promise<RolloutOutcome[]> => {
    const all = [...slots, ...greedySlots];
    greedySlots = [];
    const { gate = (work) => work() } = request;
    const run = (place: number) => gate(() => runRollout(all[place] as Slot));
    const played = await playBounded(all.length, Math.min(atOnce, most), run, signal);
    greedy.push(...played.slice(slots.length));
    return played.slice(0, slots.length);
  };
  const outcomes =
    adaptive === undefined
      ? await play(listSlots(promptsPerStep, () => groupSize))
      : await playRounds(adaptive, { groups: promptsPerStep, total, play, recordOf, signal });
  if (request.signal?.aborted === true) {
    throw new AppError(
      'rollout.cancelled',
      `collect ${request.split} episodes of step ${request.step}: cancelled`,
    );
  }
  // what a program asks first is its own affair: it may begin with the time of day
  const all = [...outcomes, ...greedy];
  const starts = request.play === undefined ? all : [];
  const unequal = findUnequalStarts(starts.flatMap(({ trajectory }) => trajectory ?? []));
  const failed = [...all.flatMap((outcome) => outcome.failed), ...unequal.map(closeUnequal)];
  const excluded = new Set(unequal.map(({ trajectory }) => trajectory));
  const listWhole = (of: readonly RolloutOutcome[]) =>
    of.flatMap(({ trajectory, metrics }) =>
      trajectory === undefined || excluded.has(trajectory) ? [] : [{ trajectory, metrics }],
    );
  const [whole, wholeGreedy] = [listWhole(outcomes), listWhole(greedy)];
  const rollouts = whole.length + wholeGreedy.length + failed.length;
  const { tag, level, rollout } = request;
  checkFailedShare(failed, { rollouts, episodes: done, limit: rollout.maxFailedShare, tag, level });
  const { groups, alone } = formGroups(
    whole.map(({ trajectory }) => trajectory),
    wholeGreedy.map(({ trajectory }) => trajectory),
  );
  const rewardRecords = whole.map((outcome) => outcome.metrics);
  const rewardMetrics = meanByName(rewardRecords);
  return { groups, failed: [...failed, ...alone.map(closeAlone)], rollouts, rewardMetrics, rewardRecords };
}

/** What is known of a group; an episode that failed twice counts, and says nothing. */
function recordOf(outcomes: readonly RolloutOutcome[]): GroupRecord {
  const ended = outcomes.flatMap(({ trajectory }) => trajectory ?? []);
  const successes = ended.filter(({ success }) => success).length;
  return { size: outcomes.length, successes, failures: ended.length - successes };
}

/** How each episode of a collection is played. */
function preparePlay<Params>(
  request: CollectRequest<Params>,
  choice: SamplingChoice,
  groupSize: number,
  signal: AbortSignal,
): (address: RolloutAddress, isGreedy: boolean) => Promise<UnscoredTrajectory> {
  const { play, rollout, environment, tag, level, contextLength } = request;
  if (play === undefined) {
    const setup = { ...prepareEpisodes(request, choice, groupSize), signal };
    const greedy = { ...setup, sampling: { ...setup.sampling, temperature: 0 } };
    return (address, isGreedy) => runEpisode(isGreedy ? greedy : setup, address);
  }
  const { topP, topK } = choice;
  return ({ retry: _, ...address }, isGreedy) =>
    play({
      rollout: { environment: environment.definition.id, tag, level, ...address },
      sampling: {
        temperature: isGreedy ? 0 : choice.temperature,
        topP,
        topK,
        maxTokens: rollout.maxResponseTokens,
      },
      contextTokens: Math.min(rollout.contextTokens ?? contextLength, contextLength),
      maxCalls: rollout.maxTurns,
      signal,
    });
}

/** The settings that all episodes of a collection share. */
export function prepareEpisodes<Params>(
  request: CollectRequest<Params>,
  choice: SamplingChoice,
  groupSize: number,
): EpisodeSetup {
  const { rollout, tokenizer, environment, contextLength } = request;
  validateTokenizer(tokenizer);
  const { definition, params } = environment;
  const { maxResponseTokens, stopSequences } = rollout;
  const { temperature, topP, topK } = choice;
  const reads = definition.reads?.(params);
  return {
    environment: definition.id,
    tag: request.tag,
    level: request.level,
    create: () => definition.create(params),
    contexts: createContextFactory(tokenizer, promptOptionsOf(definition, params, rollout)),
    policy: request.policy,
    sharesPrompt: groupSize > 1,
    sampling: {
      temperature,
      topP,
      topK,
      maxTokens: maxResponseTokens,
      stopTokens: tokenizer.stopTokens,
      stopSequences: stopSequences.map((text) => [...encodePiece(tokenizer, text, undefined)]),
    },
    contextTokens: Math.min(rollout.contextTokens ?? contextLength, contextLength),
    format: rollout.format,
    formatPenalty: rollout.formatPenalty,
    environmentTimeoutMs: rollout.environmentTimeoutMs,
    plans: rollout.plans && reads?.plans !== false,
    images: rollout.images,
    ownActions: reads?.actions,
    onTurn: request.onTurn,
    signal: request.signal,
  };
}

/** Runs one rollout and, if it fails, retries it with fresh environment noise. */
async function runWithRetries<Params>(
  request: CollectRequest<Params>,
  play: (address: RolloutAddress) => Promise<UnscoredTrajectory>,
  signal: AbortSignal,
  own: number,
  index: number,
  onFailed: () => void,
): Promise<RolloutOutcome> {
  const { seed: runSeed, split, step, place = { first: 0, total: request.rollout.promptsPerStep } } = request;
  const group = place.first + own;
  const failed: Trajectory[] = [];
  for (let retry = 0; retry < 2; retry++) {
    const environment = request.environment.definition.id;
    const seeds = rolloutSeeds({
      runSeed,
      split,
      environment,
      step,
      promptsPerStep: place.total,
      // fixed states are numbered by environment, so that they are the same whatever else is validated
      group: split === 'train' ? group : own,
      index,
      retry,
      noiseSeed: request.rollout.noiseSeed,
      task: request.tasks?.[own],
    });
    const unscored = await play({ split, step, group, index, retry, seeds });
    if (unscored.stopReason === 'cancelled') return { metrics: {}, failed };
    if (isFailedEpisode(unscored)) {
      failed.push(closeFailed(unscored));
      onFailed();
      continue;
    }
    try {
      return { ...(await scoreTrajectory(unscored, request.rewards, signal)), failed };
    } catch (thrown) {
      const isStopped = request.signal?.aborted === true || thrown === signal.reason;
      if (isStopped && signal.aborted) return { metrics: {}, failed };
      failed.push(closeUnscorable(unscored, thrown));
      onFailed();
    }
  }
  return { metrics: {}, failed };
}

/** Computes the mean of each name over the records that have it. */
export function meanByName(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const known = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: known.sum + value, count: known.count + 1 });
    }
  }
  return Object.fromEntries([...sums].map(([name, { sum, count }]) => [name, sum / count]));
}
