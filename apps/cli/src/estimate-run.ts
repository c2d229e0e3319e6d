/**
 * @file What a run will cost, from its numbers alone: graphs are built but not run. Lengths are not known before
 * sampling, so tokens, memory and time are upper bounds and ranges, and say so.
 */
import { availableParallelism } from 'node:os';
import type { RunSpec } from '@espalier/contracts';
import { buildScoreGraph, buildTrainingGraph, estimateModel, type LossGraph } from '@espalier/model';
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
  const contextTokens = spec.rollout.contextTokens ?? model.facts.contextLength;
  const perEpisode = Math.min(
    contextTokens,
    spec.rollout.maxTurns * (spec.rollout.maxResponseTokens + observationTokens),
  );
  const { trajectoriesPerStep, keptGroupsPerStep } = spec.derived;
  const tokensPerStep = trajectoriesPerStep * perEpisode;
  const trained = keptGroupsPerStep * spec.rollout.members * perEpisode * spec.update.reuse;
  const { microBatchTokens } = spec.update;
  const one = estimateModel(model.config, {
    batchTokens: microBatchTokens,
    contextLength: perEpisode,
    rows: trajectoriesPerStep,
  });
  const learners = critic ? 2 : 1;
  const flop =
    one.samplingFlopPerToken * (tokensPerStep + (reference ? trained : 0)) +
    one.trainingFlopPerToken * learners * trained;
  const threads = spec.device.threads ?? availableParallelism();
  const perLearner = one.weightBytes + one.gradientBytes + one.momentBytes;
  return {
    parameters: one.parameterCount,
    graphs: graphSizes(spec, model, registry, perEpisode),
    tokensPerStep,
    modelBytes: learners * perLearner + one.samplingWeightBytes + (reference ? one.weightBytes : 0),
    cacheBytes: one.cacheBytes,
    activationBytes: one.activationBytes,
    ...(spec.device.provider === 'cpu'
      ? {
          secondsPerStep: [
            (shortEpisode * flop) / (threads * coreRate.fast),
            flop / (threads * coreRate.slow),
          ] as const,
        }
      : {}),
    threads,
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
