/**
 * @file Running graphs over whole sequences for one set of weights: scores, values, and gradients of a loss. Sessions
 * take weights as inputs, so policy, reference and critic of one engine share them.
 */
import {
  type Datum,
  type ForwardBackwardResult,
  hasCode,
  type LossSpec,
  type ScoreRequest,
} from '@espalier/contracts';
import { dim, type Graph } from '@espalier/graph';
import {
  buildScoreGraph,
  buildTrainingGraph,
  GATHERED,
  GRADIENT,
  chunkRows,
  hasLogitChunks,
  type LossGraph,
  METRIC,
  type ModelConfig,
  type PackedRows,
  roundLogitRows,
} from '@espalier/model';
import { type DropoutOptions, dropoutStart, type GraphModel } from '@espalier/model/adapters';
import type { LossBuilder, ValueLossBuilder } from '@espalier/objective';
import {
  createSession,
  minRows,
  resolveDriver,
  type RuntimeTensor,
  SessionCache,
  type SessionOptions,
} from '@espalier/runtime';
import { dropoutKeys, lossFeeds, packMicroBatch, sequenceFeeds } from './micro-batch-feeds.js';
import { commonSizes } from './common-sizes.js';
import { FEWEST_TOKENS } from './memory-choice.js';
import { addTotals, collectRows, emptyResults, measureWork } from './micro-batch-results.js';
import { type MicroBatch, planMicroBatches, ROWS_PER_MICRO_BATCH } from './micro-batches.js';
import type { ParameterStore } from './parameter-store.js';
import { withRoom } from './sampler/with-room.js';
import { estimateKeptSessions } from './session-budget.js';

/**
 * What a micro-batch more costs on a GPU, in rows. Measured on an H100 with 135 M in bf16: 83 ms for 2,048 rows and 208 for
 * 8,192, so launching takes as long as 2,000 rows; of smaller models it is more.
 */
const DEVICE_ROWS_PER_MICRO_BATCH = 2000;

/** Approximate time of attention relative to dense products with as much arithmetic. */
const ATTENTION_EFFORT = 3;

export interface SequenceModelOptions {
  readonly config: ModelConfig;
  readonly session: SessionOptions;
  /** most that a session may use */
  readonly threads: number;
  readonly microBatchTokens: number;
  /** memory of the device that computes; default: this process computes */
  readonly deviceBytes?: number | undefined;
  /** training computes each layer a second time instead of keeping its activations; the same numbers with less memory, in bf16 on a CPU rounded otherwise */
  readonly recomputes?: boolean;
  /** of adapters, if there are any */
  readonly rank?: number | undefined;
  /** frees what sampling holds, where memory has no room for both; awaited before anything is computed */
  readonly makeRoom?: (() => Promise<void>) | undefined;
}

type Role = 'policy' | 'critic';

/** One model of an engine: how its graphs are built, and its weights. */
export interface SequenceWeights {
  readonly model: Omit<GraphModel, 'config'>;
  /** what is trained */
  readonly store: ParameterStore;
  /** the other weights, which are only read */
  readonly frozen: readonly FrozenSource[];
  /** of the inputs of adapters that are trained */
  readonly dropout?: DropoutOptions | undefined;
}

/** Weights that several models may share. */
export interface FrozenSource {
  feeds(): Readonly<Record<string, RuntimeTensor>>;
  releaseDevice(): void;
}

/** The sessions of one engine over sequences. */
export class SequenceModel {
  readonly #sessions: SessionCache;
  readonly #heads: { readonly query: number; readonly key: number };
  /** of every micro-batch, so that two threads give the bits of one */
  readonly #minRows: number;
  #microBatchTokens: number;
  #recomputes: boolean;
  /** how memory is saved, since training last told of it */
  readonly #reductions: string[] = [];
  /** calls that use sessions or wait for them */
  #running = 0;
  /** settles when all of them have */
  #last: Promise<unknown> = Promise.resolve();

  constructor(readonly options: SequenceModelOptions) {
    const { headCount, keyValueHeadCount } = options.config.shape;
    const columns = [
      ...productColumns(options.config),
      ...(options.rank === undefined ? [] : [options.rank]),
    ];
    this.#minRows = minRows(columns, options.threads);
    this.#heads = { query: headCount, key: keyValueHeadCount };
    this.#microBatchTokens = options.microBatchTokens;
    this.#recomputes = options.recomputes ?? false;
    const { deviceBytes: bytes } = options;
    const device = bytes === undefined ? undefined : { bytes, recomputes: this.#recomputes };
    this.#sessions = new SessionCache(estimateKeptSessions(options.config, options.microBatchTokens, device));
  }

  /** Per request, one array per output name (`logprobs`, `entropies`; `values`), each [n]. */
  score(
    weights: SequenceWeights,
    requests: readonly ScoreRequest[],
  ): Promise<Record<string, Float32Array>[]> {
    const score = () => this.#score(weights, requests);
    return this.#use(() =>
      this.#fit(
        () => withRoom(() => this.#sessions.clear(), score),
        () => this.#halve(),
        () => undefined,
      ),
    );
  }

