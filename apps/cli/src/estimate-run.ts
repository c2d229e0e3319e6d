/**
 * @file What a run will cost, from its numbers and one state of its environment: graphs are built but not run. Lengths
 * of replies and episodes are not known before sampling, so tokens and memory are upper bounds and time is a range.
 */
import { availableParallelism } from 'node:os';
import type { RunSpec } from '@espalier/contracts';
import { estimateModel, type ModelEstimate } from '@espalier/model';
import { type GraphSize, graphSizes } from './graph-sizes.js';
import { measurePrompt, type PromptLengths } from './measure-prompt.js';
import type { OpenedModel } from './model-facts.js';
import type { Registry } from './workspace.js';

export interface RunEstimate {
  readonly parameters: number;
  readonly graphs: readonly GraphSize[];
  /** tokens of the messages around a reply, on one real state */
  readonly prompt: PromptLengths;
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

/** Warm float32 MatMul in FLOP/s of a core: 2 cores gave 250–350 GFLOP/s when quiet, 135 when shared (docs/bench.md). */
const matmulRate = { slow: 65e9, fast: 175e9 };
/** Share of that rate in training, scoring and prefill: 0.65 was measured for `train-step/5m`. */
const sequenceShare = 0.6;
/** The same in decoding, which waits for memory: 0.09 to 0.17 were measured for 5 M parameters and 16 to 128 sequences. */
const decodeShare = { slow: 0.09, fast: 0.17 };
/** Share of the longest possible episode that a short one has. */
const shortEpisode = 0.25;

/** Estimates the size, memory and time of a run. Throws what the environment throws when it is opened. */
export async function estimateRun(
  spec: RunSpec,
  model: OpenedModel,
  registry: Registry,
): Promise<RunEstimate> {
  const { use, ...params } = spec.algorithm;
  const { critic, reference } = registry.get('algorithm', use).needs(params);
  const prompt = await measurePrompt(spec, model, registry);
  const tokens = countTokens(spec, prompt, spec.rollout.contextTokens ?? model.facts.contextLength);
  const one = estimateModel(model.config, {
    batchTokens: spec.update.microBatchTokens,
    contextLength: tokens.perEpisode,
    rows: spec.derived.trajectoriesPerStep,
  });
  const threads = spec.device.threads ?? availableParallelism();
  const learners = critic ? 2 : 1;
  const perLearner = one.weightBytes + one.gradientBytes + one.momentBytes;
  return {
    parameters: one.parameterCount,
    graphs: graphSizes(spec, model.config, registry, tokens.perEpisode),
    prompt,
    tokensPerStep: tokens.collected,
    modelBytes: learners * perLearner + one.samplingWeightBytes + (reference ? one.weightBytes : 0),
    cacheBytes: one.cacheBytes,
    activationBytes: one.activationBytes,
    ...(spec.device.provider === 'cpu'
      ? { secondsPerStep: estimateSeconds(one, tokens, { learners, critic, reference, threads }) }
      : {}),
    threads,
  };
}

interface TokenCounts {
  readonly perEpisode: number;
  /** of all trajectories of an iteration */
  readonly collected: number;
  /** one by one */
  readonly decoded: number;
  /** many at once: what is shown to the model, the first message once per group */
  readonly prefilled: number;
  /** in trajectories that are kept, once */
  readonly kept: number;
  /** kept, over all passes */
  readonly trained: number;
}

/** Counts the tokens of an iteration in which every episode is as long as it may be. */
function countTokens(spec: RunSpec, { first, later }: PromptLengths, contextTokens: number): TokenCounts {
  const { maxTurns, maxResponseTokens, members, groups } = spec.rollout;
  const { trajectoriesPerStep, keptGroupsPerStep } = spec.derived;
  const shown = first + (maxTurns - 1) * later;
  const replies = maxTurns * maxResponseTokens;
  const perEpisode = Math.min(contextTokens, shown + replies);
  const share = perEpisode / (shown + replies);
  const kept = keptGroupsPerStep * members * perEpisode;
  return {
    perEpisode,
    collected: trajectoriesPerStep * perEpisode,
    decoded: share * trajectoriesPerStep * replies,
    prefilled: share * (groups * first + trajectoriesPerStep * (shown - first)),
    kept,
    trained: kept * spec.update.reuse,
  };
}

interface Work {
  readonly learners: number;
  readonly critic: boolean;
  readonly reference: boolean;
  readonly threads: number;
}

function estimateSeconds(
  { samplingFlopPerToken, trainingFlopPerToken }: ModelEstimate,
  { decoded, prefilled, collected, kept, trained }: TokenCounts,
  { learners, critic, reference, threads }: Work,
): [low: number, high: number] {
  const read = prefilled + (critic ? collected : 0) + (reference ? kept : 0);
  const sequences = samplingFlopPerToken * read + trainingFlopPerToken * learners * trained;
  const seconds = (speed: 'slow' | 'fast'): number =>
    (sequences / sequenceShare + (samplingFlopPerToken * decoded) / decodeShare[speed]) /
    (threads * matmulRate[speed]);
  return [shortEpisode * seconds('fast'), seconds('slow')];
}
