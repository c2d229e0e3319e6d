/**
 * @file The embedded engine: a model trained and sampled in this process through ONNX Runtime. It only composes
 * sequence-model.ts (training, scoring), optimizer-session.ts and sampler/ (sampling).
 */
import {
  AppError,
  type CriticModel,
  type EngineDescription,
  type PolicyEngine,
  type PolicyModel,
  type ScoreRequest,
  type ScoringModel,
  type TokenScores,
} from '@espalier/contracts';
import { machineBytes, usableThreads } from '@espalier/contracts/values';
import { type ModelConfig, openModelFolder, type Weight } from '@espalier/model';
import {
  findLoraProblem,
  type LoraConfig,
  needsBase,
  openAdapted,
  resolveLora,
} from '@espalier/model/adapters';
import {
  type DriverName,
  type Precision,
  type Provider,
  openDeviceMemory,
  openGpuCounter,
  requireDriver,
  resolveDriver,
  returnFreedMemory,
  type SessionOptions,
} from '@espalier/runtime';
import type { AdapterFiles } from './adapter-files.js';
import { checkSampleRequest, checkScoreRequest, type ModelLimits } from './check-requests.js';
import {
  createFullModels,
  createLoraModels,
  type EngineLora,
  type EngineModels,
  type WeightSource,
} from './engine-models.js';
import { chooseRecompute, type RecomputeMode } from './memory-choice.js';
import { OptimizerSession } from './optimizer-session.js';
import { Sampler } from './sampler/sampler.js';
import type { SamplingPrecision } from './sampler/sampling-sessions.js';
import { isLargeModel } from './session-budget.js';
import { SequenceModel, type SequenceWeights } from './sequence-model.js';
import { createTrainable } from './trainable.js';

export interface EmbeddedEngineOptions {
  /** model folder in Hugging Face's layout; or give `config` and `weights` */
  readonly folder?: string;
  /** whole model that the adapter in `folder` was trained on */
  readonly base?: string | undefined;
  readonly config?: ModelConfig;
  readonly weights?: ReadonlyMap<string, Weight>;
  /** folder whose tokenizer files are saved with the weights; default: `folder` */
  readonly tokenizerFrom?: string;
  readonly provider?: Provider;
  /** default: native on cuda and webgpu, openvino for bf16, else onnxruntime-node. Beside openvino, the optimizer has the latter, and so has sampling unless in bf16 */
  readonly driver?: DriverName;
  /** of products in training and scoring; default float32 */
  readonly precision?: Precision;
  /** default: OMP_NUM_THREADS, else all cores; results do not depend on it */
  readonly threads?: number;
  /** what is sampled in: float32; bf16, by OpenVINO as training is; or weights rounded to int8 after each update; default float32 */
  readonly sampling?: SamplingPrecision;
  /** padded tokens computed at once by training and scoring; default 2048; a longer sequence goes alone */
  readonly microBatchTokens?: number;
  /** training computes each layer a second time instead of keeping its activations; default auto: if memory asks for it */
  readonly recompute?: RecomputeMode;
  /** most that the process may hold; default: the memory of the machine or container */
  readonly memoryBytes?: number;
  /** train low-rank adapters; the model's own weights are frozen */
  readonly lora?: LoraConfig & Omit<EngineLora, 'shape'> & Pick<AdapterFiles, 'base'>;
}

