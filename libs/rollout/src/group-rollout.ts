/**
 * @file P initial states × G attempts, all at once: every episode is an async function that waits for the policy,
 * and the engine decodes together what waits together. Of fixed states, which may be very many, some at a time. A failed episode is replaced once, then dropped; too many
 * failures stop the run. Metrics are in `statistics.ts`.
 */
import {
  AppError,
  isAppError,
  type PolicyModel,
  type RunSpec,
  type SamplingParams,
  type Split,
  type Tokenizer,
  type Trajectory,
  type TrajectoryGroup,
} from '@espalier/contracts';
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { encodePiece } from './chat-frame.js';
import { createContextFactory, validateTokenizer } from './context.js';
import { closeUnequal, findUnequalStarts } from './equal-starts.js';
import { playBounded } from './play-bounded.js';
import { type EpisodeSetup, runEpisode } from './rollout.js';
import { type BoundReward, closeFailed, scoreTrajectory } from './score.js';
import { rolloutSeeds } from './seeds.js';

/** Of fixed states: rows enough to keep an engine busy, whose contexts and caches fit beside a model. */
const usualAtOnce = 512;

type SamplingChoice = Pick<SamplingParams, 'temperature' | 'topP' | 'topK'>;

/** What to collect, and with what. */
export interface CollectRequest<Params> {
  /** seed of the run */
  readonly seed: number;
  readonly rollout: RunSpec['rollout'];
  readonly policy: Pick<PolicyModel, 'sample' | 'release'>;
  readonly tokenizer: Tokenizer;
  /** longest sequence the engine takes */
  readonly contextLength: number;
  readonly environment: { readonly definition: EnvironmentDefinition<Params>; readonly params: Params };
  readonly rewards: readonly BoundReward[];
  readonly split: Split;
  /** completed iterations once these trajectories are learned from; in validation, before them */
  readonly step: number;
  readonly signal?: AbortSignal;
  /** called after each episode */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What came of it. */
export interface Collection {
  /** groups with at least one member, in order; members in order */
  readonly groups: readonly TrajectoryGroup[];
  /** failed attempts, for the record; never part of a group */
  readonly failed: readonly Trajectory[];
  /** attempts run, replacements included */
  readonly attempts: number;
  /** mean of each reward and reward metric over the trajectories that report it */
  readonly rewardMetrics: Readonly<Record<string, number>>;
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
  const { promptsPerStep, groupSize } = request.rollout;
  return collect(request, { promptsPerStep, groupSize, atOnce: promptsPerStep * groupSize }, request.rollout);
}

/** Fixed states: how many, and how they are played; what comes of them is the same however many are played at once. */
export interface EpisodesChoice extends SamplingChoice {
  readonly episodes: number;
  /** episodes under way at the same time; default: 512 */
  readonly atOnce?: number;
  /** what is kept of an attempt once it is scored; default: all of it */
  readonly condense?: (trajectory: Trajectory) => Trajectory;
}

/**
 * Collects one attempt at each of the fixed initial states of validation or test.
 * @throws as {@link collectGroups}
 */
export async function collectEpisodes<Params>(
  request: CollectRequest<Params>,
  validation: EpisodesChoice,
): Promise<Collection> {
  const { episodes, atOnce = usualAtOnce, condense } = validation;
  return collect(request, { promptsPerStep: episodes, groupSize: 1, atOnce, condense }, validation);
}

/** How many attempts, and how many of them at once. */
interface Extent {
  readonly promptsPerStep: number;
  readonly groupSize: number;
  readonly atOnce: number;
  readonly condense?: ((trajectory: Trajectory) => Trajectory) | undefined;
}

async function collect<Params>(
  request: CollectRequest<Params>,
  { promptsPerStep, groupSize, atOnce, condense }: Extent,
  choice: SamplingChoice,
): Promise<Collection> {
  const total = promptsPerStep * groupSize;
  const hopeless = createFailureCount(total, request.rollout.maxFailedShare);
  const signal = AbortSignal.any([
    hopeless.signal,
    ...(request.signal === undefined ? [] : [request.signal]),
  ]);
  const setup = { ...prepareEpisodes(request, choice, groupSize), signal };
  let done = 0;
  const runRollout = async (index: number): Promise<RolloutOutcome> => {
    const outcome = await runWithRetries(
      request,
      setup,
      promptsPerStep,
      Math.floor(index / groupSize),
      index % groupSize,
      hopeless.count,
    );
    done += 1;
    request.onProgress?.(done, total);
    const { trajectory } = outcome;
    if (condense === undefined || trajectory === undefined) return outcome;
    return { ...outcome, trajectory: condense(trajectory) };
  };
  const outcomes = await playBounded(total, atOnce, runRollout, signal);
  if (request.signal?.aborted === true) {
    throw new AppError(
      'rollout.cancelled',
      `collect ${request.split} episodes of step ${request.step}: cancelled`,
    );
  }
  const unequal = findUnequalStarts(outcomes.flatMap(({ trajectory }) => trajectory ?? []));
  const failed = [...outcomes.flatMap((outcome) => outcome.failed), ...unequal.map(closeUnequal)];
  const apart = new Set(unequal.map(({ trajectory }) => trajectory));
  const whole = outcomes.filter(({ trajectory }) => trajectory !== undefined && !apart.has(trajectory));
  const attempts = whole.length + failed.length;
  checkFailedShare(failed, { attempts, episodes: total, limit: request.rollout.maxFailedShare });
  const trajectories = whole.flatMap(({ trajectory }) => (trajectory === undefined ? [] : [trajectory]));
  const rewardMetrics = meanByName(whole.map((outcome) => outcome.metrics));
  return { groups: formGroups(trajectories), failed, attempts, rewardMetrics };
}

function prepareEpisodes<Params>(
  request: CollectRequest<Params>,
  choice: SamplingChoice,
  groupSize: number,
): EpisodeSetup {
  const { rollout, tokenizer, environment, contextLength } = request;
  validateTokenizer(tokenizer);
  const { definition, params } = environment;
  const { maxTurns, maxActions, maxActionsPerTurn, maxResponseTokens, think, stopSequences, template } =
    rollout;
  const { temperature, topP, topK } = choice;
  return {
    environment: definition.id,
    create: () => definition.create(params),
    contexts: createContextFactory(tokenizer, {
      instruction: definition.instruction(params),
      limits: { maxTurns, maxActions, maxActionsPerTurn },
      think,
      maxResponseTokens,
      template,
    }),
    policy: request.policy,
    sharesPrompt: groupSize > 1,
    sampling: {
      ...{ temperature, topP, topK, maxTokens: maxResponseTokens },
      stopTokens: tokenizer.stopTokens,
      stopSequences: stopSequences.map((text) => [...encodePiece(tokenizer, text, undefined)]),
    },
    contextTokens: Math.min(rollout.contextTokens ?? contextLength, contextLength),
    format: rollout.format,
    formatPenalty: rollout.formatPenalty,
    environmentTimeoutMs: rollout.environmentTimeoutMs,
    signal: request.signal,
  };
}

/** One member: its episode, or its replacement with fresh environment noise when that failed. */
async function runWithRetries<Params>(
  request: CollectRequest<Params>,
  setup: EpisodeSetup,
  promptsPerStep: number,
  group: number,
  index: number,
  onFailed: () => void,
): Promise<RolloutOutcome> {
  const { seed: runSeed, split, step } = request;
  const failed: Trajectory[] = [];
  for (let retry = 0; retry < 2; retry++) {
    const { environment } = setup;
    const seeds = rolloutSeeds({
      ...{ runSeed, split, environment, step, promptsPerStep, group, index, retry },
      noiseSeed: request.rollout.noiseSeed,
    });
    const unscored = await runEpisode(setup, { split, step, group, index, retry, seeds });
    if (unscored.stopReason === 'cancelled') return { metrics: {}, failed };
    if (unscored.stopReason === 'error' || unscored.stopReason === 'timeout') {
      failed.push(closeFailed(unscored));
      onFailed();
      continue;
    }
    try {
      return { ...(await scoreTrajectory(unscored, request.rewards)), failed };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      const isLate = isAppError(thrown) && thrown.code === 'plugin.timeout';
      failed.push(
        closeFailed({ ...unscored, stopReason: isLate ? 'timeout' : 'error', success: false, error }),
      );
      onFailed();
    }
  }
  return { metrics: {}, failed };
}

/** Stops the collection as soon as its share of failures is past the limit even if all that is left succeeds. */
function createFailureCount(
  episodes: number,
  limit: number,
): { readonly signal: AbortSignal; readonly count: () => void } {
  const controller = new AbortController();
  let failed = 0;
  const count = (): void => {
    failed += 1;
    if (failed / (failed + episodes) > limit) controller.abort();
  };
  return { signal: controller.signal, count };
}

function checkFailedShare(
  failed: readonly Trajectory[],
  { attempts, episodes, limit }: { attempts: number; episodes: number; limit: number },
): void {
  if (failed.length === 0 || failed.length / attempts <= limit) return;
  const first = failed[0];
  throw new AppError(
    'rollout.too_many_errors',
    `collect ${episodes} episodes: ${failed.length} of ${attempts} attempts failed (a failed episode is tried once more), past the share ${limit}; first: ${first?.error ?? 'unknown'}`,
    { details: { failed: failed.length, attempts, limit, first: first?.id } },
  );
}

function formGroups(trajectories: readonly Trajectory[]): TrajectoryGroup[] {
  const groups = new Map<number, Trajectory[]>();
  for (const trajectory of trajectories) {
    const known = groups.get(trajectory.group);
    if (known === undefined) groups.set(trajectory.group, [trajectory]);
    else known.push(trajectory);
  }
  return [...groups].flatMap(([group, trajectories]) => {
    const first = trajectories[0];
    if (first === undefined) return [];
    return [{ group, environment: first.environment, stateSeed: first.seeds.state, trajectories }];
  });
}

/** Mean of each name over the records that have it. */
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
