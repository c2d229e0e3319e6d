/**
 * @file What a server of the Tinker API holds: sessions, the models and samplers of each, and saved weights. Sessions end when
 * they send no heartbeat, or when a client of the same owner opens another: a resumed run takes over from itself.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type PolicyEngine, type PolicyModel } from '@espalier/contracts';
import { deriveSeed } from '@espalier/random';
import type { WirePass, WirePassResult, WireSample } from '../wire/protobuf.js';
import type { TracedLoss } from '../wire/traced-loss.js';
import type { Turn } from '../wire/turn.js';
import { compileLoss, type CustomLoss } from './custom-loss.js';
import { learnOn, scoreOn } from './run-pass.js';
import { SavedWeights, type WeightsKind } from './saved-weights.js';
import { type LoraConfigJson, type ServedBase, ServedModel, type Snapshot } from './served-model.js';
import { SpareEngine } from './spare-engine.js';

export interface HostOptions {
  readonly models: readonly ServedBase[];
  /** where weights are saved */
  readonly folder: string;
  /** trained at once at most */
  readonly maxModels: number;
  /** without a heartbeat */
  readonly sessionMs: number;
  /** how long a request waits for the one before it */
  readonly orderMs: number;
}

interface Session {
  readonly id: string;
  readonly owner: string | undefined;
  /** by their ids */
  readonly losses: Map<string, CustomLoss>;
  lastSeen: number;
}

/** Where a sampler takes its weights from. */
type Sampler = { readonly id: string; readonly sessionId: string; readonly base: ServedBase } & (
  | { readonly model: ServedModel; readonly snapshot: Snapshot | undefined }
  | { readonly path: string | undefined }
);

export interface SampleCall {
  readonly samplerId: string | undefined;
  readonly baseModel: string | undefined;
  readonly modelPath: string | undefined;
  readonly count: number;
  readonly tokens: Int32Array;
  readonly promptLogprobs: boolean;
  readonly maxTokens: number;
  readonly seed: number;
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly stopTokens: readonly number[];
  readonly stopSequences: readonly (readonly number[])[];
  /** of our own client: the sequence that grows, and its shared prefix */
  readonly sequence: string | undefined;
  readonly sharedPrefix: number | undefined;
}

/** Losses of a session. */
const mostLosses = 100;

export class ModelHost {
  private readonly sessions = new Map<string, Session>();
  private readonly models = new Map<string, ServedModel>();
  private readonly samplers = new Map<string, Sampler>();
  private readonly saved: SavedWeights;
  private readonly snapshots: string;
  private readonly sweep: NodeJS.Timeout;
  private readonly spare = new SpareEngine();
  private opening = 0;
  private sequences = 0;

  constructor(private readonly options: HostOptions) {
    this.saved = new SavedWeights(join(options.folder, 'weights'));
    this.snapshots = join(options.folder, 'snapshots');
    rmSync(this.snapshots, { recursive: true, force: true });
    mkdirSync(this.snapshots, { recursive: true });
    this.sweep = setInterval(() => void this.endIdle(), Math.min(5_000, options.sessionMs));
    this.sweep.unref();
  }

  findBase(name: string): ServedBase {
    const found = this.options.models.find((model) => model.name === name);
    if (found !== undefined) return found;
    const names = this.options.models.map((model) => model.name).join(', ');
    throw new AppError('engine.unknown_model', `base model "${name}": this server offers ${names}`);
  }

  async createSession(owner: string | undefined): Promise<string> {
    if (owner !== undefined)
      for (const session of this.sessions.values())
        if (session.owner === owner) await this.endSession(session.id);
    const id = `session_${randomUUID()}`;
    this.sessions.set(id, { id, owner, losses: new Map(), lastSeen: Date.now() });
    return id;
  }

  heartbeat(sessionId: string): void {
    this.session(sessionId).lastSeen = Date.now();
  }

  /** @throws engine.capacity */
  ensureRoom(): void {
    const { maxModels } = this.options;
    if (this.models.size + this.opening >= maxModels)
      throw new AppError(
        'engine.capacity',
        `create model: ${maxModels} are open, the most that this server holds; unload one, or raise --max-models`,
      );
  }

  /** @param number of the model in its session; newer clients derive its id from it */
  async createModel(
    sessionId: string,
    number: number,
    base: ServedBase,
    lora: LoraConfigJson | undefined,
  ): Promise<ServedModel> {
    this.session(sessionId);
    const { orderMs } = this.options;
    this.ensureRoom();
    this.opening += 1;
    try {
      const engine = await base.open(lora);
      const model = new ServedModel(
        `${sessionId}:train:${number}`,
        base,
        lora,
        sessionId,
        engine,
        this.snapshots,
        orderMs,
      );
      if (!this.sessions.has(sessionId)) {
        await engine.dispose();
        throw new AppError('engine.lost', 'Session not found');
      }
      this.models.set(model.id, model);
      return model;
    } finally {
      this.opening -= 1;
    }
  }

