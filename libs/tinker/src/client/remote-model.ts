/**
 * @file A model on a server, with what it takes to build it again. The server may start anew at any moment and then knows
 * nothing but saved weights. So the requests since the last save are kept, and a lost model is created, loaded and given them
 * once more; the request that failed is repeated on top. Every request is therefore applied exactly once to the state that
 * counts, whichever side died.
 */
import { AppError, hasCode, type OptimizerStep } from '@espalier/contracts';
import { z } from 'zod';
import {
  createdModel,
  loadedWeights,
  samplingSession,
  savedForSampler,
  savedWeights,
  steppedOptimizer,
} from '../wire/answers.js';
import type { WireDatum, WirePassResult } from '../wire/protobuf.js';
import type { TracedLoss } from '../wire/traced-loss.js';
import type { Connection } from './connection.js';

export interface LoraRequest {
  readonly rank: number;
  readonly seed: number;
}

/** A pass without the numbers that depend on where it is sent. */
export interface Pass {
  readonly data: readonly WireDatum[];
  readonly lossFn: string;
  readonly lossConfig: Readonly<Record<string, number>>;
  /** the loss, where the server computes it: its id goes with the settings */
  readonly traced?: TracedLoss | undefined;
}

type Applied = { readonly pass: Pass } | { readonly step: OptimizerStep };

/** Saved weights that a model begins as. */
export interface SavedState {
  readonly path: string;
  readonly version: number;
}

export interface RemoteModelOptions {
  readonly connection: Connection;
  readonly model: string;
  /** undefined: all weights are trained */
  readonly lora: LoraRequest | undefined;
  /** optimizer steps after which weights are saved on the server, so that a lost model is built again quickly */
  readonly saveEvery: number;
  /** names saved weights */
  readonly createName: () => string;
}

/** How often in a row a model is built again before giving up. */
const mostRebuilds = 10;

/** A model on a server; calls that change it are made one after the other. */
export class RemoteModel {
  private id: string | undefined;
  private seq = 0;
  /** rises whenever the model is built again */
  private generation = 0;
  private building: Promise<void> | undefined;
  private start: SavedState | undefined;
  /** since `start`, up to the last step */
  private applied: Applied[] = [];
  /** passes since the last step */
  private gathered: Pass[] = [];
  /** the server holds gradients that must not be applied */
  private isTainted = false;
  private sampler: { readonly id: string; readonly version: number; readonly generation: number } | undefined;
  private opening: { readonly version: number; readonly promise: Promise<string> } | undefined;
  private samplers = 0;
  version = 0;

  constructor(
    private readonly options: RemoteModelOptions,
    private readonly nextModelSeq: () => number,
  ) {}

  /** A forward pass; changes nothing. */
  forward(pass: Pass): Promise<WirePassResult> {
    return this.guarded((modelId) => this.send(modelId, pass, true));
  }

  /** Adds the gradient of a batch. */
  async forwardBackward(pass: Pass): Promise<WirePassResult> {
    await this.clean();
    const result = await this.guarded((modelId) => this.send(modelId, pass, false));
    this.gathered.push(pass);
    return result;
  }

  /** Whether passes await a step. */
  get hasGathered(): boolean {
    return this.gathered.length > 0;
  }

  /** Applies what was gathered. @returns the metrics of the server */
  async step(step: OptimizerStep): Promise<Readonly<Record<string, number>>> {
    await this.clean();
    const metrics = await this.guarded((modelId) => this.sendStep(modelId, step));
    const bad = Object.entries(metrics).find(([, value]) => !Number.isFinite(value));
    if (bad !== undefined) {
      // the server has applied it: the model is built again as it was before
      this.drop();
      this.isTainted = true;
      throw new AppError(
        'engine.not_finite',
        `train step: the server reports ${bad[0]} ${bad[1]}; the step is undone, lower the learning rate`,
      );
    }
    this.applied.push(...this.gathered.map((pass) => ({ pass })), { step });
    this.gathered = [];
    this.version += 1;
    const steps = this.applied.filter((one) => 'step' in one).length;
    if (steps >= this.options.saveEvery) await this.save(this.options.createName());
    return metrics;
  }