/** Opens a model as a policy engine. Throws model.* for a folder that is not a model, runtime.* for a device that is not there. */
export async function createEmbeddedEngine(options: EmbeddedEngineOptions): Promise<PolicyEngine> {
  const trained = sessionOf(options);
  if (trained.provider !== 'cuda') await requireDriver(trained);
  const { close, ...source } = resolveModel(options);
  const { config } = source;
  const session = sessionOf({ ...options, driver: samplingDriver(options), precision: 'float32' });
  const threads = threadsOf(options);
  if (isLargeModel(config)) await returnFreedMemory();
  let models: EngineModels;
  try {
    models = openModels(source, options);
  } finally {
    close();
  }
  const memory = await openDeviceMemory(session);
  const isLarge = isLargeModel(config, memory?.totalBytes);
  const limits: ModelLimits = {
    vocabularySize: config.shape.vocabularySize,
    contextLength: config.shape.contextLength,
  };
  const { sampling: precision } = options;
  const sampling = { config, session: precision === 'bf16' ? trained : session, precision, threads, memory };
  const makeRoom = (): Promise<void> => sequences.release();
  const sampler = new Sampler({ ...sampling, weights: models.sampled, makeRoom });
  const sequences = new SequenceModel({
    config,
    session: trained,
    threads,
    microBatchTokens: options.microBatchTokens ?? 2048,
    deviceBytes: memory?.totalBytes,
    recomputes: chooseRecompute(options.recompute ?? 'auto', {
      config,
      microBatchTokens: options.microBatchTokens ?? 2048,
      parameterCount: models.parameterCount,
      trainedCount: models.policy.store.parameterCount,
      baseDtype: models.policy.model.baseDtype,
      memoryBytes: memory?.totalBytes ?? options.memoryBytes ?? machineBytes(),
    }),
    rank: options.lora?.rank,
    makeRoom: isLarge ? () => sampler.releaseMatrices() : undefined,
  });
  const optimizer = await OptimizerSession.create(session, memory);
  const tokenizerFrom = options.tokenizerFrom ?? options.folder;
  const shared = {
    config,
    limits,
    sequences,
    optimizer,
    ...(tokenizerFrom === undefined ? {} : { tokenizerFrom }),
  };
  const policy = createPolicy(
    { ...shared, isLarge, weights: models.policy, ...adapterFiles(config, options) },
    sampler,
  );
  const readDeviceJoules = await openGpuCounter(options.provider ?? 'cpu');
  return {
    description: describe(options, config, source.source, models.parameterCount),
    policy,
    ...(readDeviceJoules === undefined ? {} : { readDeviceJoules }),
    openCritic: async (headSeed) => createCritic(shared, await models.openCritic(headSeed)),
    openReference: async () => createReference(shared, models.openReference()),
    openSampler: async () => {
      const { sampled, refresh } = models.openSampled();
      return createSamplingCopy(new Sampler({ ...sampling, weights: sampled, makeRoom }), {
        limits,
        sampled,
        refresh,
      });
    },
    async dispose() {
      await sampler.dispose();
      await sequences.dispose();
      await optimizer.dispose();
      await models.dispose();
    },
  };
}

/** The optimizer and sampling in float32 and int8 gain nothing by OpenVINO. */
function samplingDriver(options: EmbeddedEngineOptions): DriverName {
  const driver = resolveDriver(options);
  return driver === 'openvino' ? 'onnxruntime-node' : driver;
}

function sessionOf({ provider = 'cpu', driver, precision, threads }: EmbeddedEngineOptions): SessionOptions {
  return {
    provider,
    ...(driver === undefined ? {} : { driver }),
    ...(precision === undefined ? {} : { precision }),
    ...(threads === undefined ? {} : { threads }),
  };
}

function adapterFiles(model: ModelConfig, { lora, folder, base }: EmbeddedEngineOptions) {
  if (lora === undefined) return {};
  return { adapter: { model, config: lora, folder: base ?? folder, base: lora.base } };
}

function openModels(source: WeightSource, options: EmbeddedEngineOptions): EngineModels {
  const { lora, sampling = 'float32', precision, provider = 'cpu' } = options;
  if (sampling !== 'float32' && provider !== 'cpu')
    throw new AppError(
      'engine.invalid_request',
      `open ${source.source}: only the CPU samples in ${sampling}; choose device.sampling float32, or device.provider cpu`,
    );
  if (sampling === 'bf16' && precision !== 'bf16')
    throw new AppError(
      'engine.invalid_request',
      `open ${source.source}: sampling in bf16 needs device.precision bf16; choose it, or device.sampling float32`,
    );
  if (lora === undefined) return createFullModels(source);
  const problem = findLoraProblem(source.config, lora);
  if (problem !== undefined)
    throw new AppError('engine.invalid_request', `open ${source.source}: lora.${problem[0]} ${problem[1]}`);
  if (lora.baseDtype !== undefined && lora.baseDtype !== 'float32' && provider !== 'cpu')
    throw new AppError(
      'engine.invalid_request',
      `open ${source.source}: only the CPU computes with lora.baseDtype ${lora.baseDtype}; choose float32, or device.provider cpu`,
    );
  if (lora.baseDtype !== undefined && lora.baseDtype !== 'float32' && resolveDriver(options) === 'openvino')
    throw new AppError(
      'engine.invalid_request',
      `open ${source.source}: OpenVINO does not compute with lora.baseDtype ${lora.baseDtype}; choose float32, or leave bf16 and device.driver out`,
    );
  return createLoraModels(source, { ...lora, shape: resolveLora(source.config, lora) }, threadsOf(options));
}