  /**
   * Adds the gradients of a loss to those gathered in the store.
   *
   * @param others what further calls will bring, whose graph should be the same
   * @param undo   drops what a failed attempt gathered; undefined: it cannot be repeated
   */
  forwardBackward(
    weights: SequenceWeights,
    data: readonly Datum[],
    loss: LossSpec,
    others: readonly (readonly ScoreRequest[])[] = [],
    undo?: () => void,
  ): Promise<ForwardBackwardResult> {
    return this.#use(async () => {
      const result = await this.#fit(
        () => this.#forwardBackward(weights, data, loss, others),
        () => this.#recompute() ?? this.#halve(),
        undo,
      );
      const reductions = this.#reductions.splice(0);
      return reductions.length === 0 ? result : { ...result, reductions };
    });
  }

  async #score(
    weights: SequenceWeights,
    requests: readonly ScoreRequest[],
  ): Promise<Record<string, Float32Array>[]> {
    const { role } = weights.model;
    const names = role === 'policy' ? ['logprobs', 'entropies'] : ['values'];
    const results = emptyResults(requests, names);
    const parameters = weightFeeds(weights);
    const batches = this.#plan(requests);
    const { layout, lossRows } = this.#commonSizes(batches);
    for (const batch of batches) {
      const rows = this.#rowsOf(role, batch.count, lossRows);
      const packed = packMicroBatch(batch, this.#heads, this.#minRows, layout);
      const session = await this.#session('score', weights.model, packed.layout, rows, (options) =>
        buildScoreGraph(options),
      );
      const feeds = { ...sequenceFeeds(batch, packed, rows), ...parameters };
      collectRows(batch, await session.run(pickFeeds(session.inputs, feeds)), names, results);
    }
    return results;
  }

  async #forwardBackward(
    weights: SequenceWeights,
    data: readonly Datum[],
    loss: LossSpec,
    others: readonly (readonly ScoreRequest[])[],
  ): Promise<ForwardBackwardResult> {
    const { store, model, dropout } = weights;
    const { role } = model;
    const names = role === 'policy' ? ['logprobs', 'entropies'] : ['values'];
    const results = emptyResults(data, names);
    const totals = new Map<string, number>();
    const layouts: PackedRows[] = [];
    const key = `train:${loss.id}:${JSON.stringify(loss.params)}:${loss.columns.join()}`;
    // views of the store's memory, the same for every micro-batch
    const parameters = { ...weightFeeds(weights), ...store.tensors(store.gradients, GATHERED) };
    const targets = store.tensors(store.gradients, GRADIENT);
    const batches = this.#plan(data);
    const { layout, lossRows } = this.#commonSizes(batches, others);
    for (const batch of batches) {
      const rows = this.#rowsOf(role, batch.count, lossRows);
      const packed = packMicroBatch(batch, this.#heads, this.#minRows, layout);
      layouts.push(packed);
      const session = await this.#session(key, model, packed.layout, rows, (options) =>
        buildTrainingGraph(
          { ...options, dropout, recomputes: this.#recomputes },
          lossGraph(loss, role),
          loss.columns,
        ),
      );
      const feeds = {
        ...sequenceFeeds(batch, packed, rows),
        ...(dropout && dropoutKeys(batch, packed, dropoutStart(dropout.seed, role, store.version))),
        ...lossFeeds(batch, rows, loss),
        ...parameters,
      };
      const outputs = await session.run(pickFeeds(session.inputs, feeds), targets);
      collectRows(batch, outputs, names, results);
      addTotals(outputs, batch.count, totals);
    }
    const metrics = [...totals]
      .filter(([name]) => name.startsWith(METRIC))
      .map(([name, total]) => [name.slice(METRIC.length), total]);
    return {
      loss: totals.get('loss') ?? 0,
      metrics: Object.fromEntries(metrics) as Record<string, number>,
      work: measureWork(data, layouts),
      ...(role === 'policy'
        ? {
            scores: results as { logprobs: Float32Array; entropies: Float32Array }[] &
              Record<string, Float32Array>[],
          }
        : { values: results.map(({ values }) => values ?? new Float32Array(0)) }),
    };
  }

  /**
   * Computes; when memory runs out, again with less each time.
   *
   * @param reduce saves memory from now on and tells how; undefined: nothing is left to try
   */
  async #fit<T>(
    compute: () => Promise<T>,
    reduce: () => string | undefined,
    undo: (() => void) | undefined,
  ): Promise<T> {
    for (;;) {
      try {
        return await compute();
      } catch (error) {
        if (!hasCode(error, 'runtime.out_of_memory')) throw error;
        await this.#sessions.clear();
        const change = reduce();
        if (change !== undefined) this.#reductions.push(change);
        if (change === undefined || undo === undefined) throw error;
        undo();
      }
    }
  }

  #recompute(): string | undefined {
    if (this.#recomputes) return undefined;
    this.#recomputes = true;
    return 'layers are recomputed in the backward pass from now on (update.recompute: on)';
  }

  #halve(): string | undefined {
    if (this.#microBatchTokens <= FEWEST_TOKENS) return undefined;
    this.#microBatchTokens = Math.max(FEWEST_TOKENS, Math.floor(this.#microBatchTokens / 2));
    return `micro-batches have ${this.#microBatchTokens} tokens from now on (update.microBatchTokens)`;
  }

  /** Frees sessions with the memory that they keep, unless they are used; the next run makes them again. */
  async release(): Promise<void> {
    if (this.#running === 0) await this.#sessions.clear();
  }

  dispose(): Promise<void> {
    return this.#sessions.clear();
  }

  /** Runs calls one after the other: a session that waits to run could be evicted by another call. */
  #use<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    const turn = this.#last
      .then(async () => {
        await this.options.makeRoom?.();
        return work();
      })
      .finally(() => (this.#running -= 1));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  get #isDevice(): boolean {
    return this.options.session.provider === 'cuda';
  }

  #plan<T extends ScoreRequest>(requests: readonly T[]): MicroBatch<T>[] {
    const limits = {
      tokens: this.#microBatchTokens,
      rowsPerPair: estimateRowsPerPair(this.options.config),
      rowsPerMicroBatch: this.#isDevice ? DEVICE_ROWS_PER_MICRO_BATCH : ROWS_PER_MICRO_BATCH,
    };
    return planMicroBatches(requests, limits);
  }

  /** What all micro-batches of a call, and of `others`, have in common, because opening a session can take longer than its run. */
  #commonSizes(
    batches: readonly MicroBatch<ScoreRequest>[],
    others: readonly (readonly ScoreRequest[])[] = [],
  ) {
    const isCompiled = resolveDriver(this.options.session) === 'openvino';
    const place = this.#isDevice ? 'device' : isCompiled ? 'compiled' : 'processor';
    // ONNX Runtime opens a session on the CPU in less time than larger sizes take
    const further = place === 'processor' ? [] : others.flatMap((requests) => this.#plan(requests));
    return commonSizes([...batches, ...further], place, this.#microBatchTokens);
  }

  /** Loss positions of a micro-batch. With a large vocabulary their number is part of the graph, so all of a call have that of the largest. */
  #rowsOf(role: Role, count: number, lossRows: number): number {
    if (!this.#isChunked(role)) return Math.max(count, this.#minRows);
    return roundLogitRows(Math.max(lossRows, this.#minRows), this.options.config.shape.vocabularySize);
  }

  #isChunked(role: Role): boolean {
    return role === 'policy' && hasLogitChunks(this.options.config.shape.vocabularySize);
  }

  #session(
    key: string,
    model: SequenceWeights['model'],
    layout: PackedRows['layout'],
    rows: number,
    build: (options: Parameters<typeof buildScoreGraph>[0]) => Graph,
  ) {
    const { config, session } = this.options;
    const isFixed = this.#isChunked(model.role);
    const sizes = JSON.stringify([layout, isFixed ? rows : 'N']);
    return this.#sessions.get(`${key}:${JSON.stringify(model)}:${sizes}`, () =>
      createSession(
        build({
          ...model,
          config,
          length: layout,
          rows: isFixed ? rows : dim('N'),
          ...(isFixed ? { chunkRows: chunkRows(config.shape.vocabularySize) } : {}),
        }),
        session,
      ),
    );
  }
}

