/** @file Evaluates a model outside a run: one trajectory per fixed state. */
import type { PolicyEngine, RunSpec, Split, Tokenizer, Trajectory } from '@espalier/contracts';
import { loadTokenizer } from '@espalier/model';
import { collectEpisodes } from '@espalier/rollout';
import { bindEnvironment, bindRewards, rolloutOf } from './bind-plugins.js';
import { type Evaluation, summarizeEvaluation } from './evaluation.js';
import { openEngine } from './models.js';
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
  /** default: that of `spec.validation` */
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
  const engine = request.engine ?? (await openEngine(folder, spec, request.base));
  try {
    const { episodes, temperature, topP, topK } = { ...spec.validation, ...overridesOf(request) };
    const collection = await collectEpisodes(
      {
        seed: spec.seed,
        rollout: rolloutOf(spec),
        policy: engine.policy,
        step: 0,
        tokenizer: request.tokenizer ?? loadTokenizer(folder),
        contextLength: engine.description.contextLength,
        environment: bindEnvironment(spec, registry),
        rewards: bindRewards(spec, registry),
        split: request.split ?? 'validation',
        ...(request.signal === undefined ? {} : { signal: request.signal }),
        ...(request.onProgress === undefined ? {} : { onProgress: request.onProgress }),
      },
      {
        episodes,
        temperature,
        topP,
        topK,
        condense,
        ...(request.atOnce === undefined ? {} : { atOnce: request.atOnce }),
      },
    );
    return summarizeEvaluation(spec.environment.use, collection);
  } finally {
    if (request.engine === undefined) await engine.dispose();
  }
}

const noLogprobs = new Float32Array(0);

/** Keeps only the parts of a trajectory that outcomes and metrics need; there may be very many trajectories. */
function condense(trajectory: Trajectory): Trajectory {
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

function overridesOf({ episodes, temperature }: EvaluateRequest): {
  episodes?: number;
  temperature?: number;
} {
  return {
    ...(episodes === undefined ? {} : { episodes }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}
