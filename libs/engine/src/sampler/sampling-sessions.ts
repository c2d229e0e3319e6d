/**
 * @file The sessions that sample, and the weights they are fed. Prefill takes weights as inputs, like training. Decoding
 * has few rows per product, so laying a matrix out for its kernel would cost as much as the product itself at every
 * step: its matrices are constants of the session, laid out once and again whenever the weights change. The runtime
 * lays them out from the model's own memory, so no other copy exists, and however large they are, they fit.
 */
import {
  buildDecodeGraph,
  buildPrefillGraph,
  joinSamplingWeights,
  listSamplingWeights,
  type ModelConfig,
  rotaryTables,
} from '@espalier/model';
import {
  createSession,
  type RuntimeTensor,
  type Session,
  SessionCache,
  type SessionOptions,
} from '@espalier/runtime';
import type { SampledWeights } from '../engine-models.js';
import { isLargeModel } from '../session-budget.js';
import { ReleasableMemory } from './releasable-memory.js';

export interface SamplingSessionsOptions {
  readonly config: ModelConfig;
  readonly session: SessionOptions;
  readonly weights: SampledWeights;
}

type Feeds = Record<string, RuntimeTensor>;

/** Fewest positions that rotary tables are made for. */
const LEAST_POSITIONS = 1024;

export class SamplingSessions {
  readonly #prefill = new SessionCache(6);
  readonly #decode: SessionCache;
  readonly #isLarge: boolean;
  readonly #memory = new ReleasableMemory();
  readonly #weights: ReturnType<typeof listSamplingWeights>;
  #joined: Map<string, Float32Array> | undefined;
  #feeds: Feeds = {};
  #decodeFeeds: Feeds = {};
  #tables: Feeds = {};
  #positions = 0;
  #revision = -1;

  constructor(readonly options: SamplingSessionsOptions) {
    this.#weights = listSamplingWeights(options.config);
    this.#isLarge = isLargeModel(options.config);
    // making another costs seconds, but keeping it costs gigabytes
    this.#decode = new SessionCache(this.#isLarge ? 1 : 2);
  }

  /**
   * The session that decodes under the present weights, and the weights it still takes as feeds.
   *
   * @param positions more than any position that is computed
   */
  async decode(
    isFiltered: boolean,
    hasPrefixes: boolean,
    positions: number,
  ): Promise<{ readonly session: Session; readonly weights: Feeds }> {
    await this.#refresh();
    const session = await this.#decode.get(`${isFiltered}:${hasPrefixes}`, () =>
      this.#createDecode(isFiltered, hasPrefixes),
    );
    return { session, weights: { ...this.#decodeFeeds, ...this.#tablesFor(positions) } };
  }

  /** The session that prefills, and the present weights. */
  async prefill(
    kind: { readonly isFiltered: boolean; readonly hasPast: boolean; readonly hasPrefixes: boolean },
    positions: number,
  ): Promise<{ readonly session: Session; readonly weights: Feeds }> {
    await this.#refresh();
    const { config, session: options } = this.options;
    const { isFiltered, hasPast, hasPrefixes } = kind;
    const session = await this.#prefill.get(`${isFiltered}:${hasPast}:${hasPrefixes}`, () =>
      createSession(buildPrefillGraph({ config, isFiltered, hasPast, hasPrefixes }), options),
    );
    return { session, weights: { ...this.#feeds, ...this.#tablesFor(positions) } };
  }

  /** Frees laid-out matrices and merged weights, of a large model all: they are about to change, and training needs the memory. */
  async releaseMatrices(): Promise<void> {
    // first: who samples while the sessions are closed lays out new ones, which must not be forgotten
    const free = this.#forget();
    await Promise.all([this.#decode.clear(), this.#isLarge ? this.#prefill.clear() : undefined]);
    free();
  }

  async dispose(): Promise<void> {
    const free = this.#forget();
    await this.#prefill.clear();
    await this.#decode.clear();
    free();
  }

  /** Takes the present weights out of use; to be freed when no session reads them any more. */
  #forget(): () => void {
    this.#revision = -1;
    this.#joined = undefined;
    this.#feeds = {};
    this.#decodeFeeds = {};
    return this.#memory.detach();
  }

  async #refresh(): Promise<void> {
    const { config, weights } = this.options;
    if (this.#revision === weights.revision) return;
    const free = this.#forget();
    await this.#decode.clear();
    free();
    const joined = joinSamplingWeights(config, weights, (length) => this.#memory.allocate(length));
    this.#joined = joined;
    const feeds = [...this.#weights].map(([name, { shape }]): [string, RuntimeTensor] => [
      name,
      { dtype: 'float32', shape, values: joined.get(name) as Float32Array },
    ]);
    this.#feeds = Object.fromEntries(feeds);
    this.#decodeFeeds = Object.fromEntries(feeds.filter(([name]) => !this.#isFixed(name)));
    // last: weights for which memory ran out are not the present ones
    this.#revision = weights.revision;
  }

  #createDecode(isFiltered: boolean, hasPrefixes: boolean): Promise<Session> {
    const { config, session } = this.options;
    const fixed = new Map([...(this.#joined ?? [])].filter(([name]) => this.#isFixed(name)));
    return createSession(buildDecodeGraph({ config, isFiltered, hasPrefixes }), session, fixed);
  }

  /** Rotary tables grow with the longest sequence: a model may declare many times the context that is used. */
  #tablesFor(positions: number): Feeds {
    if (positions <= this.#positions) return this.#tables;
    const { shape } = this.options.config;
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(LEAST_POSITIONS, positions)));
    this.#positions = Math.min(shape.contextLength, rounded);
    const size = [this.#positions, shape.headSize / 2];
    this.#tables = Object.fromEntries(
      Object.entries(rotaryTables(shape, this.#positions)).map(([name, values]) => [
        name,
        { dtype: 'float32', shape: size, values },
      ]),
    );
    return this.#tables;
  }

  /**
   * Constants are laid out by the CPU's kernels only; elsewhere weights stay inputs. So does the head of a large model on a
   * compact base: laying it out takes its memory twice.
   */
  #isFixed(name: string): boolean {
    const kind = this.#weights.get(name)?.kind;
    if (kind === 'head' && this.#isLarge && this.options.weights.isCompact) return false;
    const isCpu = (this.options.session.provider ?? 'cpu') === 'cpu';
    return isCpu && (kind === 'matrix' || kind === 'head');
  }
}
