/**
 * @file An evaluation as data: the outcome of each state, and the rates computed from them.
 */
import { AppError, defineMetric, type StopReason, type Trajectory } from '@espalier/contracts';
import { type Collection, mergeTags, rolloutMetrics } from '@espalier/rollout';
import { bootstrapMean, wilsonInterval } from '@espalier/rollout/estimates';

/** The outcome of one state. */
export interface EpisodeOutcome {
  /** in a run of several environments, or where others are validated */
  readonly tag?: string;
  /** identifies the initial state; equal seeds are the same state */
  readonly stateSeed: number;
  readonly success: boolean;
  /** raw total of the score record */
  readonly total: number;
  readonly stopReason: StopReason;
  readonly turns: number;
  readonly actions: number;
  /** share of turns with a valid format */
  readonly formatShare: number;
}

/** A success rate with its interval; null where no episode was completed. */
interface SuccessRate<Rate = number> {
  readonly episodes: number;
  /** episodes that failed or timed out; no rate includes them */
  readonly failed: number;
  readonly successRate: Rate;
  /** 95 % Wilson interval of the success rate */
  readonly successLow: Rate;
  readonly successHigh: Rate;
}

export interface Evaluation extends SuccessRate {
  /** of the trained environments; several are joined by ` + ` */
  readonly environment: string;
  /** by name under `validation/` */
  readonly metrics: Readonly<Record<string, number>>;
  /** of all environments; see {@link trainedOutcomes} */
  readonly outcomes: readonly EpisodeOutcome[];
  /** one for each tag; absent for a single environment */
  readonly tags?: readonly TagEvaluation[];
}

/** The success on the fixed states of one tag. */
export interface TagEvaluation extends SuccessRate<number | null> {
  readonly tag: string;
  readonly environment: string;
  /** whether the run learns from it */
  readonly trained: boolean;
  /** the tag is an earlier level of a curriculum, this one from 1 */
  readonly level?: number;
  /** why nothing was measured; the rates are then null */
  readonly error?: string;
}

/** What was collected of an environment, or why nothing was. */
export interface TagResult {
  readonly tag: string | undefined;
  readonly environment: string;
  readonly trained: boolean;
  /** an earlier level of a curriculum, from 1 */
  readonly level?: number | undefined;
  readonly collection: Collection | Error;
}

for (const side of ['low', 'high']) {
  defineMetric({
    name: `validation/success_${side}`,
    unit: 'probability',
    formula: `${side === 'low' ? 'lower' : 'upper'} end of the 95 % Wilson interval of validation/success_rate`,
  });
  defineMetric({
    name: `validation/reward_${side}`,
    unit: '1',
    formula: `${side === 'low' ? 'lower' : 'upper'} end of the 95 % bootstrap interval of validation/reward_mean`,
  });
}
/** Reduces a trajectory to the outcome that comparisons need. */
export function outcomeOf(trajectory: Trajectory): EpisodeOutcome {
  const { turns } = trajectory;
  const valid = turns.filter((turn) => turn.formatValid).length;
  return {
    ...(trajectory.environmentTag === undefined ? {} : { tag: trajectory.environmentTag }),
    stateSeed: trajectory.seeds.state,
    success: trajectory.success,
    total: trajectory.score.total,
    stopReason: trajectory.stopReason,
    turns: turns.length,
    actions: turns.reduce((sum, turn) => sum + turn.actions.length, 0),
    formatShare: turns.length === 0 ? 0 : valid / turns.length,
  };
}

/**
 * The outcomes in the environments that the run learns from. Whatever is said of a run as a whole is said of these;
 * environments that are only validated have their own numbers.
 */
export function trainedOutcomes({
  outcomes,
  tags = [],
}: Pick<Evaluation, 'outcomes' | 'tags'>): readonly EpisodeOutcome[] {
  const others = new Set(tags.flatMap(({ tag, trained }) => (trained ? [] : [tag])));
  return outcomes.filter(({ tag }) => tag === undefined || !others.has(tag));
}

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/**
 * Summarizes what was collected of each environment, one trajectory per state. Rates and metrics of the whole are over
 * the trained environments.
 *
 * @throws rollout.too_many_errors when every episode of a trained environment failed
 */
