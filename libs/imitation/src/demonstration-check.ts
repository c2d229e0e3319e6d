/** @file Evaluates a model on each demonstration: rollouts at temperature 1 on the validation seeds. */
import type { PolicyEngine, Tokenizer } from '@espalier/contracts';
import { collectEpisodes } from '@espalier/rollout';
import { wilsonInterval } from '@espalier/rollout/estimates';
import type { Demonstration } from './demonstration.js';

/** A rate with its 95 % interval. */
export interface Rate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface DemonstrationResult {
  readonly demonstration: string;
  readonly episodes: number;
  readonly success: Rate;
  /** turns with a reply in the required format */
  readonly format: Rate;
  readonly turnsPerEpisode: number;
  /** the first episode's reply, as a sample */
  readonly reply: string;
}

/** Neutral values: the call sets groups and sampling, and nothing is scored. */
const neutralRollout = {
  promptsPerStep: 1,
  groupSize: 1,
  temperature: 1,
  topP: 1,
  topK: 0,
  stopSequences: [],
  format: 'exact' as const,
  formatPenalty: 0,
  ahead: 0,
  plans: false,
  images: false,
};

/** Plays `episodes` validation episodes of each demonstration. */
export async function checkDemonstrations(
  demonstrations: readonly Demonstration[],
  engine: PolicyEngine,
  tokenizer: Tokenizer,
  episodes: number,
): Promise<DemonstrationResult[]> {
  const results: DemonstrationResult[] = [];
  for (const demonstration of demonstrations) {
    const collection = await collectEpisodes(
      {
        seed: 0,
        rollout: { ...neutralRollout, ...demonstration.spec.rollout, ...demonstration.limits },
        policy: engine.policy,
        tokenizer,
        contextLength: engine.description.contextLength,
        environment: { definition: demonstration.environment, params: demonstration.params },
        rewards: [],
        split: 'validation',
        step: 0,
      },
      { episodes, temperature: 1, topP: 1, topK: 0 },
    );
    const trajectories = collection.groups.flatMap(({ trajectories }) => trajectories);
    const turns = trajectories.flatMap((trajectory) => trajectory.turns);
    results.push({
      demonstration: demonstration.name,
      episodes: trajectories.length,
      success: rateOf(trajectories.filter(({ success }) => success).length, trajectories.length),
      format: rateOf(turns.filter(({ formatValid }) => formatValid).length, turns.length),
      turnsPerEpisode: turns.length / Math.max(1, trajectories.length),
      reply: turns[0]?.response ?? '',
    });
  }
  return results;
}

const rateOf = (count: number, total: number): Rate => ({
  value: total === 0 ? 0 : count / total,
  ...wilsonInterval(count, total),
});
