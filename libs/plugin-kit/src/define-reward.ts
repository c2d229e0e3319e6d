import type { ScoreRecord, Trajectory } from '@espalier/contracts';
import type { ThinkPart } from '@espalier/contracts/prompt-format';
import { z } from 'zod';
import { type Definition, kitVersion, type PluginMetric } from './definition.js';

/** A trajectory before it has a score. */
export type UnscoredTrajectory = Omit<Trajectory, 'score'> & {
  /** for each sampled token, the character of its turn's `response` at which it ends; 0 elsewhere */
  readonly textEnds: Int32Array; // [T]
  /** parts of the think block that the prompt demands (`rollout.prompt.thinkStyle`), in order; absent: none */
  readonly thinkParts?: readonly ThinkPart[];
};

/** Sampled tokens `[start, end)` of a turn that earned or lost `value` of its reward, and why. */
export type Evidence = Omit<NonNullable<ScoreRecord['evidence']>[number], 'reward'>;

export interface RewardResult {
  /** one finite value per turn; an episode-level reward uses the last turn */
  readonly perTurn: readonly number[];
  /** parts of `perTurn` that belong to certain tokens, which credit assignment gives to them instead of the end of the turn */
  readonly evidence?: readonly Evidence[];
  /** additional values to report, without the `reward/<id>/` prefix */
  readonly metrics?: Readonly<Record<string, number>>;
}

export interface RewardDefinition<Params> extends Definition<'reward', Params> {
  /** definitions of the `metrics` of `score`, for docs/reference/metrics.md; reported as `reward/<id>/<name>` */
  readonly metrics?: Readonly<Record<string, PluginMetric>>;
  /** `signal` aborts when the run stops; a reward that waits for something outside of the process ends its wait then */
  readonly score: (
    trajectory: UnscoredTrajectory,
    params: Params,
    signal?: AbortSignal,
  ) => RewardResult | Promise<RewardResult>;
}

/** A reward as an author writes it; without `params` it has no options. */
export type GivenReward<Params> = Omit<RewardDefinition<Params>, 'kind' | 'kit' | 'params'> & {
  readonly kit?: string;
  readonly params?: z.ZodType<Params>;
};

/** Declares a reward. */
export function defineReward<Params = Record<string, never>>(
  given: GivenReward<Params>,
): RewardDefinition<Params> {
  return {
    kit: `^${kitVersion}`,
    // without options Params is what parsing {} gives
    params: z.strictObject({}) as unknown as z.ZodType<Params>,
    ...given,
    kind: 'reward',
  };
}
