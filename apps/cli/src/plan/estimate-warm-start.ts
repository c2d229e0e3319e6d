/**
 * @file What a warm start of an existing model will cost. It holds as much as a run that samples the episodes of its last
 * validation and trains on as many, because the same graphs are kept, by the demonstration that needs most. Its time is that
 * of its first optimizer steps, which the teacher plays, as often as its tokens ask for.
 */
import { resolveRunSpec } from '@espalier/config';
import type { WarmStartSpec } from '@espalier/contracts';
import { estimateKeptSessions, measurePadding } from '@espalier/engine';
import { expectSteps, warmStartBytes } from '@espalier/imitation';
import { estimateModel, loadTokenizer } from '@espalier/model';
import { calibrateMachine, type MachineRates } from './calibrate.js';
import { secondsOfUpdates } from './estimate-iteration.js';
import {
  type EstimatedRun,
  isTimed,
  lowShare,
  predictIteration,
  ratesShape,
  threadsOf,
} from './estimate-run.js';
import type { OpenedModel } from '../local/open-model.js';
import type { RunGraphs, RunSetting } from './run-graphs.js';

export interface WarmStartEstimate {
  readonly parameters: number;
  readonly trainedParameters: number;
  /** highest resident memory of the process */
  readonly peakBytes: number;
  /** bytes on the disk at once */
  readonly diskBytes: number;
  /** optimizer steps */
  readonly steps: number;
  /** for all steps on the CPU, and the least that it may be; checks left out */
  readonly seconds?: { readonly expected: number; readonly low: number };
  readonly threads: number;
}

/** Estimates the memory, the disk space and the time of a warm start. Throws what the environments throw when they are opened. */
export async function estimateWarmStart(
  spec: WarmStartSpec,
  model: OpenedModel,
  parts: RunSetting,
  calibrate = calibrateMachine,
): Promise<WarmStartEstimate> {
  const { registry } = parts;
  const { limits, config } = model;
  const predicted = [];
  for (const run of listDemonstrationRuns(spec, model, parts))
    predicted.push(await predictIteration(run, registry));
  const { parameterCount } = estimateModel(config, { batchTokens: 1, contextLength: 1, rows: 1 });
  const trainedParameters = predicted[0]?.held.trainedParameters ?? 0;
  const threads = threadsOf(spec.device);
  const { sampled, steps } = await expectSteps(spec, registry, {
    tokenizer: loadTokenizer(model.folder),
    contextLength: limits.contextLength,
  });
  const graphs = predicted[0]?.graphs;
  const shape = ratesShape(config, Math.min(spec.batchTokens, spec.microBatchTokens), threads);
  const expected =
    graphs === undefined || !isTimed(spec.device)
      ? undefined
      : (steps / sampled.length) *
        secondsOfSteps(sampled, { spec, model, graphs, trainedParameters }, (await calibrate(shape)).wall);
  return {
    parameters: parameterCount,
    trainedParameters,
    peakBytes: predicted.reduce((most, { memory }) => Math.max(most, memory.total), 0),
    diskBytes: warmStartBytes(spec, config),
    steps,
    ...(expected === undefined ? {} : { seconds: { expected, low: lowShare * expected } }),
    threads,
  };
}

/** Runs that hold as much as a warm start does, one for each demonstration. */
export const listDemonstrationRuns = (
  spec: WarmStartSpec,
  model: OpenedModel,
  { registry, gpuBytes }: RunSetting,
): EstimatedRun[] =>
  spec.demonstrations.map((demonstration) => {
    const { limits, choice } = model;
    const run = resolveRunSpec(runLike(spec, demonstration), registry, () => ({ limits, choice }));
    return { ...run, model, gpuBytes };
  });

/** Seconds of one core for each node of a training graph that is opened: 1.6 to 2.0 s for SmolLM2 with adapters. */
const openingSeconds = 80e-6;

/** The loss of a run costs as much as the likelihood of the teacher's tokens. A large model keeps one or two graphs open. */
function secondsOfSteps(
  sampled: readonly Parameters<typeof measurePadding>[0][],
  parts: {
    readonly spec: WarmStartSpec;
    readonly model: OpenedModel;
    readonly graphs: RunGraphs;
    readonly trainedParameters: number;
  },
  rates: MachineRates,
): number {
  const { spec, model, graphs, trainedParameters } = parts;
  const planned = sampled.flatMap((step) => measurePadding(step, spec.microBatchTokens).microBatches);
  const costs = planned.map((sizes) => graphs.train('policy', sizes));
  const layouts = planned.map(({ layout }) => JSON.stringify(layout));
  const kept = estimateKeptSessions(model.config, spec.microBatchTokens);
  const opened = listOpened(layouts, kept).reduce((nodes, index) => nodes + (costs[index]?.nodes ?? 0), 0);
  const updates = secondsOfUpdates(costs, { steps: sampled.length, trainedParameters }, rates);
  return updates + openingSeconds * opened;
}

/** Lists where a graph is needed that is not among the last ones used. */
export function listOpened(layouts: readonly string[], kept: number): number[] {
  const open: string[] = [];
  return layouts.flatMap((layout, index) => {
    const place = open.indexOf(layout);
    if (place >= 0) open.splice(place, 1);
    open.push(layout);
    if (open.length > kept) open.shift();
    return place >= 0 ? [] : [index];
  });
}

/** A run with the models, the episodes and the micro-batches of a warm start. */
function runLike(
  { model, lora, microBatchTokens, recompute, validation, device }: WarmStartSpec,
  { environment, rollout }: WarmStartSpec['demonstrations'][number],
): Readonly<Record<string, unknown>> {
  const groupSize = 2;
  return {
    model,
    ...(lora === undefined ? {} : { lora: { ...lora, critic: 'head' } }),
    environment,
    algorithm: { use: 'grpo' },
    rollout: { ...rollout, promptsPerStep: Math.ceil(validation.finalEpisodes / groupSize), groupSize },
    update: { microBatchTokens, recompute },
    device,
    validation: { every: 0, atStart: false, atEnd: false },
  };
}
