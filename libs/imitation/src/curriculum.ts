/**
 * @file The endless stream of a teacher's episodes, cut into batches. Demonstrations keep their share of the tokens: the
 * next episode always comes from the demonstration furthest behind its share. The stream is a function of seed and
 * position, so a warm start can resume.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import { createContextFactory, type ContextFactory, cutWindows } from '@espalier/rollout';
import type { Demonstration } from './demonstration.js';
import { contextTokensOf, type TaughtEpisode, taughtSeeds, teachEpisode } from './teacher.js';

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
  /** its shape, `model.contextLength` included, is that of the spec */
  readonly isNewModel: boolean;
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
    const contextTokens = contextTokensOf(demonstration.spec.rollout, options.contextLength);
    const episode = await teachEpisode(
      demonstration,
      contexts[index] as ContextFactory,
      seeds,
      contextTokens,
    );
    checkLength(demonstration, episode, contextTokens, options);
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

/** A first prompt that is too long for the context, or a reply that is longer than a policy may write. */
function checkLength(
  { name }: Demonstration,
  episode: TaughtEpisode,
  contextTokens: number,
  { contextLength, isNewModel }: CurriculumOptions,
): void {
  const longest = Math.max(0, ...cutWindows(episode, episode.positions).map(({ tokens }) => tokens.length));
  if (longest <= contextTokens) return;
  const isOwn = contextTokens < contextLength;
  const limit = isOwn ? 'rollout.contextTokens allows' : 'the context of the model holds';
  const canRaise = isOwn ? 'raise rollout.contextTokens, ' : isNewModel ? 'raise model.contextLength, ' : '';
  throw new AppError(
    'config.impossible_budget',
    `demonstration "${name}": a prompt and its reply have ${longest} tokens, ${limit} ${contextTokens}; ${canRaise}shorten what the environment shows, or raise rollout.maxResponseTokens if the teacher's replies are longer than that`,
  );
}