type Shared = Omit<Parameters<typeof createTrainable>[0], 'weights'>;

function createPolicy(
  options: Parameters<typeof createTrainable>[0] & { /** gives memory back */ readonly isLarge: boolean },
  sampler: Sampler,
): PolicyModel {
  const { weights, limits } = options;
  const trainable = createTrainable(options);
  return {
    ...trainable,
    async forwardBackward(batch, loss, others) {
      await sampler.releaseMatrices();
      return trainable.forwardBackward(batch, loss, others);
    },
    get version() {
      return weights.store.version;
    },
    async sample(request, signal, watch) {
      checkSampleRequest(request, limits);
      if (options.isLarge) await options.sequences.release();
      return sampler.sample(request, signal, watch);
    },
    score: (requests) => scoreWith(options, weights, requests),
    release: (names) => sampler.release(names),
  };
}

function createCritic(shared: Shared, weights: SequenceWeights): CriticModel {
  return {
    ...createTrainable({ ...shared, weights }),
    async values(requests) {
      checkAll('values', requests, shared.limits);
      const results = await shared.sequences.score(weights, requests);
      return results.map(({ values }) => values as Float32Array);
    },
  };
}

type SamplingCopy = Awaited<ReturnType<PolicyEngine['openSampler']>>;

/** The policy's own sampler gives its memory back while the policy learns; this one is sampling then. */
function createSamplingCopy(
  sampler: Sampler,
  { limits, sampled, refresh }: { readonly limits: ModelLimits } & ReturnType<EngineModels['openSampled']>,
): SamplingCopy {
  return {
    get version() {
      return sampled.version;
    },
    async sample(request, signal) {
      checkSampleRequest(request, limits);
      return sampler.sample(request, signal);
    },
    release: (names) => sampler.release(names),
    refresh: async () => refresh(),
    dispose: () => sampler.dispose(),
  };
}

function createReference(shared: Shared, weights: SequenceWeights): ScoringModel {
  return {
    score: (requests) => scoreWith(shared, weights, requests),
    dispose: async () => weights.store.releaseDevice(),
  };
}

async function scoreWith(
  { sequences, limits }: Shared,
  weights: SequenceWeights,
  requests: readonly ScoreRequest[],
): Promise<TokenScores[]> {
  checkAll('score', requests, limits);
  const results = await sequences.score(weights, requests);
  return results.map(({ logprobs, entropies }) => ({
    logprobs: logprobs as Float32Array,
    entropies: entropies as Float32Array,
  }));
}

function checkAll(what: string, requests: readonly ScoreRequest[], limits: ModelLimits): void {
  requests.forEach((request, i) => checkScoreRequest(`${what}, request ${i}`, request, limits));
}

function resolveModel(options: EmbeddedEngineOptions): WeightSource & { close(): void } {
  const { folder, base, config, weights } = options;
  if (config !== undefined && weights !== undefined) {
    return {
      config,
      shapes: new Map([...weights].map(([name, { shape }]) => [name, shape])),
      read: (name, target, from = 0) =>
        target.set(weights.get(name)?.data.subarray(from, from + target.length) ?? []),
      close: () => undefined,
      source: folder ?? 'weights in memory',
    };
  }
  if (folder === undefined) {
    throw new AppError(
      'engine.invalid_request',
      'embedded engine: neither a folder nor config and weights; give one of them',
    );
  }
  if (options.lora === undefined || !needsBase(folder))
    return { ...openModelFolder(folder, base), source: folder };
  const adapted = openAdapted(folder, base);
  return { ...adapted.base, adapter: adapted.adapter, source: folder };
}

const threadsOf = ({ threads }: EmbeddedEngineOptions): number => threads ?? usableThreads();

function describe(
  options: EmbeddedEngineOptions,
  config: ModelConfig,
  model: string,
  parameterCount: number,
): EngineDescription {
  return {
    kind: 'embedded',
    model,
    parameterCount,
    vocabularySize: config.shape.vocabularySize,
    contextLength: config.shape.contextLength,
    provider: options.provider ?? 'cpu',
    threads: threadsOf(options),
  };
}
