/**
 * @file Plays some of the fixed states of one environment with a policy. Which states, and how many at once, changes
 * nothing for each of them, so that an evaluation can be played in parts.
 */
import type { PolicyEngine, Split, Tokenizer, Trajectory } from '@espalier/contracts';
import type { TaggedSpec } from '@espalier/contracts/mixing';
import { collectEpisodes } from '@espalier/rollout';
import { openAgentPlayers } from './agent-players.js';
import { bindEnvironment, bindRewards, type PluginLookup, rolloutOf } from './bind-plugins.js';
import { type EpisodeOutcome, outcomeOf } from './evaluation.js';

export interface StatesRequest {
  readonly environment: TaggedSpec;
  readonly registry: PluginLookup;
  readonly engine: Pick<PolicyEngine, 'policy' | 'description'>;
  readonly tokenizer: Tokenizer;
  readonly split: Exclude<Split, 'train'>;
  /** index of the first state */
  readonly from: number;
  readonly states: number;
  /** episodes of each state */
  readonly draws: number;
  /** concurrent episodes; results do not depend on it; default: 512 */
  readonly atOnce?: number | undefined;
  readonly signal: AbortSignal;
  /** called after each episode */
  readonly onProgress?: (done: number) => void;
  /** sees every trajectory before its texts are dropped */
  readonly onPlayed?: (trajectory: Trajectory) => void;
}

/** The outcome of one of several episodes of a state. */
export interface PlayedOutcome extends EpisodeOutcome {
  readonly sampledTokens: number;
}

/** What was played; an episode that failed twice is only counted, whatever their share. */
export interface PlayedStates {
  readonly outcomes: readonly PlayedOutcome[];
  readonly failed: number;
  /** the first failure */
  readonly error?: string | undefined;
}

/** Plays the states. @throws rollout.cancelled, plugin.not_found, rollout.unsupported_template */
export async function playStates(request: StatesRequest): Promise<PlayedStates> {
  const { environment, registry, engine, tokenizer, split, from, states, draws, signal } = request;
  const { spec, tag, level } = environment;
  const { temperature, topP, topK } = spec.validation;
  const agents = await openAgentPlayers(spec, registry, engine, tokenizer);
  const { groups, failed } = await collectEpisodes(
    {
      seed: spec.seed,
      rollout: { ...rolloutOf(spec), maxFailedShare: 1 },
      policy: engine.policy,
      step: 0,
      tokenizer,
      contextLength: engine.description.contextLength,
      environment: bindEnvironment(spec, registry),
      rewards: bindRewards(spec, registry),
      play: agents.playerOf(spec),
      tag,
      level,
      split,
      signal,
      ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
    },
    {
      episodes: states,
      from,
      draws,
      ...(request.atOnce === undefined ? {} : { atOnce: request.atOnce }),
      temperature,
      topP,
      topK,
      condense: (trajectory) => {
        request.onPlayed?.(trajectory);
        return condense(trajectory);
      },
    },
  ).finally(() => agents.close());
  const outcomes = groups.flatMap(({ trajectories }) =>
    trajectories.map((one) => ({
      ...outcomeOf(one),
      sampledTokens: one.turns.reduce((sum, { sampled }) => sum + sampled.end - sampled.start, 0),
    })),
  );
  return { outcomes, failed: failed.length, error: failed[0]?.error };
}

const noLogprobs = new Float32Array(0);

/** Keeps only the parts of a trajectory that outcomes and metrics need; there may be very many trajectories. */
export function condense(trajectory: Trajectory): Trajectory {
  const turns = trajectory.turns.map((turn) => ({
    ...turn,
    observation: '',
    stateKey: '',
    render: '',
    facts: {},
    response: '',
    answer: '',
    parsedActions: [],
  }));
  return { ...trajectory, logprobs: noLogprobs, turns };
}
