/**
 * @file Opens the models of a run and loads the weights and moments of a checkpoint into them. A checkpoint that equals
 * its manifest can still hold files that no engine loads; it counts as corrupt, and the next older whole one is used.
 */
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  type CriticModel,
  hasCode,
  type PolicyEngine,
  type PolicyModel,
  type RunSpec,
} from '@espalier/contracts';
import { isHubModel, type ModelChoice, rootOf } from '@espalier/contracts/model-choice';
import { createEmbeddedEngine } from '@espalier/engine';
import { loadModelConfig } from '@espalier/model';
import { createTinkerEngine, keyFor, type TinkerEngineOptions } from '@espalier/tinker';
import { loadCritics } from './critics.js';
import { findStart, resolveStart, type StartPoint } from './resume.js';

/**
 * Opens the embedded engine on a model folder with the device of the spec; the caller disposes it.
 *
 * @param base of the adapter in the folder
 * @param training adapters to train, the seed that they start from, and the model of the spec
 */
export async function openEngine(
  folder: string,
  { device, update }: Pick<RunSpec, 'device' | 'update'>,
  base?: string,
  training?: Pick<RunSpec, 'lora' | 'seed' | 'model'>,
): Promise<PolicyEngine> {
  const { provider, driver, precision, sampling, threads } = device;
  return createEmbeddedEngine({
    folder,
    base,
    provider,
    sampling,
    precision,
    ...(driver === undefined ? {} : { driver }),
    microBatchTokens: update.microBatchTokens,
    recompute: update.recompute,
    ...(device.memoryMb === undefined ? {} : { memoryBytes: device.memoryMb * 2 ** 20 }),
    ...(threads === undefined ? {} : { threads }),
    ...(training?.lora === undefined
      ? {}
      : { lora: { ...training.lora, seed: training.seed, base: describeBase(training.model) } }),
  });
}

/** What a policy samples on: the device without what it only trains in, whose library need not be there to play. */
export function samplingDevice(device: RunSpec['device']): RunSpec['device'] {
  if (device.sampling === 'bf16') return device;
  const { driver, ...others } = device;
  const chosen = driver === undefined || driver === 'openvino' ? {} : { driver };
  return { ...others, ...chosen, precision: 'float32' };
}

/** Opens an engine that only samples: with the same results as that of the run. */
export const openSamplingEngine = (folder: string, spec: RunSpec, base?: string): Promise<PolicyEngine> =>
  openEngine(folder, { ...spec, device: samplingDevice(spec.device) }, base);

/**
 * Opens the engine of a run: the embedded one, or a model on a server.
 *
 * @param runFolder names the run to the server
 * @throws what opening the model throws; engine.* when a server refuses
 */
export async function openRunEngine(
  folder: string,
  spec: RunSpec,
  base: string | undefined,
  runFolder: string,
  told: Pick<TinkerEngineOptions, 'onTrouble' | 'stop'>,
): Promise<PolicyEngine> {
  const { engine, lora, seed, rollout } = spec;
  if (engine === undefined) return openEngine(folder, spec, base, spec);
  const { shape } = loadModelConfig(folder);
  const { url, model, losses, reduction, saveEvery, patienceSeconds, resultSeconds } = engine;
  return createTinkerEngine({
    url,
    model,
    losses,
    reduction,
    saveEvery,
    apiKey: keyFor(url),
    patienceMs: 1000 * patienceSeconds,
    resultMs: 1000 * resultSeconds,
    lora: lora && { rank: lora.rank, seed },
    temperature: rollout.temperature,
    vocabularySize: shape.vocabularySize,
    contextLength: shape.contextLength,
    owner: `${hostname()}:${runFolder}`,
    ...told,
  });
}

/** What a base on a hub is found by; undefined: its folder. */
export function describeBase(model: ModelChoice): AdapterBaseName | undefined {
  const root = rootOf(model);
  return isHubModel(root) ? { name: root.hub, revision: root.revision } : undefined;
}

type AdapterBaseName = { readonly name: string; readonly revision: string };

export interface RestoredModels {
  readonly policy: PolicyModel;
  readonly critics: readonly CriticModel[];
}

/**
 * Loads the checkpoint that a run resumes from, or an older one if that fails.
 *
 * @param begun the start point found without loading weights
 * @returns the start point to use, with a warning for each checkpoint that cannot be loaded
 * @throws trainer.corrupt_checkpoint when none can be loaded; what resolveStart throws
 */
export async function restoreWeights(
  folder: string,
  spec: RunSpec,
  begun: StartPoint,
  models: RestoredModels,
): Promise<StartPoint> {
  const unusable = new Map<string, string>();
  for (let { checkpoint } = begun; checkpoint !== undefined; { checkpoint } = findStart(folder, unusable)) {
    const finding = await loadFrom(checkpoint.folder, models);
    if (finding === undefined) break;
    unusable.set(checkpoint.folder, finding);
  }
  if (unusable.size === 0) return begun;
  const point = resolveStart(folder, spec, true, unusable);
  // which step it goes on from is another one now
  const earlier = begun.warnings.filter(({ code }) => code !== 'trainer.device_changed');
  return { ...point, warnings: [...earlier, ...point.warnings] };
}

/** What files say that no engine can load. */
const unusable = [
  'model.not_found',
  'model.malformed_config',
  'model.malformed_safetensors',
  'model.malformed_tokenizer',
  'model.unsupported_config',
  'model.malformed_adapter',
  'model.unsupported_adapter',
] as const;

/** Loads a checkpoint; returns why that failed, if it did. */
export async function loadFrom(
  folder: string,
  { policy, critics }: RestoredModels,
): Promise<string | undefined> {
  try {
    await policy.load(join(folder, 'policy'), { optimizer: true });
    await loadCritics(folder, critics);
    return undefined;
  } catch (error) {
    if (hasCode(error, ...unusable)) return error.message;
    throw error;
  }
}
