/**
 * @file What a run will cost: its iterations are expected to be as long as a teacher's episodes (no model is run), its
 * graphs are read for arithmetic and live memory, and the machine is timed for about a second. Lengths of replies are
 * not known before sampling, so an upper bound is given with the expected value.
 */
import type { RunSpec } from '@espalier/contracts';
import { listTrained, listValidated } from '@espalier/contracts/mixing';
import { usableThreads } from '@espalier/contracts/values';
import { estimateModel, loadTokenizer, type ModelConfig } from '@espalier/model';
import { type ExpectedTurn, expectEpisodes } from '@espalier/imitation';
import { countCheckpoints } from '@espalier/trainer';
import { calibrateMachine } from './calibrate.js';
import { estimateMemory, estimateSeconds } from './estimate-iteration.js';
import { cutExpected, expectIteration, type IterationWork, withGreedy } from './expect-iteration.js';
import { measurePrompt, type PromptLengths } from './measure-prompt.js';
import type { OpenedModel } from '../local/open-model.js';
import type { PlannedRun } from '../local/resolve-run.js';
import { countWeights, type HeldWeights } from './held-weights.js';
import { createRunGraphs } from './run-graphs.js';
import type { Registry } from '../workspace.js';

import { resolveDriver } from '@espalier/runtime';

export interface RunEstimate {
  readonly parameters: number;
  /** of the policy; with LoRA those of its adapters */
  readonly trainedParameters: number;
  readonly graphs: readonly { readonly name: string; readonly nodes: number }[];
  /** tokens of the messages around a reply, on one real state; of several environments the longest */
  readonly prompt: PromptLengths;
  /** most tokens one iteration can hold, prompts included */
  readonly tokensPerStep: number;
  /** an iteration whose episodes are as long as a teacher's */
  readonly expected: {
    readonly turnsPerEpisode: number;
    readonly tokensPerEpisode: number;
    /** share of a teacher's episodes that the context ends early, in 0..1 */
    readonly cutShare: number;
    /** tokens of a teacher's longest episode, whether it fits or not */
    readonly wholeTokens: number;
    /** by the model, in one iteration */
    readonly sampledTokens: number;
    /** over all passes of one iteration, prompts included */
    readonly trainedTokens: number;
    /** padding among the tokens computed in an update, in 0..1 */
    readonly paddingShare: number;
    /** absent for other providers than the CPU */
    readonly collectSeconds?: number;
    readonly updateSeconds?: number;
    readonly secondsPerStep?: number;
    /** of all threads, as are those of the rollout in it; what else the machine does hardly counts */
    readonly processorSecondsPerStep?: number;
    readonly collectProcessorSeconds?: number;
    /** highest resident memory of the process */
    readonly peakBytes: number;
  };
  /** the same if every episode has all turns and every reply all its tokens */
  readonly mostPeakBytes: number;
  /** bytes: weights, gradients and moments of policy and critic, copies for sampling, and a reference */
  readonly modelBytes: number;
  /** bytes: key/value cache while sampling */
  readonly cacheBytes: number;
  /** bytes: temporaries of the graphs that are kept ready */
  readonly activationBytes: number;
  /** bytes: one checkpoint, weights and moments of policy and critic */
  readonly checkpointBytes: number;
  /** bytes: all checkpoints that are on the disk at once, the one being written included */
  readonly checkpointsBytes: number;
  /** seconds for one iteration on the CPU: three quarters of what is expected, and every episode as long as may be */
  readonly secondsPerStep?: readonly [low: number, high: number];
  readonly threads: number;
}

/** The low end of the time, as a share of what is expected: how far the estimate may be wrong. */
export const lowShare = 0.75;

export const threadsOf = ({ threads }: { readonly threads?: number | undefined }): number =>
  threads ?? usableThreads();

/** Whether seconds are predicted: other drivers compile graphs, and other devices are not timed. */
export const isTimed = (device: Parameters<typeof resolveDriver>[0]): boolean =>
  device.provider === 'cpu' && resolveDriver(device) === 'onnxruntime-node';

/** What an estimate needs of a run. */
export type EstimatedRun = Pick<PlannedRun, 'spec' | 'derived' | 'model' | 'gpuBytes'>;