export function summarizeEvaluation(results: readonly TagResult[]): Evaluation {
  const trained = results.filter((one) => one.trained);
  const environment = trained.map((one) => one.environment).join(' + ');
  const collections = trained.flatMap(({ tag, collection }): (readonly [string | undefined, Collection])[] =>
    collection instanceof Error ? [] : [[tag, collection]],
  );
  for (const [tag, collection] of collections) validateMeasured(environment, tag, collection);
  const [first] = collections;
  const whole =
    first !== undefined && first[0] === undefined
      ? first[1]
      : mergeTags(collections.map(([tag = '', collection]) => [tag, collection]));
  const hasTags = results.some(({ tag }) => tag !== undefined);
  const outcomes = results.flatMap(({ collection }) =>
    collection instanceof Error ? [] : outcomesOf(collection),
  );
  const rate = rateOf(whole);
  const reward = bootstrapMean(outcomesOf(whole).map(({ total }) => total));
  const others = results.filter((one) => !one.trained);
  return {
    environment,
    ...rate,
    metrics: {
      ...rolloutMetrics(whole, 'validation'),
      'validation/success_low': rate.successLow,
      'validation/success_high': rate.successHigh,
      'validation/reward_low': reward.low,
      'validation/reward_high': reward.high,
      ...Object.assign({}, ...results.map(intervalMetrics)),
      ...Object.assign({}, ...others.map(otherMetrics)),
    },
    outcomes,
    ...(hasTags ? { tags: results.flatMap(tagEvaluation) } : {}),
  };
}

const outcomesOf = ({ groups }: Collection): EpisodeOutcome[] =>
  groups.flatMap((group) => group.trajectories.map(outcomeOf));

function validateMeasured(environment: string, tag: string | undefined, collection: Collection): void {
  if (collection.groups.length > 0) return;
  const reason = collection.failed[0]?.error ?? 'no episode was run';
  throw new AppError(
    'rollout.too_many_errors',
    `evaluate on ${tag === undefined ? environment : `tag ${tag}`}: all ${collection.rollouts} episodes failed, the first with "${reason}"; expected at least one that completes`,
  );
}

function rateOf(collection: Collection): SuccessRate {
  const outcomes = outcomesOf(collection);
  const episodes = outcomes.length;
  const successes = outcomes.filter((outcome) => outcome.success).length;
  const { low, high } = wilsonInterval(successes, episodes);
  return {
    episodes,
    failed: collection.failed.length,
    successRate: successes / episodes,
    successLow: low,
    successHigh: high,
  };
}

function tagEvaluation({ tag, environment, trained, level, collection }: TagResult): TagEvaluation[] {
  if (tag === undefined) return [];
  const at = level === undefined ? {} : { level };
  if (!(collection instanceof Error) && collection.groups.length > 0)
    return [{ tag, environment, trained, ...at, ...rateOf(collection) }];
  const error =
    collection instanceof Error ? collection.message : (collection.failed[0]?.error ?? 'no episode was run');
  const failed = collection instanceof Error ? 0 : collection.failed.length;
  const nothing = { episodes: 0, failed, successRate: null, successLow: null, successHigh: null };
  return [{ tag, environment, trained, ...at, ...nothing, error }];
}

/** The interval of each tag, beside the metrics that its trajectories have in common with the whole. */
function intervalMetrics({ tag, collection }: TagResult): Record<string, number> {
  if (tag === undefined || collection instanceof Error || collection.groups.length === 0) return {};
  const { successLow, successHigh } = rateOf(collection);
  return {
    [`tag/${tag}/validation/success_low`]: successLow,
    [`tag/${tag}/validation/success_high`]: successHigh,
  };
}

/** The metrics of an environment that is only validated, which the whole does not contain. */
function otherMetrics({ tag = '', collection }: TagResult): Record<string, number> {
  if (collection instanceof Error || collection.groups.length === 0) return {};
  const values = rolloutMetrics(collection, 'validation');
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`tag/${tag}/${name}`, value]));
}
