/**
 * @file Continuous sampling: requests of one tick start together, all live sequences decode together, finished ones
 * leave at once and may come back with more tokens while the others continue. When requests are admitted changes only
 * time, never a result: a sequence's numbers depend on its own tokens and seed alone.
 */
import { AppError, type SampleRequest, type SampleResult } from '@espalier/contracts';
import { listSamplingWeights } from '@espalier/model';
import { minRows } from '@espalier/runtime';
import { CacheRows } from './cache-rows.js';
import { decode } from './decode.js';
import {
  type PendingSample,
  createSequence,
  type LiveSequence,
  ownLength,
  reconcile,
  resultOf,
  type SampleWatch,
  stopOf,
} from './live-sequence.js';
import { prefill, type PrefillContext } from './prefill.js';
import { SamplingSessions, type SamplingSessionsOptions } from './sampling-sessions.js';
import { PrefixRows } from './prefix-rows.js';
import { isPrefillDue } from './sampling-rules.js';
import { type Caches, openCaches } from './open-caches.js';
import { withRoom } from './with-room.js';

export interface SamplerOptions extends SamplingSessionsOptions {
  /** most that a session may use */
  readonly threads: number;
  /** frees what training holds, when memory runs out */
  readonly makeRoom?: () => Promise<void>;
}

export class Sampler {
  readonly #sequences = new Map<string, LiveSequence>();
  readonly #rows: CacheRows;
  readonly #context: PrefillContext;
  readonly #caches: Caches;
  #waiting: PendingSample[] = [];
  #active: PendingSample[] = [];
  #isRunning = false;
  /** ends with the loop */
  #running: Promise<void> = Promise.resolve();
  #isDisposed = false;

  constructor(readonly options: SamplerOptions) {
    const { shape } = options.config;
    const cacheShape = {
      layers: shape.layerCount,
      heads: shape.keyValueHeadCount,
      headSize: shape.headSize,
    };
    const weights = [...listSamplingWeights(options.config).values()];
    const columns = weights.flatMap(({ kind, shape: [rows = 1, width = 1] }) =>
      kind === 'vector' ? [] : [kind === 'table' ? width : rows],
    );
    this.#caches = openCaches(cacheShape, options);
    const [slab, prefixSlab] = [this.#caches.create(), this.#caches.create()];
    this.#rows = new CacheRows(slab, new PrefixRows(prefixSlab, options.memory !== undefined));
    this.#context = {
      sessions: new SamplingSessions(options),
      slab,
      prefixSlab,
      vocabularySize: shape.vocabularySize,
      contextLength: shape.contextLength,
      minRows: minRows(columns, options.threads),
      makeRoom: options.makeRoom,
    };
  }

