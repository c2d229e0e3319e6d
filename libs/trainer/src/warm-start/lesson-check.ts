/** @file What a model can do in each lesson: real rollouts at temperature 1 on the validation seeds. */
import type { PolicyEngine, Tokenizer } from '@espalier/contracts';
import { collectEpisodes, wilsonInterval } from '@espalier/rollout';
import type { Lesson } from './lesson.js';

/** A share with its 95 % interval. */
export interface Rate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface LessonResult {
  readonly lesson: string;
  readonly episodes: number;
  readonly success: Rate;
  /** turns with a reply in the demanded format */
  readonly format: Rate;
  readonly turnsPerEpisode: number;
  /** the first episode's reply, as a sample */
  readonly reply: string;
}

/** What a check leaves at its neutral value: groups and sampling are stated per call, nothing is scored. */
const untrained = {
  ...{ groups: 1, members: 1, temperature: 1, topP: 1, topK: 0 },
  ...{ stopSequences: [], format: 'exact' as const, formatPenalty: 0 },
};

/** Plays `episodes` validation episodes of each lesson. */
export async function checkLessons(
  lessons: readonly Lesson[],
  engine: PolicyEngine,
  tokenizer: Tokenizer,
  episodes: number,
): Promise<LessonResult[]> {
  const results: LessonResult[] = [];
  for (const lesson of lessons) {
    const collection = await collectEpisodes(
      {
        seed: 0,
        rollout: { ...untrained, ...lesson.spec.rollout, ...lesson.limits },
        policy: engine.policy,
        tokenizer,
        contextLength: engine.description.contextLength,
        environment: { definition: lesson.environment, params: lesson.params },
        rewards: [],
        split: 'validation',
        step: 0,
      },
      { episodes, temperature: 1, topP: 1, topK: 0 },
    );
    const trajectories = collection.groups.flatMap(({ members }) => members);
    const turns = trajectories.flatMap((trajectory) => trajectory.turns);
    results.push({
      lesson: lesson.name,
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
