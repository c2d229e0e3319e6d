/** @file Evaluates a model outside a run: one trajectory per fixed state. */
import { hasCode, type PolicyEngine, type RunSpec, type Split, type Tokenizer } from '@espalier/contracts';
import { listValidated, type TaggedSpec } from '@espalier/contracts/mixing';
import { loadTokenizer } from '@espalier/model';
import { collectEpisodes, type GroupPlace } from '@espalier/rollout';
import { type AgentPlayers, openAgentPlayers } from './agent-players.js';
import { bindEnvironment, bindRewards, rolloutOf } from './bind-plugins.js';
import { asError, type Evaluation, summarizeEvaluation, type TagResult } from './evaluation.js';
import { openSamplingEngine } from './models.js';
import { condense } from './play-states.js';
import type { PluginLookup } from './bind-plugins.js';

export interface EvaluateRequest {
  readonly spec: RunSpec;
  readonly registry: PluginLookup;
  /** a model in Hugging Face layout; see `resolveModelFolder` */
  readonly folder: string;
  /** of the adapter in the folder */
  readonly base?: string | undefined;
  /** default: the embedded engine on `folder`, disposed afterwards; the caller disposes its own */
  readonly engine?: PolicyEngine;
  readonly tokenizer?: Tokenizer;
  /** of each environment; default: that of `spec.validation` */
  readonly episodes?: number;
  readonly temperature?: number;
  readonly split?: Exclude<Split, 'train'>;
  /** concurrent episodes, which bounds memory; results do not depend on it; default: 512 */
  readonly atOnce?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Samples one trajectory per fixed state.
 *
 * @throws rollout.cancelled, rollout.too_many_errors, plugin.not_found, and what opening the model throws
 */
export async function evaluateModel(request: EvaluateRequest): Promise<Evaluation> {
  const { spec, registry, folder } = request;
  const engine = request.engine ?? (await openSamplingEngine(folder, spec, request.base));
  const tokenizer = request.tokenizer ?? loadTokenizer(folder);
  const chosen = placeValidated(listValidated(spec), request.episodes);
  const total = chosen.reduce((sum, one) => sum + one.spec.validation.episodes, 0);
  let before = 0;
  let agents: AgentPlayers | undefined;
  try {
    agents = await openAgentPlayers(spec, registry, engine, tokenizer);
    const { playerOf } = agents;
    const results: TagResult[] = [];
    for (const { tag, trained, level, spec: own, place } of chosen) {
      const { episodes } = own.validation;
      const { temperature, topP, topK } = { ...own.validation, ...overridesOf(request) };
      const done = before;
      const collection = await collectEpisodes(
        {
          seed: spec.seed,
          // nothing of a trajectory is shown, and there may be very many
          rollout: { ...rolloutOf(own), images: false },
          policy: engine.policy,
          step: 0,
          tokenizer,
          contextLength: engine.description.contextLength,
          environment: bindEnvironment(own, registry),
          rewards: bindRewards(own, registry),
          play: playerOf(own),
          tag,
          level,
          place,
          split: request.split ?? 'validation',
          ...(request.signal === undefined ? {} : { signal: request.signal }),
          onProgress: (count) => request.onProgress?.(done + count, total),
        },
        {
          episodes,
          temperature,
          topP,
          topK,
          condense,
          ...(request.atOnce === undefined ? {} : { atOnce: request.atOnce }),
        },
      ).catch((error: unknown) => {
        if (trained || hasCode(error, 'rollout.cancelled')) throw error;
        return asError(error);
      });
      before += episodes;
      results.push({
        tag,
        trained,
        level: trained ? undefined : level,
        environment: own.environment.use,
        collection,
      });
    }
    return summarizeEvaluation(results);
  } finally {
    await agents?.close();
    if (request.engine === undefined) await engine.dispose();
  }
}

/** Gives the groups of each environment their numbers: ids of trajectories are unique within a validation. */
export function placeValidated(
  environments: readonly TaggedSpec[],
  episodes?: number,
): (TaggedSpec & { readonly place: GroupPlace })[] {
  const sized = environments.map((one) =>
    episodes === undefined
      ? one
      : { ...one, spec: { ...one.spec, validation: { ...one.spec.validation, episodes } } },
  );
  const total = sized.reduce((sum, one) => sum + one.spec.validation.episodes, 0);
  let first = 0;
  return sized.map((one) => {
    const place = { first, total };
    first += one.spec.validation.episodes;
    return { ...one, place };
  });
}

function overridesOf({ temperature }: EvaluateRequest): { temperature?: number } {
  return temperature === undefined ? {} : { temperature };
}