/** Arithmetic of one query and one key in all heads relative to one row in all matrices of a layer. */
function estimateRowsPerPair({ family, shape }: ModelConfig): number {
  const sizes = Object.values(family.layerWeights(shape)).map((weight) => weight.shape);
  const matrices = sizes.reduce((total, [out = 0, inputs = 0]) => total + out * inputs, 0);
  return (ATTENTION_EFFORT * 2 * shape.headCount * shape.headSize) / matrices;
}

/** Columns of every product with a weight, forward and backward. */
function productColumns({ family, shape }: ModelConfig): number[] {
  const matrices = Object.values(family.layerWeights(shape)).filter((weight) => weight.shape.length === 2);
  return [...matrices.flatMap((weight) => weight.shape), shape.hiddenSize, shape.vocabularySize];
}

function lossGraph(loss: LossSpec, role: Role): LossGraph {
  return ({ logprobs, entropies, values, columns }) =>
    role === 'policy'
      ? (loss.build as LossBuilder)({ logprobs, entropies, columns, params: loss.params })
      : (loss.build as ValueLossBuilder)({ values, columns, params: loss.params });
}

function weightFeeds({ store, frozen }: SequenceWeights): Record<string, RuntimeTensor> {
  const feeds: Record<string, RuntimeTensor> = {};
  for (const source of frozen) Object.assign(feeds, source.feeds());
  return Object.assign(feeds, store.feeds());
}

function pickFeeds(
  inputs: readonly { readonly name: string }[],
  feeds: Record<string, RuntimeTensor>,
): Record<string, RuntimeTensor> {
  return Object.fromEntries(
    inputs.flatMap(({ name }) => (feeds[name] === undefined ? [] : [[name, feeds[name]]])),
  );
}