  model(id: string): ServedModel {
    const found = this.models.get(id);
    if (found === undefined) throw new AppError('engine.lost', 'Model not found');
    this.session(found.sessionId).lastSeen = Date.now();
    return found;
  }

  /** Passes over a request of a model that was refused before it could be queued. */
  skip({ modelId, seqId }: Turn): void {
    this.models.get(modelId)?.queue.skip(seqId);
  }

  async unload(id: string): Promise<void> {
    const model = this.model(id);
    this.models.delete(id);
    for (const sampler of this.samplers.values())
      if ('model' in sampler && sampler.model === model) this.samplers.delete(sampler.id);
    await model.dispose();
  }

  pass(model: ServedModel, pass: WirePass): Promise<WirePassResult> {
    const { engine, lock } = model;
    const { losses } = this.session(model.sessionId);
    return pass.forwardOnly
      ? lock.read(() => scoreOn(engine, pass, losses))
      : lock.write(() => learnOn(engine, pass, losses));
  }

  /** Keeps a loss for the passes of a session. @throws engine.invalid_request, engine.unsupported, engine.capacity */
  createLoss(sessionId: string, number: number, traced: TracedLoss): string {
    const { losses } = this.session(sessionId);
    if (losses.size >= mostLosses)
      throw new AppError(
        'engine.capacity',
        `create loss "${traced.name}": this session has ${mostLosses}, the most that it can; use one of them again, or open another session`,
      );
    const id = `${sessionId}:loss:${number}`;
    losses.set(id, compileLoss(traced));
    return id;
  }

  save(model: ServedModel, kind: WeightsKind, name: string, overwrite = false): Promise<string> {
    const about = { base_model: model.base.name, lora: model.lora ?? null };
    return model.lock.write(() =>
      this.saved.save({ modelId: model.id, kind, name }, about, model.engine.policy, overwrite),
    );
  }

  /** Loads saved weights; moments come from training checkpoints only. */
  load(model: ServedModel, path: string, optimizer: boolean): Promise<void> {
    const { folder, kind, meta } = this.saved.find(path);
    const isSame = meta.base_model === model.base.name && (meta.lora?.rank ?? 0) === (model.lora?.rank ?? 0);
    if (!isSame || (optimizer && kind !== 'weights'))
      throw new AppError(
        'engine.invalid_request',
        `load weights "${path}": they are of ${meta.base_model}, ${meta.lora === null ? 'all weights' : `LoRA of rank ${meta.lora.rank}`}, kind ${kind}; create the model like that`,
      );
    return model.lock.write(() => model.change(() => model.engine.policy.load(folder, { optimizer })));
  }

  savedMeta(path: string) {
    return this.saved.find(path).meta;
  }

  /** A sampler of a model, or of saved or base weights. */
  createSampler(
    sessionId: string,
    from:
      | { readonly model: ServedModel; readonly isLive: boolean }
      | { readonly path: string }
      | { readonly base: string },
  ): string {
    this.session(sessionId);
    const id = `sampling_${randomUUID()}`;
    if ('model' in from) {
      const { model, isLive } = from;
      const snapshot = isLive ? undefined : model.snapshot();
      this.samplers.set(id, { id, sessionId, base: model.base, model, snapshot });
    } else if ('path' in from) {
      const base = this.findBase(this.saved.find(from.path).meta.base_model);
      this.samplers.set(id, { id, sessionId, base, path: from.path });
    } else {
      this.samplers.set(id, { id, sessionId, base: this.findBase(from.base), path: undefined });
    }
    return id;
  }

  sampler(id: string): Sampler {
    const found = this.samplers.get(id);
    if (found === undefined) throw new AppError('engine.lost', 'Sampling session not found');
    return found;
  }

  /** The base model that a call samples from. */
  baseOf({
    samplerId,
    baseModel,
    modelPath,
  }: Pick<SampleCall, 'samplerId' | 'baseModel' | 'modelPath'>): ServedBase {
    if (samplerId !== undefined) return this.sampler(samplerId).base;
    if (modelPath !== undefined) return this.findBase(this.saved.find(modelPath).meta.base_model);
    return this.findBase(baseModel ?? '');
  }

