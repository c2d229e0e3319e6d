/**
 * @file The entry `@espalier/trainer/continue`: how likely success is from each turn of a stored trajectory: a model continues from there several times. The first
 * turn from which the rate falls is where the trajectory turned.
 */
import {
  AppError,
  type PolicyEngine,
  type RunSpec,
  type Tokenizer,
  type Trajectory,
} from '@espalier/contracts';
import { listEnvironments, type TaggedSpec } from '@espalier/contracts/mixing';
import { loadTokenizer } from '@espalier/model';
import { continueTurn } from '@espalier/rollout/continue';
import { wilsonInterval } from '@espalier/rollout/estimates';
import { bindEnvironment, bindRewards, type PluginLookup, rolloutOf } from './bind-plugins.js';
import { type EpisodeOutcome, outcomeOf } from './evaluation.js';
import { openSamplingEngine } from './models.js';

export interface ContinueRequest {
  readonly spec: RunSpec;
  readonly registry: PluginLookup;
  /** a model in Hugging Face layout, with the tokenizer of the one that played */
  readonly folder: string;
  /** of the adapter in the folder */
  readonly base?: string | undefined;
  /** default: the embedded engine on `folder`, disposed afterwards; the caller disposes its own */
  readonly engine?: PolicyEngine;
  readonly tokenizer?: Tokenizer;
  readonly trajectory: Trajectory;
  /** from 0, each once; default: all */
  readonly turns?: readonly number[] | undefined;
  /** continuations of each turn */
  readonly episodes: number;
  /** default: that of training */
  readonly temperature?: number | undefined;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** What came of the continuations from one turn. */
export interface ContinuedTurn {
  /** from 0 */
  readonly turn: number;
  /** continuations that completed */
  readonly episodes: number;
  /** those that failed or timed out; no rate includes them */
  readonly failed: number;
  /** null: none completed, as below */
  readonly successRate: number | null;
  /** 95 % Wilson interval of the success rate */
  readonly successLow: number | null;
  readonly successHigh: number | null;
  /** mean total of the whole trajectory, what was earned before the turn included */
  readonly rewardMean: number | null;
  readonly outcomes: readonly EpisodeOutcome[];
}

export interface ContinuedTrajectory {
  readonly environment: string;
  readonly trajectory: string;
  readonly temperature: number;
  /** over all turns, as below */
  readonly episodes: number;
  readonly failed: number;
  readonly successRate: number;
  readonly successLow: number;
  readonly successHigh: number;
  readonly continued: readonly ContinuedTurn[];
}

const concurrent = 128;

/**
 * Lets a model continue from turns of a trajectory.
 *
 * @throws rollout.not_repeatable, rollout.cancelled, contracts.invalid_value for a turn that it does not have,
 *         rollout.too_many_errors where no continuation completed, and what opening the model throws
 */
export async function continueTrajectory(request: ContinueRequest): Promise<ContinuedTrajectory> {
  const { registry, folder, trajectory, episodes, signal } = request;
  const turns = request.turns ?? trajectory.turns.map(({ index }) => index);
  checkTurns(trajectory, turns);
  const { spec, tag, level } = findEnvironment(request.spec, trajectory);
  const engine = request.engine ?? (await openSamplingEngine(folder, request.spec, request.base));
  const { temperature = spec.rollout.temperature } = request;
  const { topP, topK } = spec.rollout;
  try {
    const parts = {
      seed: spec.seed,
      rollout: rolloutOf(spec),
      policy: engine.policy,
      tokenizer: request.tokenizer ?? loadTokenizer(folder),
      contextLength: engine.description.contextLength,
      environment: bindEnvironment(spec, registry),
      rewards: bindRewards(spec, registry),
      tag,
      level,
      ...(signal === undefined ? {} : { signal }),
    };
    const continued: ContinuedTurn[] = [];
    let error: string | undefined;
    for (const turn of turns) {
      const before = continued.length * episodes;
      const onProgress = (done: number) => request.onProgress?.(before + done, turns.length * episodes);
      const choice = { turn, episodes, atOnce: concurrent, temperature, topP, topK };
      const { trajectories, failed } = await continueTurn({ ...parts, onProgress }, trajectory, choice);
      error ??= failed[0]?.error;
      continued.push(summarize(turn, trajectories, failed.length));
    }
    const whole = rateOf(continued, trajectory.id, error);
    return { environment: spec.environment.use, trajectory: trajectory.id, temperature, ...whole, continued };
  } finally {
    if (request.engine === undefined) await engine.dispose();
  }
}

function checkTurns({ id, turns }: Trajectory, wanted: readonly number[]): void {
  const strange = wanted.find((turn) => !Number.isInteger(turn) || turn < 0 || turn >= turns.length);
  if (strange === undefined && wanted.length > 0) return;
  throw new AppError(
    'contracts.invalid_value',
    `continue ${id}: ${strange === undefined ? 'it has no turn' : `it has no turn ${strange}`}; its turns are ${turns.length === 0 ? 'none, as it failed before the first' : `0..${turns.length - 1}`}`,
  );
}

/** The environment that a trajectory was played in. */
function findEnvironment(spec: RunSpec, { id, environmentTag, level }: Trajectory): TaggedSpec {
  const found = listEnvironments(spec).find((one) => one.tag === environmentTag && one.level === level);
  if (found !== undefined) return found;
  const what = [`tag ${environmentTag ?? 'none'}`, `level ${level ?? 'none'}`].join(', ');
  throw new AppError(
    'contracts.invalid_value',
    `continue ${id}: the configuration has no environment with ${what}; give that of the run which played it`,
  );
}

function summarize(turn: number, trajectories: readonly Trajectory[], failed: number): ContinuedTurn {
  const outcomes = trajectories.map(outcomeOf);
  const episodes = outcomes.length;
  if (episodes === 0)
    return {
      turn,
      episodes,
      failed,
      successRate: null,
      successLow: null,
      successHigh: null,
      rewardMean: null,
      outcomes,
    };
  const successes = outcomes.filter(({ success }) => success).length;
  const { low, high } = wilsonInterval(successes, episodes);
  return {
    turn,
    episodes,
    failed,
    successRate: successes / episodes,
    successLow: low,
    successHigh: high,
    rewardMean: outcomes.reduce((sum, { total }) => sum + total, 0) / episodes,
    outcomes,
  };
}

function rateOf(
  continued: readonly ContinuedTurn[],
  id: string,
  error: string | undefined,
): Pick<ContinuedTrajectory, 'episodes' | 'failed' | 'successRate' | 'successLow' | 'successHigh'> {
  const sum = (of: (one: ContinuedTurn) => number): number =>
    continued.reduce((total, one) => total + of(one), 0);
  const episodes = sum((one) => one.episodes);
  const failed = sum((one) => one.failed);
  if (episodes === 0)
    throw new AppError(
      'rollout.too_many_errors',
      `continue ${id}: all ${failed} continuations failed, the first with "${error ?? 'unknown'}"; expected at least one that completes`,
    );
  const successes = sum(({ outcomes }) => outcomes.filter(({ success }) => success).length);
  const { low: successLow, high: successHigh } = wilsonInterval(successes, episodes);
  return { episodes, failed, successRate: successes / episodes, successLow, successHigh };
}
