/**
 * @file How much of the differences within a group is the environment's chance: the actions of each trajectory are
 * repeated from its state under other noise seeds, and the variance of what they earn is averaged over the group. By the
 * law of total variance, Var(R) = Var(E[R | actions]) + E[Var(R | actions)]; this is the second part.
 *
 * Approximations: the actions are repeated as they were, though an agent would react to what chance does; where the
 * original ended early, so do the repetitions; and only the reward `environment-return` is repeated.
 */
import { AppError, type RunSpec, type Trajectory, type TrajectoryGroup } from '@espalier/contracts';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { deriveSeed } from '@espalier/random';
import { playBounded } from './play-bounded.js';
import { withTimeLimit } from './time-limit.js';

export interface ReplayRequest {
  readonly create: () => EnvironmentInstance;
  /** noise seeds per trajectory, 2 or more */
  readonly noiseSeeds: number;
  /** of the environment's return in the total */
  readonly weight: number;
  readonly rollout: Pick<RunSpec['rollout'], 'environmentTimeoutMs' | 'maxFailedShare'>;
  /** most episodes at once */
  readonly atOnce: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ChanceEstimate {
  /** per group: the variance of the totals that chance explains */
  readonly variances: readonly number[];
  /** environment steps that this took */
  readonly steps: number;
  /** repetitions that failed, and were left out */
  readonly failed: number;
}

/** Estimates what chance explains in each group. @throws rollout.too_many_errors, rollout.cancelled */
export async function estimateChance(
  groups: readonly TrajectoryGroup[],
  request: ReplayRequest,
): Promise<ChanceEstimate> {
  const { noiseSeeds, weight, rollout, atOnce, signal } = request;
  const played = groups.flatMap(({ trajectories }) => trajectories);
  const total = played.length * noiseSeeds;
  let steps = 0;
  let failure: unknown;
  const replay = async (place: number): Promise<number | undefined> => {
    const trajectory = played[Math.floor(place / noiseSeeds)] as Trajectory;
    try {
      return weight * (await replayOnce(trajectory, place % noiseSeeds, request, () => (steps += 1)));
    } catch (error) {
      failure ??= error;
      return undefined;
    }
  };
  const returns = await playBounded(total, atOnce, replay, signal);
  if (signal?.aborted === true) throw new AppError('rollout.cancelled', 'repeat actions: cancelled');
  const failed = returns.filter((value) => value === undefined).length;
  if (failed / Math.max(1, total) > rollout.maxFailedShare)
    throw new AppError(
      'rollout.too_many_errors',
      `repeat the actions of ${played.length} trajectories under ${noiseSeeds} noise seeds: ${failed} of ${total} failed, above the share ${rollout.maxFailedShare}; first: ${failure instanceof Error ? failure.message : String(failure)}`,
    );
  const ofTrajectory = played.map((_, index) =>
    varianceOf(returns.slice(index * noiseSeeds, (index + 1) * noiseSeeds).flatMap((value) => value ?? [])),
  );
  let next = 0;
  const variances = groups.map(({ trajectories }) => {
    const own = ofTrajectory.slice(next, (next += trajectories.length)).flatMap((value) => value ?? []);
    return own.reduce((sum, value) => sum + value, 0) / Math.max(1, own.length);
  });
  return { variances, steps, failed };
}

/** Repeats the actions of a trajectory; what the environment pays in all. */
async function replayOnce(
  { seeds, turns }: Trajectory,
  repetition: number,
  { create, rollout: { environmentTimeoutMs } }: ReplayRequest,
  onStep: () => void,
): Promise<number> {
  const environment = create();
  try {
    const noise = deriveSeed(seeds.noise, 'repetition', repetition);
    await withTimeLimit('reset', environment.reset({ state: seeds.state, noise }), environmentTimeoutMs);
    let sum = 0;
    for (const { text } of turns.flatMap(({ actions }) => actions)) {
      const { reward, done } = await withTimeLimit('step', environment.step(text), environmentTimeoutMs);
      onStep();
      sum += reward;
      if (done) break;
    }
    return sum;
  } finally {
    await withTimeLimit('close', environment.close?.(), environmentTimeoutMs);
  }
}

/** With divisor n − 1; undefined for fewer than two values. */
function varianceOf(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  if (values.every((value) => value === values[0])) return 0; // no rounding error of the mean
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
