import {
  applyOverrides,
  type ConfigInput,
  type FoundModel,
  loadConfig,
  type ResolvedRun,
  resolveRunSpec,
} from '@espalier/config';
import type { RunSpec } from '@espalier/contracts';
import { listAlgorithms } from '@espalier/contracts/mixing';
import { type ModelChoice, modelKeys } from '@espalier/contracts/model-choice';
import { chooseMicroBatchTokens } from '@espalier/engine';
import { estimateModel, type ModelConfig } from '@espalier/model';
import { paramsOf } from '@espalier/trainer';
import { validateForEngine } from '@espalier/tinker';
import { findGpuBytes } from '../plan/gpu-memory.js';
import { fitPrediction, memoryOf } from '../plan/fit-prediction.js';
import { countWeights } from '../plan/held-weights.js';
import { type OpenedModel, openModel } from './open-model.js';
import type { Console } from '../console.js';
import type { Registry } from '../workspace.js';

/** A run that could start: its spec and its model. */
export interface PlannedRun extends ResolvedRun {
  readonly model: OpenedModel;
  /** the model as the configuration names it */
  readonly named: ModelChoice;
  /** memory of the GPU that it would compute on; absent for other providers, and where there is no GPU */
  readonly gpuBytes?: number | undefined;
}

export interface PlanParts {
  readonly registry: Registry;
  /** shows a download */
  readonly console: Console;
  /** takes the place of the model of the configuration */
  readonly model?: ModelChoice;
  /** gives what a resumed run began with */
  readonly pin?: (spec: RunSpec) => PinnedParts;
}

/** What a resumed run keeps, whatever has changed around it since. */
export interface PinnedParts {
  /** takes the place of the named model */
  readonly model: ModelChoice | undefined;
  /** takes the place of what the memory of this machine allows */
  readonly microBatchTokens: number | undefined;
}

/**
 * Reads a configuration (a file, or one that was read) with overrides and resolves it against the installed plugins and
 * the model. Everything else is validated before the model is opened.
 *
 * @throws every error of bad input, before anything is written
 */
export async function planRun(
  source: string | ConfigInput,
  overrides: readonly string[],
  { registry, console, model, pin }: PlanParts,
): Promise<PlannedRun> {
  const replaced = model === undefined ? overrides : [...overrides, `model=${JSON.stringify(model)}`];
  const input = applyOverrides(typeof source === 'string' ? loadConfig(source) : source, replaced);
  const { spec } = resolveRunSpec(input, registry);
  refuseForEngine(spec, registry);
  const pinned = pin?.(spec);
  const opened = await openModel(pinned?.model ?? spec.model, registry, console, locateModel(input));
  const { limits, choice, config } = opened;
  const fitMicroBatch: FoundModel['fitMicroBatch'] = (wanted, chosen) =>
    spec.engine === undefined ? fitIntoMemory(wanted, chosen, config) : wanted;
  const begunMicroBatch = pinned?.microBatchTokens;
  const found = { limits, choice, begunMicroBatch };
  const resolved = resolveRunSpec(input, registry, () => ({ ...found, fitMicroBatch }));
  const gpuBytes = spec.engine === undefined ? await findGpuBytes(spec.device) : undefined;
  const run = { ...resolved, model: opened, named: spec.model, gpuBytes };
  if (
    spec.engine !== undefined ||
    begunMicroBatch !== undefined ||
    input.origins.has('update.microBatchTokens')
  )
    return run;
  const tokens = await fitPrediction(run, registry);
  if (tokens === run.spec.update.microBatchTokens) return run;
  return { ...run, ...resolveRunSpec(input, registry, () => ({ ...found, fitMicroBatch: () => tokens })) };
}

/** Refuses what the server of a run cannot do, before the model is opened. @throws engine.unsupported */
function refuseForEngine(spec: RunSpec, registry: Registry): void {
  if (spec.engine === undefined) return;
  for (const { chosen } of listAlgorithms(spec)) {
    const algorithm = registry.get('algorithm', chosen.use);
    const params = paramsOf(chosen);
    validateForEngine(spec, algorithm.needs(params), algorithm.policyLoss(params));
  }
}

function fitIntoMemory(
  wanted: number,
  { lora, update, device }: Parameters<NonNullable<FoundModel['fitMicroBatch']>>[1],
  config: ModelConfig,
): number {
  const memoryBytes = memoryOf(device);
  if (memoryBytes === undefined) return wanted;
  const { parameterCount } = estimateModel(config, { batchTokens: 1, contextLength: 1, rows: 1 });
  const { trainedParameters } = countWeights({ lora, device }, config, { critics: 0, reference: false });
  return chooseMicroBatchTokens(update.recompute, wanted, {
    config,
    parameterCount,
    trainedCount: trainedParameters,
    baseDtype: lora?.baseDtype,
    memoryBytes,
  });
}

/** Where the model was written, for messages. */
function locateModel({ file, origins, positions }: ConfigInput): string | undefined {
  const key = modelKeys.find((name) => origins.has(`model.${name}`));
  if (key === undefined || origins.get(`model.${key}`) === '--set') return undefined;
  const position = positions.get(`model.${key}`) ?? positions.get('model');
  return position === undefined ? undefined : `${file}:${position}`;
}
