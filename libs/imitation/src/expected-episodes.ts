/**
 * @file Estimates the length of episodes before any model has played: a teacher plays them as in a warm start, with as
 * many random actions as warm-started models make. Only lengths are used. Without an oracle all actions are random;
 * without explanations replies have no thoughts, so the estimate is low.
 */
import type { Tokenizer } from '@espalier/contracts';
import type { SingleSpec } from '@espalier/contracts/mixing';
import type { EnvironmentDefinition } from '@espalier/plugin-kit';
import { createContextFactory, cutWindows, promptOptionsOf, rolloutSeeds } from '@espalier/rollout';
import { paramsOf } from '@espalier/trainer';
import type { Demonstration } from './demonstration.js';
import { teachEpisode } from './teacher.js';

/** Tokens of one turn. */
export interface ExpectedTurn {
  /** prompt tokens before the reply: those of its whole window where it begins one, else those that are new */
  readonly shown: number;
  /** it begins a window, behind the first */
  readonly isFresh?: boolean;
  /** tokens of the reply, end of turn included */
  readonly sampled: number;
}

/** Share of actions drawn at random: between those of the seedling's demonstrations (0.42 to 0.55). */
const noise = 0.5;
const actionsPerTurn = 2;

/** Plays the episodes of the first iteration, group by group. Rethrows errors of the environment. */
export async function expectEpisodes(
  spec: SingleSpec,
  environment: EnvironmentDefinition<unknown>,
  tokenizer: Tokenizer,
): Promise<ExpectedTurn[][]> {
  const { promptsPerStep, groupSize, noiseSeed, maxResponseTokens } = spec.rollout;
  const demonstration = demonstrationOf(spec, environment);
  const contexts = createContextFactory(tokenizer, demonstration.prompt);
  const address = { runSeed: spec.seed, split: 'train', environment: environment.id, step: 1 } as const;
  const episodes: ExpectedTurn[][] = [];
  for (let index = 0; index < promptsPerStep * groupSize; index += 1) {
    const place = {
      group: Math.floor(index / groupSize),
      index: index % groupSize,
      promptsPerStep,
      retry: 0,
      noiseSeed,
    };
    const { state, noise: chance, sampling } = rolloutSeeds({ ...address, ...place });
    const taught = await teachEpisode(
      demonstration,
      contexts,
      { state, noise: chance, teacher: sampling },
      spec.rollout.contextTokens ?? Infinity,
    );
    episodes.push(
      cutWindows(taught, taught.positions).flatMap(({ positions }, window) =>
        turnsOf(positions).map(({ shown, sampled }, turn) => ({
          shown,
          sampled: Math.min(sampled, maxResponseTokens),
          ...(window > 0 && turn === 0 ? { isFresh: true } : {}),
        })),
      ),
    );
  }
  return episodes;
}

/** Groups consecutive positions into replies; the tokens before each are its prompt. */
function turnsOf(positions: Int32Array): ExpectedTurn[] {
  const turns: ExpectedTurn[] = [];
  let end = 0;
  for (let i = 0; i < positions.length;) {
    const start = positions[i] as number;
    let next = i;
    while (next < positions.length && positions[next] === start + next - i) next += 1;
    turns.push({ shown: start - end, sampled: next - i });
    end = start + next - i;
    i = next;
  }
  return turns;
}

function demonstrationOf(spec: SingleSpec, environment: EnvironmentDefinition<unknown>): Demonstration {
  const params = paramsOf(spec.environment);
  const { maxTurns, maxActions, maxActionsPerTurn } = spec.rollout;
  const limits = { maxTurns, maxActions, maxActionsPerTurn };
  const { rollout } = spec;
  return {
    name: environment.id,
    spec: { environment: spec.environment, noise, actionsPerTurn, share: 1, rollout },
    environment,
    params,
    limits,
    prompt: promptOptionsOf(environment, params, rollout),
    share: 1,
  };
}
