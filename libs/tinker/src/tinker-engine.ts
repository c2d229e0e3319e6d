/**
 * @file A policy engine on a server of the Tinker API. Losses go by name or linearised (loss/loss-route.ts); a lost server is
 * made good (client/remote-model.ts); whatever an answer claims is checked before anything is trained on it. There is no
 * critic, and no entropy of whole distributions: −log-probability of a sampled token stands in for it in metrics, which
 * has the same mean. Our own server gives entropies and takes other temperatures, by extensions that it declares.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AppError,
  type EngineDescription,
  type PolicyEngine,
  type PolicyModel,
  type ScoringModel,
} from '@espalier/contracts';
import { z } from 'zod';
import { connect, type Connection } from './client/connection.js';
import { measureReduction } from './client/measure-reduction.js';
import { type LoraRequest, RemoteModel, type SavedState } from './client/remote-model.js';
import { createRemoteSampler } from './client/remote-sampler.js';
import type { LossPreference } from './loss/loss-route.js';
import { isSummed, type LinearDatum, type Reduction, summed } from './loss/wire-data.js';
import { learn, type PassContext, refuseTemperature, score, stepWith } from './remote-passes.js';

export interface TinkerEngineOptions {
  /** root of the server, such as http://127.0.0.1:8000 */
  readonly url: string;
  /** name of the base model on the server */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** undefined: all weights are trained, where the server can do that */
  readonly lora?: LoraRequest | undefined;
  /** rows of the embedding */
  readonly vocabularySize: number;
  /** longest sequence; the server may know a shorter one */
  readonly contextLength: number;
  readonly losses?: LossPreference;
  /** default: measured */
  readonly reduction?: 'measured' | 'sum';
  /** default 10 */
  readonly saveEvery?: number;
  /** default 300 s */
  readonly patienceMs?: number;
  /** longest that the server may work on one request; default an hour */
  readonly resultMs?: number;
  /** from when on a result is late; default 30 s */
  readonly lateMs?: number;
  /** that the run samples and trains at; default 1 */
  readonly temperature?: number;
  /** tokens of a request at most; default 100,000 */
  readonly requestTokens?: number;
  /** names the run, so that our own server frees what an earlier process of it held */
  readonly owner?: string | undefined;
  /** told once in each outage of the server that lasts */
  readonly onTrouble?: ((message: string) => void) | undefined;
  /** asks the run to stop: it then waits for nothing that is late */
  readonly stop?: AbortSignal | undefined;
}

/** What a checkpoint holds of a model whose weights are on a server. */
const remoteFile = 'remote.json';
const remoteState = z.object({
  format: z.literal(1),
  url: z.string(),
  model: z.string(),
  path: z.string().startsWith('tinker://'),
  version: z.int().min(0),
});

interface Opened extends PassContext {
  readonly options: TinkerEngineOptions;
  createModel(): RemoteModel;
}

/**
 * Opens a session with a server and a model of its own there; the caller disposes it.
 *
 * @throws engine.unreachable, engine.overloaded, engine.denied, engine.unknown_model, engine.unsupported, engine.bad_answer
 */