  /** Forgets gathered gradients; where the server has some, the model is built again before it is used. */
  drop(): void {
    this.isTainted ||= this.gathered.length > 0;
    this.gathered = [];
  }

  /** Marks gradients of a pass whose result cannot be trusted. */
  taint(): void {
    this.gathered = [];
    this.isTainted = true;
  }

  /** Saves weights and moments on the server. */
  async save(name: string): Promise<SavedState> {
    if (this.isTainted) await this.clean();
    const path = await this.guarded(async (modelId) => {
      for (let attempt = 0; ; attempt += 1) {
        const own = attempt === 0 ? name : `${name}-${attempt}`;
        const json = { model_id: modelId, path: own, seq_id: this.nextSeq(), type: 'save_weights' };
        try {
          return (await this.options.connection.submit('save_weights', json, savedWeights)).path;
        } catch (error) {
          // an answer that was lost: the name is taken, by ourselves
          const isTaken = hasCode(error, 'engine.refused') && error.details['status'] === 409;
          if (!isTaken || attempt === 5) throw error;
        }
      }
    });
    this.start = { path, version: this.version };
    this.applied = [];
    return this.start;
  }

  /** Becomes what was saved; the model is created anew, as servers load into new models only. */
  async load(state: SavedState): Promise<void> {
    await this.unload();
    this.start = state;
    this.version = state.version;
    this.applied = [];
    this.gathered = [];
    this.isTainted = false;
    this.sampler = undefined;
    await this.ready();
  }

  /**
   * The session that samples with the current weights, and its generation.
   *
   * @throws engine.unsupported
   */
  async samplerId(): Promise<string> {
    await this.ready();
    const { sampler, version, generation } = this;
    if (sampler?.version === version && sampler.generation === generation) return sampler.id;
    if (this.opening?.version === version) return this.opening.promise;
    const promise = this.guarded((modelId) => this.openSampler(modelId)).finally(() => {
      this.opening = undefined;
    });
    this.opening = { version, promise };
    const id = await promise;
    this.sampler = { id, version, generation: this.generation };
    return id;
  }

