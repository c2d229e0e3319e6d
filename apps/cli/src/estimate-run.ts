/**
 * @file What a run will cost, from its numbers alone: graphs are built but not run. Lengths are not known before
 * sampling, so tokens, memory and time are upper bounds and ranges, and say so.
 */
import { availableParallelism } from 'node:os';
import type { RunSpec } from '@espalier/contracts';
import { buildScoreGraph, buildTrainingGraph, type LossGraph, parameterShapes } from '@espalier/model';
import type { OpenedModel } from './model-facts.js';
import type { Registry } from './workspace.js';

export interface GraphSize {
  readonly name: string;
  readonly nodes: number;
}

export interface RunEstimate {
  readonly parameters: number;
  readonly graphs: readonly GraphSize[];
  /** most tokens one iteration can hold, prompts included */
  readonly tokensPerStep: number;
  /** bytes: weights, gradients and moments of policy and critic, and a reference copy */
  readonly modelBytes: number;
  /** bytes, at most: key/value cache while sampling */
  readonly cacheBytes: number;
  /** bytes, about: what one micro-batch keeps for its gradient */
  readonly activationBytes: number;
  /** seconds for one iteration on the CPU, from short episodes to full ones; absent for other providers */
  readonly secondsPerStep?: readonly [low: number, high: number];
  readonly threads: number;
}

/** float32 */
const bytesPerNumber = 4;
/** GFLOP/s of one core in these graphs: a slow one when bounding from above, a fast one from below. */
const coreRate = { slow: 30e9, fast: 110e9 };
/** Tokens that the protocol adds to a reply in each turn: heading, state, demand. Typical, not a bound. */
const observationTokens = 130;
/** Share of the longest possible episode that a short one has. */
const shortEpisode = 0.25;

/** Estimates the size, memory and time of a run. */
export function estimateRun(spec: RunSpec, model: OpenedModel, registry: Registry): RunEstimate {
  const { use: _use, ...params } = spec.algorithm;
  const algorithm = registry.get('algorithm', spec.algorithm.use);
  const { critic, reference } = algorithm.needs(params);
  const parameters = countNumbers(parameterShapes(model.config, 'policy'));
  const learners = parameters + (critic ? countNumbers(parameterShapes(model.config, 'critic')) : 0);
  const { layerCount, width, feedForward, keyValueWidth } = sizesOf(model);
  const contextTokens = spec.rollout.contextTokens ?? model.facts.contextLength;
  const perEpisode = Math.min(
    contextTokens,
    spec.rollout.maxTurns * (spec.rollout.maxResponseTokens + observationTokens),
  );
  const { trajectoriesPerStep, keptGroupsPerStep } = spec.derived;
  const tokensPerStep = trajectoriesPerStep * perEpisode;
  const trained = keptGroupsPerStep * spec.rollout.members * perEpisode * spec.update.reuse;
  // 2 per parameter to sample and to score, 6 to learn from a token.
  const passes = 2 * parameters * (tokensPerStep + (reference ? trained : 0)) + 6 * learners * trained;
  const threads = spec.device.threads ?? availableParallelism();
  return {
    parameters,
    graphs: graphSizes(spec, model, registry, perEpisode),
    tokensPerStep,
    modelBytes: bytesPerNumber * (4 * learners + (reference ? parameters : 0)),
    cacheBytes: bytesPerNumber * trajectoriesPerStep * perEpisode * layerCount * 2 * keyValueWidth,
    activationBytes:
      bytesPerNumber * spec.update.microBatchTokens * layerCount * (8 * width + 4 * feedForward),
    ...(spec.device.provider === 'cpu'
      ? {
          secondsPerStep: [
            (shortEpisode * passes) / (threads * coreRate.fast),
            passes / (threads * coreRate.slow),
          ] as const,
        }
      : {}),
    threads,
  };
}

function countNumbers(shapes: ReadonlyMap<string, readonly number[]>): number {
  return [...shapes.values()].reduce(
    (sum, shape) => sum + shape.reduce((product, size) => product * size, 1),
    0,
  );
}

function sizesOf({ config }: OpenedModel) {
  const heads = config.num_attention_heads;
  const headWidth = config.head_dim ?? config.hidden_size / heads;
  return {
    layerCount: config.num_hidden_layers,
    width: config.hidden_size,
    feedForward: config.intermediate_size,
    keyValueWidth: (config.num_key_value_heads ?? heads) * headWidth,
  };
}

/** Builds each graph over whole sequences once and counts its nodes. */
function graphSizes(spec: RunSpec, { config }: OpenedModel, registry: Registry, length: number): GraphSize[] {
  const { use: _use, ...params } = spec.algorithm;
  const algorithm = registry.get('algorithm', spec.algorithm.use);
  const losses = {
    policy: algorithm.policyLoss(params),
    critic: algorithm.needs(params).critic ? algorithm.valueLoss?.(params) : undefined,
  };
  const sizes: GraphSize[] = [];
  for (const role of ['policy', 'critic'] as const) {
    const loss = losses[role];
    if (loss === undefined) continue;
    const options = { config, role, length, rows: length };
    const build = loss.build as (input: unknown) => ReturnType<LossGraph>;
    const training = buildTrainingGraph(
      options,
      (input) => build({ ...input, params: loss.params }),
      loss.columns,
    );
    sizes.push({ name: `${role} training`, nodes: training.nodes.length });
    sizes.push({ name: `${role} scoring`, nodes: buildScoreGraph(options).nodes.length });
  }
  return sizes;
}
