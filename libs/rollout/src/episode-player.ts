/** @file Episodes that something else than the built-in rollout plays, such as a program of its own. */
import type { SamplingParams } from '@espalier/contracts';
import type { UnscoredTrajectory } from '@espalier/plugin-kit';
import type { RolloutAddress } from './rollout.js';

/** An episode that is played in another way than turn by turn in an environment of this process. */
export interface PlayedEpisode {
  readonly rollout: {
    readonly environment: string;
    readonly tag?: string | undefined;
    readonly level?: number | undefined;
  } & Omit<RolloutAddress, 'retry'>;
  readonly sampling: Pick<SamplingParams, 'temperature' | 'topP' | 'topK' | 'maxTokens'>;
  /** most tokens of a prompt and its reply */
  readonly contextTokens: number;
  /** most calls of the model */
  readonly maxCalls: number;
  /** a stop request */
  readonly signal: AbortSignal;
}

/** Plays an episode; what fails is data of the trajectory. @throws runtime.device_lost */
export type EpisodePlayer = (episode: PlayedEpisode) => Promise<UnscoredTrajectory>;