  /** Runs a call of a sampling session; if the server has started anew, again on a new one. */
  async sampling<Result>(work: (samplerId: string) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      const { generation } = this;
      try {
        return await work(await this.samplerId());
      } catch (error) {
        if (!hasCode(error, 'engine.lost') || attempt >= mostRebuilds) throw error;
        await this.rebuild(generation);
      }
    }
  }

  /** Frees the model on the server, if the server can be reached. */
  async unload(): Promise<void> {
    const { id } = this;
    this.id = undefined;
    if (id === undefined) return;
    const json = { model_id: id, type: 'unload_model' };
    await this.options.connection.call('unload_model', json, z.unknown()).catch(() => undefined);
  }

  private nextSeq(): number {
    this.seq += 1;
    return this.seq;
  }

  private async send(modelId: string, pass: Pass, forwardOnly: boolean): Promise<WirePassResult> {
    const { connection } = this.options;
    const { traced, ...rest } = pass;
    const lossConfig =
      traced === undefined
        ? rest.lossConfig
        : { ...rest.lossConfig, loss_id: await connection.lossId(traced) };
    return connection.pass({ ...rest, lossConfig, modelId, seqId: this.nextSeq(), forwardOnly });
  }

  private async sendStep(modelId: string, step: OptimizerStep): Promise<Record<string, number>> {
    const { maxGradientNorm } = step;
    const json = {
      model_id: modelId,
      seq_id: this.nextSeq(),
      adam_params: {
        learning_rate: step.learningRate,
        beta1: step.beta1,
        beta2: step.beta2,
        eps: step.epsilon,
        weight_decay: step.weightDecay,
        grad_clip_norm: maxGradientNorm === Infinity ? 0 : maxGradientNorm,
      },
      type: 'optim_step',
    };
    const { metrics } = await this.options.connection.submit('optim_step', json, steppedOptimizer);
    return Object.fromEntries(
      Object.entries(metrics ?? {}).map(([name, value]) => [name, value ?? Number.NaN]),
    );
  }

  private async openSampler(modelId: string): Promise<string> {
    const { connection } = this.options;
    const isOwn = connection.capabilities.espalier !== undefined;
    for (let attempt = 0; ; attempt += 1) {
      const number = this.samplers++;
      const json = {
        model_id: modelId,
        sampling_session_seq_id: number,
        seq_id: this.nextSeq(),
        ...(isOwn ? { kind: 'inflight' } : {}),
        type: 'save_weights_for_sampler',
      };
      try {
        const saved = await connection.submit('save_weights_for_sampler', json, savedForSampler);
        if (saved.sampling_session_id !== undefined) return saved.sampling_session_id;
        if (saved.path === undefined)
          throw new AppError(
            'engine.bad_answer',
            'request save_weights_for_sampler: neither a sampling session nor a path; the server speaks another version',
          );
        const request = {
          session_id: connection.sessionId(),
          sampling_session_seq_id: number,
          model_path: saved.path,
          type: 'create_sampling_session',
        };
        return (await connection.call('create_sampling_session', request, samplingSession))
          .sampling_session_id;
      } catch (error) {
        const isTaken = hasCode(error, 'engine.refused') && error.details['status'] === 409;
        if (!isTaken || attempt === 5) throw error;
      }
    }
  }

  /** Runs a request; when the server has started anew, the model is built again first and the request repeated. */
  private async guarded<Result>(work: (modelId: string) => Promise<Result>): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      const { generation } = this;
      try {
        return await work(await this.ready());
      } catch (error) {
        if (!hasCode(error, 'engine.lost') || attempt >= mostRebuilds) throw error;
        await this.rebuild(generation);
      }
    }
  }

  /** The id of the model, which is created if there is none. */
  private async ready(): Promise<string> {
    if (this.building !== undefined) await this.building;
    if (this.id === undefined) await this.rebuild(this.generation);
    return this.id as string;
  }

  private async clean(): Promise<void> {
    if (!this.isTainted) return;
    await this.unload();
    await this.rebuild(this.generation);
  }

  /** Builds the model again unless that has happened since `generation`. */
  private rebuild(generation: number): Promise<void> {
    if (this.building !== undefined) return this.building;
    if (generation !== this.generation && this.id !== undefined) return Promise.resolve();
    this.building = this.buildPatiently().finally(() => {
      this.building = undefined;
    });
    return this.building;
  }

  private async buildPatiently(): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.build();
      } catch (error) {
        if (!hasCode(error, 'engine.lost') || attempt >= mostRebuilds) throw error;
        await this.options.connection.reopen();
      }
    }
  }

  private async build(): Promise<void> {
    const { connection, model, lora } = this.options;
    // where only a result was lost, the model is still there
    await this.unload();
    const created = await connection.submit(
      'create_model',
      {
        session_id: connection.sessionId(),
        model_seq_id: this.nextModelSeq(),
        base_model: model,
        ...(lora === undefined
          ? {}
          : {
              lora_config: {
                rank: lora.rank,
                seed: lora.seed,
                train_attn: true,
                train_mlp: true,
                train_unembed: false,
              },
            }),
        type: 'create_model',
      },
      createdModel,
    );
    const id = created.model_id;
    this.seq = 0;
    if (this.start !== undefined) {
      const json = {
        model_id: id,
        path: this.start.path,
        optimizer: true,
        seq_id: this.nextSeq(),
        type: 'load_weights',
      };
      await connection.submit('load_weights', json, loadedWeights);
    }
    for (const one of [...this.applied, ...this.gathered.map((pass) => ({ pass }))]) {
      if ('step' in one) await this.sendStep(id, one.step);
      else await this.send(id, one.pass, false);
    }
    this.id = id;
    this.generation += 1;
    this.isTainted = false;
  }
}
