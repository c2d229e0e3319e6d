/**
 * @file The embedded engine: a model trained and sampled in this process through ONNX Runtime. It only composes
 * sequence-model.ts (training, scoring), optimizer-session.ts and sampler/ (sampling).
 */
import { cpus } from 'node:os';
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
import { requestedThreads } from '@espalier/contracts/values';
import { type ModelConfig, openModelFolder, parameterShapes, type Weight } from '@espalier/model';
import type { Provider, SessionOptions } from '@espalier/runtime';
import { checkSampleRequest, checkScoreRequest, type ModelLimits } from './check-requests.js';
import { OptimizerSession } from './optimizer-session.js';
import { ParameterStore } from './parameter-store.js';
import { Sampler } from './sampler/sampler.js';
import { SequenceModel } from './sequence-model.js';
import { createTrainable } from './trainable.js';

export interface EmbeddedEngineOptions {
  /** model folder in Hugging Face's layout; or give `config` and `weights` */
  readonly folder?: string;
  readonly config?: ModelConfig;
  readonly weights?: ReadonlyMap<string, Weight>;
  /** folder whose tokenizer files are saved with the weights; default: `folder` */
  readonly tokenizerFrom?: string;
  readonly provider?: Provider;
  /** default: OMP_NUM_THREADS, else all cores; results do not depend on it */
  readonly threads?: number;
  /** padded tokens computed at once by training and scoring; default 2048; a longer sequence goes alone */
  readonly microBatchTokens?: number;
  /** training computes each layer a second time instead of keeping its activations; default false */
  readonly recomputes?: boolean;
}

/** Opens a model as a policy engine. Throws model.* for a folder that is not a model, runtime.* for a device that is not there. */
export async function createEmbeddedEngine(options: EmbeddedEngineOptions): Promise<PolicyEngine> {
  const { config, shapes, read, close, source } = resolveModel(options);
  const session: SessionOptions = {
    provider: options.provider ?? 'cpu',
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  };
  const threads = threadsOf(options);
  const store = new ParameterStore(parameterShapes(config));
  try {
    store.fill(store.weights, shapes, read, source);
  } finally {
    close();
  }
  const limits: ModelLimits = {
    vocabularySize: config.shape.vocabularySize,
    contextLength: config.shape.contextLength,
  };
  const sequences = new SequenceModel({
    config,
    session,
    threads,
    microBatchTokens: options.microBatchTokens ?? 2048,
    recomputes: options.recomputes ?? false,
  });
  const optimizer = await OptimizerSession.create(session);
  const sampler = new Sampler({ config, session, threads, store });
  const tokenizerFrom = options.tokenizerFrom ?? options.folder;
  const shared = {
    config,
    limits,
    sequences,
    optimizer,
    ...(tokenizerFrom === undefined ? {} : { tokenizerFrom }),
  };
  const policy = createPolicy({ ...shared, role: 'policy', store }, sampler);
  return {
    description: describe(options, config, source, store),
    policy,
    openCritic: async () => createCritic(shared, store),
    openReference: async () => createReference(shared, store),
    async dispose() {
      await sampler.dispose();
      await sequences.dispose();
      await optimizer.dispose();
    },
  };
}

type Shared = Omit<Parameters<typeof createTrainable>[0], 'role' | 'store'>;

function createPolicy(options: Parameters<typeof createTrainable>[0], sampler: Sampler): PolicyModel {
  const { store, limits } = options;
  const trainable = createTrainable(options);
  return {
    ...trainable,
    get version() {
      return store.version;
    },
    async sample(request, signal) {
      checkSampleRequest(request, limits);
      return sampler.sample(request, signal);
    },
    score: (requests) => scoreWith(options, store, requests),
    release: (names) => sampler.release(names),
  };
}

function createCritic(shared: Shared, policy: ParameterStore): CriticModel {
  const store = new ParameterStore(parameterShapes(shared.config, 'critic'));
  store.copyWeights(policy);
  return {
    ...createTrainable({ ...shared, role: 'critic', store }),
    async values(requests) {
      checkAll('values', requests, shared.limits);
      const results = await shared.sequences.score(store, 'critic', requests);
      return results.map(({ values }) => values as Float32Array);
    },
  };
}

function createReference(shared: Shared, policy: ParameterStore): ScoringModel {
  const store = new ParameterStore(parameterShapes(shared.config));
  store.copyWeights(policy);
  return { score: (requests) => scoreWith(shared, store, requests), dispose: async () => undefined };
}

async function scoreWith(
  { sequences, limits }: Shared,
  store: ParameterStore,
  requests: readonly ScoreRequest[],
): Promise<TokenScores[]> {
  checkAll('score', requests, limits);
  const results = await sequences.score(store, 'policy', requests);
  return results.map(({ logprobs, entropies }) => ({
    logprobs: logprobs as Float32Array,
    entropies: entropies as Float32Array,
  }));
}

function checkAll(what: string, requests: readonly ScoreRequest[], limits: ModelLimits): void {
  requests.forEach((request, i) => checkScoreRequest(`${what}, request ${i}`, request, limits));
}

function resolveModel({
  folder,
  config,
  weights,
}: EmbeddedEngineOptions): Omit<ReturnType<typeof openModelFolder>, 'formats'> & { readonly source: string } {
  if (config !== undefined && weights !== undefined) {
    return {
      config,
      shapes: new Map([...weights].map(([name, { shape }]) => [name, shape])),
      read: (name, target) => target.set(weights.get(name)?.data ?? []),
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
  return { ...openModelFolder(folder), source: folder };
}

const threadsOf = ({ threads }: EmbeddedEngineOptions): number =>
  threads ?? requestedThreads(process.env) ?? cpus().length;

function describe(
  options: EmbeddedEngineOptions,
  config: ModelConfig,
  model: string,
  store: ParameterStore,
): EngineDescription {
  return {
    kind: 'embedded',
    model,
    parameterCount: store.parameterCount,
    vocabularySize: config.shape.vocabularySize,
    contextLength: config.shape.contextLength,
    provider: options.provider ?? 'cpu',
    threads: threadsOf(options),
  };
}
