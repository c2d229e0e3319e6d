/** @file Whether a run fits into memory as it is predicted: halves micro-batches that were chosen by the model alone. */
import type { RunSpec } from '@espalier/contracts';
import { machineBytes } from '@espalier/contracts/values';
import { estimateKeptSessions, FEWEST_TOKENS } from '@espalier/engine';
import { estimateModel } from '@espalier/model';
import { playsAgents } from './agent-runs.js';
import { arenaShare, baselineBytes } from './estimate-iteration.js';
import { type EstimatedRun, predictIteration } from './estimate-run.js';
import { countWeights } from './held-weights.js';
import { readAlgorithms } from './run-graphs.js';
import type { Registry } from '../workspace.js';

/** Memory that limits micro-batches; undefined: that of a GPU, which nothing here knows. */
export function memoryOf({ provider, memoryMb }: RunSpec['device']): number | undefined {
  if (memoryMb !== undefined) return memoryMb * 2 ** 20;
  return provider === 'cpu' ? machineBytes() : undefined;
}

/**
 * Chooses the tokens of a micro-batch by the estimate that `plan` prints: those of the spec, or half as often as it asks
 * for. Where none fit, because other things need the memory, those of the spec: smaller ones would only be slower.
 */
export async function fitPrediction(run: EstimatedRun, registry: Registry): Promise<number> {
  const { spec } = run;
  const first = spec.update.microBatchTokens;
  const memoryBytes = memoryOf(spec.device);
  if (memoryBytes === undefined || boundOf(run, registry) <= 0.75 * memoryBytes) return first;
  if (playsAgents(spec, registry)) return first;
  for (let tokens = first; tokens >= FEWEST_TOKENS; tokens = Math.floor(tokens / 2)) {
    const update = { ...spec.update, microBatchTokens: tokens };
    const { memory } = await predictIteration({ ...run, spec: { ...spec, update } }, registry);
    if (memory.total <= memoryBytes) return tokens;
  }
  return first;
}

/** Bytes that models and training take at most; a prediction takes seconds, and few runs are near their limit. */
export function boundOf({ spec, model: { config } }: EstimatedRun, registry: Registry): number {
  const { microBatchTokens } = spec.update;
  const { weightBytes, mergedBytes } = countWeights(spec, config, {
    critics: Math.max(1, readAlgorithms(spec, registry).critics),
    reference: true,
  });
  const { activationBytes, samplingWeightBytes } = estimateModel(config, {
    batchTokens: microBatchTokens,
    contextLength: Math.min(1024, config.shape.contextLength),
    rows: 1,
  });
  const sessions = arenaShare * estimateKeptSessions(config, microBatchTokens) * activationBytes;
  return baselineBytes + 1.5 * weightBytes + mergedBytes + samplingWeightBytes + sessions;
}