/** Predicts the work of one iteration, and the memory that it takes. Throws what the environment throws when it is opened. */
export async function predictIteration({ spec, derived, model, gpuBytes }: EstimatedRun, registry: Registry) {
  const context = spec.rollout.contextTokens ?? model.limits.contextLength;
  const tokenizer = loadTokenizer(model.folder);
  const prompts: PromptLengths[] = [];
  const whole: ExpectedTurn[][] = [];
  const episodes: ExpectedTurn[][] = [];
  const longest: ExpectedTurn[][] = [];
  const compared: boolean[] = [];
  for (const { spec: own } of listTrained(spec)) {
    const prompt = await measurePrompt(own, model, registry);
    prompts.push(prompt);
    // what the run will end early is played on, so that it can be told
    const endless = { ...own, rollout: { ...own.rollout, contextTokens: Infinity } };
    const environment = registry.get('environment', own.environment.use);
    const played = await expectEpisodes(endless, environment, tokenizer);
    whole.push(...played);
    episodes.push(...fitting(played, context, own.rollout));
    longest.push(...fitting(longestEpisodes(own, prompt), context, own.rollout));
    const { use, ...options } = own.algorithm;
    const { greedyBaseline = false } = registry.get('algorithm', use).needs(options);
    compared.push(...Array.from({ length: own.rollout.promptsPerStep }, () => greedyBaseline));
  }
  const prompt = prompts.reduce((longest, one) => (one.first > longest.first ? one : longest));
  const graphs = createRunGraphs(spec, model.config, { registry, gpuBytes });
  const work = expectIteration({ spec, derived, compared }, episodes, graphs);
  const size = estimateModel(model.config, { batchTokens: 1, contextLength: 1, rows: 1 });
  const held = countWeights(spec, model.config, graphs);
  const memoryOf = (of: IterationWork) =>
    estimateMemory(of, size, model.config, {
      trainedParameters: held.trainedParameters,
      weightBytes: held.weightBytes,
      mergedBytes: held.mergedBytes,
      sampling: spec.device.sampling,
      provider: spec.device.provider,
      sequences: sampledAtOnce({ spec, derived }),
      microBatchTokens: spec.update.microBatchTokens,
      gpu: gpuBytes === undefined ? undefined : { bytes: gpuBytes, recomputes: graphs.recomputes },
    });
  return {
    prompt,
    whole,
    episodes,
    longest,
    compared,
    graphs,
    work,
    held,
    memoryOf,
    memory: memoryOf(work),
  };
}

/** Estimates the size, memory and time of a run. Throws what the environment throws when it is opened. */
export async function estimateRun(
  planned: EstimatedRun,
  registry: Registry,
  calibrate = calibrateMachine,
): Promise<RunEstimate> {
  const { spec, derived, model } = planned;
  const predicted = await predictIteration(planned, registry);
  const { prompt, whole, episodes, longest, compared, graphs, work, held, memory } = predicted;
  const most = expectIteration({ spec, derived, compared }, longest, graphs);
  const size = estimateModel(model.config, { batchTokens: 1, contextLength: 1, rows: 1 });
  const threads = threadsOf(spec.device);
  const time = isTimed(spec.device)
    ? await estimateTime(spec, model, { work, held, most, threads, calibrate })
    : undefined;
  const lengths = withGreedy(longest, spec.rollout.groupSize, compared).map(lengthOf);
  const { checkpointBytes, trainedParameters } = held;
  return {
    parameters: size.parameterCount,
    trainedParameters,
    graphs: graphs.nodes(
      longest
        .flatMap(cutExpected)
        .map(lengthOf)
        .reduce((most, length) => Math.max(most, length), 0),
    ),
    prompt,
    tokensPerStep: lengths.reduce((sum, length) => sum + length, 0),
    expected: { ...describe(work, episodes, whole), ...time?.expected, peakBytes: memory.total },
    mostPeakBytes: Math.max(memory.total, predicted.memoryOf(most).total),
    modelBytes: memory.models,
    cacheBytes: memory.cache,
    activationBytes: memory.sessions,
    checkpointBytes,
    checkpointsBytes: countCheckpoints(spec) * checkpointBytes,
    ...(time === undefined ? {} : { secondsPerStep: time.range }),
    threads,
  };
}

/** What a machine is timed with for a model. */
export const ratesShape = ({ shape }: ModelConfig, microBatchTokens: number, threads: number) => ({
  rows: Math.min(2048, microBatchTokens),
  width: shape.hiddenSize,
  feedForward: shape.intermediateSize,
  threads,
});

