/**
 * @file Completes a trajectory with its score record: the value and weight of every reward, and the score of each turn.
 * The record is frozen; later filtering, normalization and weighting compute new numbers.
 */
import { AppError, hasCode, type ScoreRecord, type Trajectory, type Turn } from '@espalier/contracts';
import type { RewardDefinition, RewardResult, UnscoredTrajectory } from '@espalier/plugin-kit';
import { classifyFailure } from './episode-failure.js';

/** A reward with its options filled in. */
export interface BoundReward {
  readonly id: string;
  readonly weight: number;
  readonly score: (
    trajectory: UnscoredTrajectory,
    signal?: AbortSignal,
  ) => RewardResult | Promise<RewardResult>;
}

/** Binds a reward definition to its options and weight. */
export function bindReward<Params>(
  definition: RewardDefinition<Params>,
  params: Params,
  weight: number,
): BoundReward {
  return {
    id: definition.id,
    weight,
    score: (trajectory, signal) => definition.score(trajectory, params, signal),
  };
}

/** A scored trajectory and the metrics of its rewards. */
export interface ScoredTrajectory {
  readonly trajectory: Trajectory;
  /** by full name, `reward/<id>/<metric>` */
  readonly metrics: Readonly<Record<string, number>>;
}

const sumOf = (turns: readonly Turn[], key: 'reward' | 'formatPenalty'): number =>
  turns.reduce((sum, turn) => sum + turn[key], 0);

function freezeScore(
  turns: readonly Turn[],
  perTurn: number[],
  rewards: Record<string, { value: number; weight: number }>,
  evidence: NonNullable<ScoreRecord['evidence']> = [],
): ScoreRecord {
  for (const entry of [...Object.values(rewards), ...evidence]) Object.freeze(entry);
  return Object.freeze({
    environment: sumOf(turns, 'reward'),
    formatPenalty: sumOf(turns, 'formatPenalty'),
    rewards: Object.freeze(rewards),
    perTurn: Object.freeze(perTurn),
    ...(evidence.length === 0 ? {} : { evidence: Object.freeze(evidence) }),
    total: perTurn.reduce((sum, value) => sum + value, 0),
  });
}

function checkPerTurn(id: string, trajectory: UnscoredTrajectory, perTurn: readonly number[]): void {
  const finding =
    perTurn.length !== trajectory.turns.length
      ? `${perTurn.length} values for ${trajectory.turns.length} turns; expected one per turn`
      : perTurn.every(Number.isFinite)
        ? undefined
        : `values [${perTurn.join(', ')}]; rewards must be finite`;
  if (finding === undefined) return;
  throw new AppError('plugin.failed', `reward ${id}: score() of "${trajectory.id}" returned ${finding}`);
}

/**
 * Scores an episode that did not fail. The second use of a reward has the key `<id>-2`.
 * @throws plugin.failed when a reward returns the wrong number of values or one that is not finite; the reason of
 *         `signal`, without waiting for a reward that does not mind it
 */
export async function scoreTrajectory(
  trajectory: UnscoredTrajectory,
  rewards: readonly BoundReward[],
  signal?: AbortSignal,
): Promise<ScoredTrajectory> {
  const perTurn = trajectory.turns.map(() => 0);
  const values: Record<string, { value: number; weight: number }> = {};
  const metrics: Record<string, number> = {};
  const evidence: NonNullable<ScoreRecord['evidence']>[number][] = [];
  for (const { id, weight, score } of rewards) {
    let key = id;
    for (let count = 2; Object.hasOwn(values, key); count++) key = `${id}-${count}`;
    const result = await unlessAborted(score(trajectory, signal), signal);
    checkPerTurn(key, trajectory, result.perTurn);
    let value = 0;
    for (const [turn, amount] of result.perTurn.entries()) {
      value += amount;
      perTurn[turn] = (perTurn[turn] ?? 0) + weight * amount;
    }
    values[key] = { value, weight };
    metrics[`reward/${key}`] = value;
    for (const one of result.evidence ?? []) evidence.push({ ...one, reward: key });
    for (const [name, number] of Object.entries(result.metrics ?? {}))
      metrics[`reward/${key}/${name}`] = number;
  }
  const score = freezeScore(trajectory.turns, perTurn, values, evidence);
  return { trajectory: { ...withoutHints(trajectory), score }, metrics };
}

/** Waits for a result, but not beyond an abort. */
function unlessAborted<T>(result: T | Promise<T>, signal: AbortSignal | undefined): T | Promise<T> {
  if (signal === undefined || !(result instanceof Promise)) return result;
  let leave = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
  return Promise.race([result, aborted]).finally(() => signal.removeEventListener('abort', leave));
}

/** A trajectory without its score; rewards also get `thinkParts`, which are not kept. */
type Unfinished = Omit<Trajectory, 'score'> & Partial<Pick<UnscoredTrajectory, 'thinkParts'>>;

/** Completes a failed trajectory: its score is 0, and it never enters a batch. */
export function closeFailed(trajectory: Unfinished): Trajectory {
  const perTurn = trajectory.turns.map(() => 0);
  return { ...withoutHints(trajectory), score: freezeScore(trajectory.turns, perTurn, {}) };
}

/**
 * Completes a trajectory that a reward could not score.
 *
 * @throws plugin.budget_exhausted as it is: more episodes would not help; the run stops, and may be resumed with more
 */
export function closeUnscorable(trajectory: UnscoredTrajectory, thrown: unknown): Trajectory {
  if (hasCode(thrown, 'plugin.budget_exhausted')) throw thrown;
  const error = thrown instanceof Error ? thrown.message : String(thrown);
  const stopReason = classifyFailure(thrown, undefined);
  return closeFailed({ ...trajectory, stopReason, success: false, labels: [], error });
}

function withoutHints({ thinkParts: _, ...rest }: Unfinished): Omit<Trajectory, 'score'> {
  return rest;
}
