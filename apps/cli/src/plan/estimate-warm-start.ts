/**
 * @file What a warm start of an existing model will hold: as much as a run that samples the episodes of its last validation
 * and trains on as many, because the same graphs are kept, by the demonstration that needs most.
 */
import { resolveRunSpec } from '@espalier/config';
import type { WarmStartSpec } from '@espalier/contracts';
import { estimateModel } from '@espalier/model';
import { predictIteration } from './estimate-run.js';
import type { OpenedModel } from '../local/open-model.js';
import type { Registry } from '../workspace.js';

export interface WarmStartEstimate {
  readonly parameters: number;
  readonly trainedParameters: number;
  /** highest resident memory of the process */
  readonly peakBytes: number;
}

/** Estimates the memory of a warm start. Throws what the environments throw when they are opened. */
export async function estimateWarmStart(
  spec: WarmStartSpec,
  model: OpenedModel,
  registry: Registry,
): Promise<WarmStartEstimate> {
  const { limits, choice } = model;
  const predicted = [];
  for (const demonstration of spec.demonstrations) {
    const run = resolveRunSpec(runLike(spec, demonstration), registry, () => ({ limits, choice }));
    predicted.push(await predictIteration({ ...run, model }, registry));
  }
  const { parameterCount } = estimateModel(model.config, { batchTokens: 1, contextLength: 1, rows: 1 });
  return {
    parameters: parameterCount,
    trainedParameters: predicted[0]?.held.trainedParameters ?? 0,
    peakBytes: predicted.reduce((most, { memory }) => Math.max(most, memory.total), 0),
  };
}

/** A run with the models, the episodes and the micro-batches of a warm start. */
function runLike(
  { model, lora, microBatchTokens, recompute, validation }: WarmStartSpec,
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
    validation: { every: 0, atStart: false, atEnd: false },
  };
}
