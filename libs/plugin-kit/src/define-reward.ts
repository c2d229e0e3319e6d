import type { Trajectory } from '@espalier/contracts';
import { type Definition, kitVersion, type PluginMetric } from './definition.js';

/** A trajectory before its score record is closed. */
export type UnscoredTrajectory = Omit<Trajectory, 'score'>;

export interface RewardResult {
  /** one value per turn, finite; an episode-level reward puts it on the last turn */
  readonly perTurn: readonly number[];
  /** extra numbers to chart, without the `reward/<id>/` prefix */
  readonly metrics?: Readonly<Record<string, number>>;
}

export interface RewardDefinition<Params> extends Definition<'reward', Params> {
  /** what `score` brings in `metrics`, for docs/reference/metrics.md; each is charted as `reward/<id>/<name>` */
  readonly metrics?: Readonly<Record<string, PluginMetric>>;
  readonly score: (trajectory: UnscoredTrajectory, params: Params) => RewardResult | Promise<RewardResult>;
}

/** Declares a reward. */
export function defineReward<Params>(
  definition: Omit<RewardDefinition<Params>, 'kind' | 'kit'> & { readonly kit?: string },
): RewardDefinition<Params> {
  return { kit: `^${kitVersion}`, ...definition, kind: 'reward' };
}