export async function createTinkerEngine(options: TinkerEngineOptions): Promise<PolicyEngine> {
  const { url, model, apiKey, patienceMs = 300_000, lora, saveEvery = 10 } = options;
  const { owner, onTrouble, resultMs, lateMs, stop } = options;
  const told = { owner, onTrouble, stop };
  const connection = await connect({ url, model, apiKey, patienceMs, resultMs, lateMs, ...told });
  let models = 0;
  const createName = (): string => `espalier-${randomUUID()}`;
  const createModel = (): RemoteModel =>
    new RemoteModel({ connection, model, lora, saveEvery, createName }, () => models++);
  try {
    const { temperature = 1 } = options;
    if (temperature !== 1 && connection.capabilities.espalier === undefined)
      throw refuseTemperature(temperature);
    const reduction = await findReduction(connection, createModel, options.reduction);
    const contextLength = Math.min(options.contextLength, connection.contextLength ?? Infinity);
    const description = describeEngine(options, contextLength, connection, reduction);
    const opened: Opened = { options, connection, description, reduction, createModel };
    const policy = createPolicy(opened);
    return {
      description,
      policy,
      openCritic: () => Promise.reject(refuseCritic()),
      openReference: () => openReference(opened, policy),
      openSampler: () => Promise.reject(refuseSampler()),
      async dispose() {
        await policy.dispose();
        connection.close();
      },
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The refusal of sampling ahead. */
const refuseSampler = (): AppError =>
  new AppError(
    'engine.unsupported',
    'open sampler: an engine behind the Tinker API has no copy of the policy that samples while it learns; set rollout.ahead to 0',
  );

/** The refusal of an algorithm with a critic. */
export function refuseCritic(): AppError {
  return new AppError(
    'engine.unsupported',
    'engine tinker: the Tinker API trains no critic; choose an algorithm without one, such as grpo, or algorithm.estimator: group',
  );
}

async function findReduction(
  connection: Connection,
  createModel: () => RemoteModel,
  told: TinkerEngineOptions['reduction'],
): Promise<Reduction> {
  if (connection.capabilities.espalier !== undefined || told === 'sum') return summed;
  const scratch = createModel();
  try {
    return await measureReduction(scratch);
  } finally {
    await scratch.unload();
  }
}

function describeEngine(
  { url, model, vocabularySize }: TinkerEngineOptions,
  contextLength: number,
  { capabilities: { espalier } }: Connection,
  reduction: Reduction,
): EngineDescription {
  const notes = [
    ...(espalier === undefined
      ? [
          'entropies are those of the sampled tokens, −log-probability, since the server gives no others: policy/entropy is an estimate with the same mean',
        ]
      : []),
    ...(isSummed(reduction)
      ? []
      : [
          'the server divides losses by lengths and numbers of sequences, as was measured; weights are sent so that this cancels',
        ]),
  ];
  return {
    kind: 'tinker',
    model: `${model} at ${url}`,
    parameterCount: 0,
    vocabularySize,
    contextLength,
    provider: espalier === undefined ? 'tinker' : 'espalier',
    threads: 0,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

type TinkerPolicy = PolicyModel & { readonly remote: RemoteModel };

function createPolicy(opened: Opened): TinkerPolicy {
  const { description, options } = opened;
  const remote = opened.createModel();
  const sampler = createRemoteSampler(opened.connection, remote, description);
  /** of losses that go linearised: sent with the next step, so that they can be dropped until then */
  let deferred: LinearDatum[] = [];
  const drop = (): void => {
    deferred = [];
    remote.drop();
  };
  return {
    remote,
    get version() {
      return remote.version;
    },
    sample: sampler.sample,
    release: sampler.release,
    score: (requests) => score(opened, remote, requests),
    async forwardBackward(batch, loss) {
      try {
        return await learn(opened, remote, { batch, loss, keep: (data) => deferred.push(...data) });
      } catch (error) {
        drop();
        throw error;
      }
    },
    async optimizerStep(step) {
      try {
        const data = deferred;
        deferred = [];
        return await stepWith(opened, remote, data, step);
      } catch (error) {
        drop();
        throw error;
      }
    },
    async zeroGradients() {
      drop();
    },
    async save(folder) {
      const { path, version } = await remote.save(`espalier-${randomUUID()}`);
      const { url, model } = options;
      writeFileSync(
        join(folder, remoteFile),
        JSON.stringify({ format: 1, url, model, path, version }, null, 2),
      );
    },
    async load(folder) {
      drop();
      await remote.load(readState(folder, options));
    },
    dispose: () => remote.unload(),
  };
}

/** Reads where the weights of a checkpoint are. @throws model.malformed_config, engine.unsupported */
function readState(folder: string, { model }: TinkerEngineOptions): SavedState {
  const path = join(folder, remoteFile);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new AppError(
      'model.malformed_config',
      `${path}: it cannot be read; a checkpoint of engine tinker names there where its weights are`,
      { cause },
    );
  }
  const parsed = remoteState.safeParse(value);
  if (!parsed.success)
    throw new AppError(
      'model.malformed_config',
      `${path}: it does not name saved weights of a server; restore it`,
    );
  if (parsed.data.model === model) return parsed.data;
  throw new AppError(
    'engine.unsupported',
    `load ${path}: the weights are of "${parsed.data.model}", and engine.model is "${model}"; name the same model`,
  );
}

/** A second model: the base where nothing was trained yet, else loaded from what the policy saves now. */
async function openReference(opened: Opened, { remote }: TinkerPolicy): Promise<ScoringModel> {
  const model = opened.createModel();
  if (remote.version > 0) await model.load(await remote.save(`espalier-${randomUUID()}`));
  return {
    score: (requests) => score(opened, model, requests),
    dispose: () => model.unload(),
  };
}
