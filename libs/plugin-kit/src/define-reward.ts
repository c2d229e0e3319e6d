import type { Trajectory } from '@espalier/contracts';
import { type Definition, kitVersion, type PluginMetric } from './definition.js';

/** A trajectory before it has a score. */
export type UnscoredTrajectory = Omit<Trajectory, 'score'>;

export interface RewardResult {
  /** one finite value per turn; an episode-level reward uses the last turn */
  readonly perTurn: readonly number[];
  /** additional values to report, without the `reward/<id>/` prefix */
  readonly metrics?: Readonly<Record<string, number>>;
}

export interface RewardDefinition<Params> extends Definition<'reward', Params> {
  /** definitions of the `metrics` of `score`, for docs/reference/metrics.md; reported as `reward/<id>/<name>` */
  readonly metrics?: Readonly<Record<string, PluginMetric>>;
  readonly score: (trajectory: UnscoredTrajectory, params: Params) => RewardResult | Promise<RewardResult>;
}

/** Declares a reward. */
export function defineReward<Params>(
  definition: Omit<RewardDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): RewardDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'reward' };
}