async function estimateTime(
  spec: RunSpec,
  { config }: OpenedModel,
  parts: {
    readonly work: IterationWork;
    readonly held: HeldWeights;
    readonly most: IterationWork;
    readonly threads: number;
    readonly calibrate: typeof calibrateMachine;
  },
) {
  const rates = await parts.calibrate(ratesShape(config, spec.update.microBatchTokens, parts.threads));
  const { collect, update } = estimateSeconds(parts.work, parts.held, rates.wall);
  const high = estimateSeconds(parts.most, parts.held, rates.wall);
  const processor = estimateSeconds(parts.work, parts.held, rates.processor);
  const range: [low: number, high: number] = [lowShare * (collect + update), high.collect + high.update];
  return {
    expected: {
      collectSeconds: collect,
      updateSeconds: update,
      secondsPerStep: collect + update,
      processorSecondsPerStep: processor.collect + processor.update,
      collectProcessorSeconds: processor.collect,
    },
    range,
  };
}

const validates = ({ steps, validation: { every, atStart, atEnd } }: RunSpec): boolean =>
  (every > 0 && every <= steps) || atStart || atEnd;

/** Whether a validation samples more sequences at once than an iteration. */
export const peaksInValidation = (run: Pick<EstimatedRun, 'spec' | 'derived'>): boolean =>
  sampledAtOnce(run) > run.derived.trajectoriesPerStep + (run.derived.greedyPerStep ?? 0);

/** Sequences that a run samples at once at most; a validation may have more than an iteration. */
export const sampledAtOnce = ({ spec, derived }: Pick<EstimatedRun, 'spec' | 'derived'>): number =>
  Math.max(
    derived.trajectoriesPerStep + (derived.greedyPerStep ?? 0),
    validates(spec) ? mostValidated(spec) : 0,
  );

const lengthOf = (turns: readonly ExpectedTurn[]): number =>
  turns.reduce((sum, { shown, sampled }) => sum + shown + sampled, 0);

type Episodes = readonly (readonly ExpectedTurn[])[];

function describe(work: IterationWork, episodes: Episodes, whole: Episodes) {
  const mean = (of: (turns: readonly ExpectedTurn[]) => number): number =>
    episodes.reduce((sum, turns) => sum + of(turns), 0) / Math.max(1, episodes.length);
  return {
    turnsPerEpisode: mean((turns) => turns.length),
    tokensPerEpisode: mean(lengthOf),
    cutShare:
      episodes.filter(({ length }, i) => length < (whole[i]?.length ?? 0)).length /
      Math.max(1, episodes.length),
    wholeTokens: whole.map(lengthOf).reduce((most, length) => Math.max(most, length), 0),
    sampledTokens: work.sampling.sampledTokens,
    trainedTokens: work.trainedTokens,
    paddingShare: work.paddingShare,
  };
}

/** Environments are validated one after the other. */
const mostValidated = (spec: RunSpec): number =>
  Math.max(...listValidated(spec).map((one) => one.spec.validation.episodes));

/** Every trajectory with all turns, every reply with all tokens, every prompt with as many turns as it may have. */
function longestEpisodes(spec: RunSpec, { first, later }: PromptLengths): ExpectedTurn[][] {
  const { maxTurns, maxResponseTokens: sampled, promptsPerStep, groupSize, context } = spec.rollout;
  const most = context.turns === 'all' ? Infinity : context.turns;
  const turns = Array.from({ length: maxTurns }, (_, turn): ExpectedTurn => {
    if (turn === 0) return { shown: first, sampled };
    if (turn < most) return { shown: later, sampled };
    return { shown: first + (most - 1) * (later + sampled), sampled, isFresh: true };
  });
  return Array.from({ length: promptsPerStep * groupSize }, () => turns);
}

/** Ends episodes, or leaves out of prompts, what would exceed the context: a turn begins where its reply may have all its tokens. */
function fitting(
  episodes: Episodes,
  context: number,
  { maxResponseTokens, context: { whenFull } }: RunSpec['rollout'],
): ExpectedTurn[][] {
  const room = context - maxResponseTokens;
  return episodes.map((turns) => {
    const kept: ExpectedTurn[] = [];
    let length = 0;
    for (const turn of turns) {
      const prompt = (turn.isFresh === true ? 0 : length) + turn.shown;
      const isFull = prompt > room;
      if (isFull && (whenFull === 'end' || kept.length === 0)) break;
      kept.push(isFull ? { ...turn, shown: room, isFresh: true } : turn);
      length = Math.min(prompt, room) + turn.sampled;
    }
    return kept;
  });
}