  async sample(call: SampleCall, signal: AbortSignal): Promise<WireSample> {
    const { samplerId } = call;
    const sampler = samplerId === undefined ? undefined : this.sampler(samplerId);
    if (sampler !== undefined && 'model' in sampler) {
      const { model, snapshot } = sampler;
      return model.lock.read(async () => {
        if (snapshot === undefined || snapshot.revision === model.revision)
          return this.sampleWith(model.engine.policy, call, signal);
        if (snapshot.isExpired)
          throw new AppError(
            'engine.refused',
            'sample: the weights of this sampler are no longer kept; save them under a name',
          );
        return this.sampleSaved(model.base, snapshot.folder ?? '', model.lora, call, signal);
      });
    }
    const path = sampler?.path ?? call.modelPath;
    if (path === undefined) return this.sampleSaved(this.baseOf(call), undefined, undefined, call, signal);
    const { folder, meta } = this.saved.find(path);
    return this.sampleSaved(this.findBase(meta.base_model), folder, meta.lora ?? undefined, call, signal);
  }

  release(sessionId: string, names: readonly string[]): void {
    for (const { sessionId: own, engine } of this.models.values())
      if (own === sessionId) engine.policy.release(names);
  }

  async dispose(): Promise<void> {
    clearInterval(this.sweep);
    for (const id of [...this.models.keys()]) await this.unload(id).catch(() => undefined);
    await this.spare.close();
    rmSync(this.snapshots, { recursive: true, force: true });
  }

  private session(id: string): Session {
    const found = this.sessions.get(id);
    if (found === undefined) throw new AppError('engine.lost', 'Session not found');
    return found;
  }

  private async endSession(id: string): Promise<void> {
    for (const model of [...this.models.values()]) if (model.sessionId === id) await this.unload(model.id);
    for (const sampler of this.samplers.values())
      if (sampler.sessionId === id) this.samplers.delete(sampler.id);
    this.sessions.delete(id);
  }

  private async endIdle(): Promise<void> {
    const since = Date.now() - this.options.sessionMs;
    for (const { id, lastSeen } of [...this.sessions.values()])
      if (lastSeen < since) await this.endSession(id);
  }

  /** Samples with weights on disk, or those of the base. */
  private sampleSaved(
    base: ServedBase,
    folder: string | undefined,
    lora: LoraConfigJson | undefined,
    call: SampleCall,
    signal: AbortSignal,
  ): Promise<WireSample> {
    return this.spare.use(
      `${base.name} ${folder ?? ''}`,
      () => openSaved(base, folder, lora),
      ({ policy }) => this.sampleWith(policy, call, signal),
    );
  }

  private async sampleWith(policy: PolicyModel, call: SampleCall, signal: AbortSignal): Promise<WireSample> {
    const { tokens, count } = call;
    const { temperature, topK, topP, maxTokens, stopTokens, stopSequences } = call;
    const params = { temperature, topK, topP, maxTokens, stopTokens, stopSequences };
    const names = Array.from({ length: count }, () => call.sequence ?? `own-${this.sequences++}`);
    const results = await Promise.all(
      names.map((sequence, n) => {
        const seed = n === 0 ? call.seed : deriveSeed(call.seed, n);
        const { sharedPrefix } = call;
        const request = {
          sequence,
          tokens,
          params,
          seed,
          ...(sharedPrefix === undefined ? {} : { sharedPrefix }),
        };
        return policy.sample(request, signal);
      }),
    ).finally(() => {
      if (call.sequence === undefined) policy.release(names);
    });
    return {
      sequences: results.map((result) => ({
        stop: result.stop === 'stop' ? 'stop' : 'length',
        tokens: result.tokens,
        logprobs: result.logprobs,
        entropies: result.entropies,
      })),
      ...(call.promptLogprobs ? { promptLogprobs: await scorePrompt(policy, tokens) } : {}),
    };
  }
}

/** Opens an engine with weights on disk, or those of the base. */
async function openSaved(
  base: ServedBase,
  folder: string | undefined,
  lora: LoraConfigJson | undefined,
): Promise<PolicyEngine> {
  if (folder === undefined) return base.open(undefined);
  const engine = await base.open(lora);
  try {
    await engine.policy.load(folder, { optimizer: false });
  } catch (error) {
    await engine.dispose();
    throw error;
  }
  return engine;
}

async function scorePrompt(policy: PolicyModel, tokens: Int32Array): Promise<Float32Array> {
  const positions = Int32Array.from({ length: Math.max(0, tokens.length - 1) }, (_, t) => t + 1);
  const [scores] = positions.length === 0 ? [] : await policy.score([{ tokens, positions }]);
  const all = new Float32Array(tokens.length).fill(Number.NaN);
  all.set(scores?.logprobs ?? [], 1);
  return all;
}