  /** Samples one continuation; requires a checked request. */
  sample(request: SampleRequest, signal?: AbortSignal, watch?: SampleWatch): Promise<SampleResult> {
    return new Promise((resolve, reject) => {
      if (this.#isDisposed)
        throw new AppError('engine.disposed', `sample "${request.sequence}": the engine was disposed`);
      const sequence = this.#sequences.get(request.sequence) ?? createSequence(request.sequence);
      if (sequence.isBusy) {
        throw new AppError(
          'engine.invalid_request',
          `sample "${request.sequence}": it is being sampled; wait for the answer first`,
        );
      }
      reconcile(sequence, request, this.options.weights.revision);
      if (sequence.cached === 0) this.#rows.prefixes.leave(sequence);
      this.#sequences.set(request.sequence, sequence);
      sequence.isBusy = true;
      const answer = {
        request,
        sequence,
        signal,
        watch,
        resolve,
        reject,
        sampled: [],
        logprobs: [],
        entropies: [],
        policyVersion: this.options.weights.version,
      };
      const stop = stopOf(answer, this.#context.contextLength);
      if (stop !== undefined) return this.#finish(answer, stop);
      this.#waiting.push(answer);
      this.#start();
    });
  }

  /** Forgets sequences; those being sampled are forgotten when they end. */
  release(names: readonly string[]): void {
    for (const name of names) {
      const sequence = this.#sequences.get(name);
      if (sequence === undefined) continue;
      this.#sequences.delete(name);
      if (!sequence.isBusy) this.#rows.free(sequence);
    }
  }

  /** Frees what decoding laid out for the present weights, unless something is being sampled. */
  async releaseMatrices(): Promise<void> {
    if (!this.#isRunning) await this.#context.sessions.releaseMatrices();
  }

  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.#failAll(new AppError('engine.disposed', 'sample: the engine was disposed'));
    // a step that is under way writes to the cache
    await this.#running;
    this.#rows.clear();
    await this.#caches.dispose();
    await this.#context.sessions.dispose();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = new Promise((resolve) => {
      setImmediate(() => void this.#loop().finally(resolve));
    });
  }

  async #loop(): Promise<void> {
    try {
      for (this.#dropCancelled(); this.#waiting.length + this.#active.length > 0; this.#dropCancelled()) {
        if (isPrefillDue(this.#waiting.length, this.#active.length)) await this.#admit();
        if (this.#active.length > 0) await this.#step();
      }
    } catch (error) {
      this.#failAll(error);
    } finally {
      this.#isRunning = false;
      if (this.#waiting.length > 0) this.#start();
    }
  }

  async #admit(): Promise<void> {
    const admitted = this.#waiting;
    this.#waiting = [];
    for (const sequence of admitted) this.#active.push(sequence);
    await withRoom(this.#context.makeRoom, () => this.#place(admitted));
    await prefill(admitted, this.#context);
    this.#settle();
  }

  /** Gives sequences their prefixes and rows; may be repeated. */
  #place(admitted: readonly PendingSample[]): void {
    let reach = 0;
    for (const { sequence, request } of admitted) {
      if (sequence.cached === 0) this.#rows.prefixes.join(sequence, request, this.options.weights.revision);
      const length = Math.min(request.tokens.length + 1, this.#context.contextLength);
      reach = Math.max(reach, length - (sequence.prefix?.length ?? 0));
    }
    const sequences = admitted.map(({ sequence }) => sequence);
    this.#rows.assign(sequences, reach);
  }

  async #step(): Promise<void> {
    const reach = this.#active.reduce((most, { sequence }) => Math.max(most, ownLength(sequence) + 1), 0);
    await withRoom(this.#context.makeRoom, () => {
      this.#rows.assign([], reach);
      this.#rows.compact(this.#active.map(({ sequence }) => sequence));
    });
    await decode(this.#active, this.#context);
    this.#settle();
  }

  /** Lets finished answers go. */
  #settle(): void {
    this.#active = this.#active.filter((answer) => {
      const stop = stopOf(answer, this.#context.contextLength);
      if (stop !== undefined) this.#finish(answer, stop);
      return stop === undefined;
    });
  }

  #finish(answer: PendingSample, stop: SampleResult['stop']): void {
    this.#letGo(answer);
    answer.resolve(resultOf(answer, stop));
  }

  #letGo({ sequence }: PendingSample): void {
    sequence.isBusy = false;
    if (this.#sequences.get(sequence.name) !== sequence) this.#rows.free(sequence);
  }

  #dropCancelled(): void {
    const isAlive = (answer: PendingSample): boolean => {
      if (answer.signal?.aborted !== true) return true;
      this.#letGo(answer);
      const { sequence } = answer.request;
      answer.reject(
        new AppError(
          'engine.cancelled',
          `sample "${sequence}": cancelled after ${answer.sampled.length} tokens`,
        ),
      );
      return false;
    };
    this.#waiting = this.#waiting.filter(isAlive);
    this.#active = this.#active.filter(isAlive);
  }

  #failAll(error: unknown): void {
    for (const answer of [...this.#waiting, ...this.#active]) {
      answer.sequence.cached = 0;
      this.#letGo(answer);
      answer.reject(error);
    }
    this.#waiting = [];
    this.#active = [];
  }
}
