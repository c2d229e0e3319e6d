/**
 * @file The endless stream of a teacher's episodes, cut into batches. Demonstrations keep their share of the tokens: the
 * next episode always comes from the demonstration furthest behind its share. The stream is a function of seed and
 * position, so a warm start can resume.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import { createContextFactory, type ContextFactory, cutWindows } from '@espalier/rollout';
import type { Demonstration } from './demonstration.js';
import { type TaughtEpisode, taughtSeeds, teachEpisode } from './teacher.js';

/** The progress of each demonstration. */
export interface CurriculumPosition {
  /** episodes taught, per demonstration */
  readonly episodes: readonly number[];
  /** tokens taught, per demonstration */
  readonly tokens: readonly number[];
  /** episodes in which the teacher succeeded, per demonstration */
  readonly successes: readonly number[];
}

export interface TaughtBatch {
  /** per episode: index of its demonstration */
  readonly demonstrations: readonly number[];
  readonly episodes: readonly TaughtEpisode[];
  readonly tokenCount: number;
  /** tokens in the loss */
  readonly lossTokens: number;
}

export interface Curriculum {
  readonly position: CurriculumPosition;
  /** success rate of the teacher so far, per demonstration */
  readonly teacherSuccess: readonly number[];
  next(): Promise<TaughtBatch>;
}

export interface CurriculumOptions {
  readonly seed: number;
  readonly batchTokens: number;
  readonly contextLength: number;
  readonly start?: CurriculumPosition | undefined;
}

/** Creates the stream of batches; each holds at least `batchTokens` tokens and exceeds that by less than one episode. */
export function createCurriculum(
  demonstrations: readonly Demonstration[],
  tokenizer: Tokenizer,
  options: CurriculumOptions,
): Curriculum {
  const contexts = demonstrations.map((demonstration) =>
    createContextFactory(tokenizer, demonstration.prompt),
  );
  const episodes = demonstrations.map((_, i) => options.start?.episodes[i] ?? 0);
  const tokens = demonstrations.map((_, i) => options.start?.tokens[i] ?? 0);
  const successes = demonstrations.map((_, i) => options.start?.successes[i] ?? 0);
  const teach = async (index: number): Promise<TaughtEpisode> => {
    const demonstration = demonstrations[index]!;
    const seeds = taughtSeeds(options.seed, demonstration.name, episodes[index]!++);
    const { contextLength } = options;
    const episode = await teachEpisode(
      demonstration,
      contexts[index] as ContextFactory,
      seeds,
      contextLength,
    );
    checkLength(demonstration, episode, contextLength);
    tokens[index]! += episode.tokens.length;
    successes[index]! += episode.success ? 1 : 0;
    return episode;
  };
  return {
    get position() {
      return { episodes: [...episodes], tokens: [...tokens], successes: [...successes] };
    },
    get teacherSuccess() {
      return successes.map((count, i) => count / Math.max(1, episodes[i]!));
    },
    async next() {
      const order: number[] = [];
      const batch: TaughtEpisode[] = [];
      let tokenCount = 0;
      while (tokenCount < options.batchTokens) {
        const index = furthestBehind(demonstrations, tokens);
        const episode = await teach(index);
        order.push(index);
        batch.push(episode);
        tokenCount += episode.tokens.length;
      }
      const lossTokens = batch.reduce((sum, { positions }) => sum + positions.length, 0);
      return { demonstrations: order, episodes: batch, tokenCount, lossTokens };
    },
  };
}

function furthestBehind(demonstrations: readonly Demonstration[], tokens: readonly number[]): number {
  const progress = demonstrations.map(({ share }, i) => tokens[i]! / share);
  return progress.indexOf(Math.min(...progress));
}

function checkLength(demonstration: Demonstration, episode: TaughtEpisode, contextLength: number): void {
  const longest = Math.max(0, ...cutWindows(episode, episode.positions).map(({ tokens }) => tokens.length));
  if (longest <= contextLength) return;
  throw new AppError(
    'config.impossible_budget',
    `demonstration "${demonstration.name}": an episode has ${longest} tokens, the model's context holds ${contextLength}; raise model.contextLength, lower maxTurns, or keep fewer turns in the prompt (rollout.context)`,
  );
}
