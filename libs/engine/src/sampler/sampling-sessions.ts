/**
 * @file The sessions that sample, and the weights they are fed. Prefill takes weights as inputs, like training. Decoding
 * has few rows per product, so laying a matrix out for its kernel would cost as much as the product itself at every
 * step: its matrices are constants of the session, laid out once and again whenever the weights change. The runtime
 * lays them out from the model's own memory, so no other copy exists, and however large they are, they fit.
 * In int8 all products have constants, also those of prefill: they are faster at any number of rows and a quarter as large.
 * In bf16 all weights are inputs, rounded once for each change: a graph takes OpenVINO a second to compile, and a step
 * that lays matrices out anew is still faster than one in float32.
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
  isQuantized,
  isRounded,
  quantizedScales,
  quantizeSamplingWeights,
  roundSamplingWeights,
} from '@espalier/model/quantized';
import {
  createSession,
  type DeviceMemory,
  MirroredArray,
  type RuntimeTensor,
  type Session,
  SessionCache,
  type SessionOptions,
} from '@espalier/runtime';
import type { FixedValues } from '@espalier/graph';
import type { SampledWeights } from '../engine-models.js';
import { isLargeModel } from '../session-budget.js';
import { ReleasableMemory } from './releasable-memory.js';

/** Of weights and cache. In int8 and bf16 they are rounded whenever the weights change. */
export type SamplingPrecision = 'float32' | 'bf16' | 'int8';

export interface SamplingSessionsOptions {
  readonly config: ModelConfig;
  readonly session: SessionOptions;
  readonly weights: SampledWeights;
  /** default float32 */
  readonly precision?: SamplingPrecision | undefined;
  /** of the device that computes; default: that of this process */
  readonly memory?: DeviceMemory | undefined;
}

type Feeds = Record<string, RuntimeTensor>;

/** How sessions of one kind get the weights. */
interface SessionWeights {
  readonly constants: ReadonlyMap<string, FixedValues>;
  readonly feeds: Feeds;
}

const noWeights: SessionWeights = { constants: new Map(), feeds: {} };

/** Fewest positions that rotary tables are made for. */
const LEAST_POSITIONS = 1024;

export class SamplingSessions {
  readonly #prefill = new SessionCache(6);
  readonly #decode: SessionCache;
  readonly #isLarge: boolean;
  readonly #memory = new ReleasableMemory();
  readonly #weights: ReturnType<typeof listSamplingWeights>;
  #prefillWeights = noWeights;
  #decodeWeights = noWeights;
  /** weights that a device reads, one array each */
  #mirrors: MirroredArray[] = [];
  #tables: Feeds = {};
  #tableMirrors: MirroredArray[] = [];
  #positions = 0;
  #revision = -1;

  constructor(readonly options: SamplingSessionsOptions) {
    this.#weights = listSamplingWeights(options.config);
    this.#isLarge = isLargeModel(options.config, options.memory?.totalBytes);
    // making another costs seconds, but keeping it costs gigabytes where it holds the weights
    this.#decode = new SessionCache(this.#isLarge && options.precision !== 'bf16' ? 1 : 2);
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
    return { session, weights: { ...this.#decodeWeights.feeds, ...this.#tablesFor(positions) } };
  }

  /** The session that prefills, and the present weights. */
  async prefill(
    kind: { readonly isFiltered: boolean; readonly hasPast: boolean; readonly hasPrefixes: boolean },
    positions: number,
  ): Promise<{ readonly session: Session; readonly weights: Feeds }> {
    await this.#refresh();
    const { config, precision, session: options } = this.options;
    const { isFiltered, hasPast, hasPrefixes } = kind;
    const session = await this.#prefill.get(`${isFiltered}:${hasPast}:${hasPrefixes}`, () => {
      const graph = buildPrefillGraph({ config, precision, isFiltered, hasPast, hasPrefixes });
      return createSession(graph, options, this.#prefillWeights.constants);
    });
    return { session, weights: { ...this.#prefillWeights.feeds, ...this.#tablesFor(positions) } };
  }

  /** Frees laid-out matrices and merged weights, of a large model all: they are about to change, and training needs the memory. */
  async releaseMatrices(): Promise<void> {
    // first: who samples while the sessions are closed lays out new ones, which must not be forgotten
    const free = this.#forget();
    await (this.#isLarge ? this.#clear() : this.#clearFixed());
    free();
  }

  /** Closes the sessions that have weights as constants: decoding on a CPU, all of them in int8, and none in bf16. */
  async #clearFixed(): Promise<void> {
    const { precision } = this.options;
    if (this.#isCpu && precision !== 'bf16') await this.#decode.clear();
    if (precision === 'int8') await this.#prefill.clear();
  }

  async #clear(): Promise<void> {
    await Promise.all([this.#decode.clear(), this.#prefill.clear()]);
  }

  get #isCpu(): boolean {
    return (this.options.session.provider ?? 'cpu') === 'cpu';
  }

  async dispose(): Promise<void> {
    const free = this.#forget();
    await this.#clear();
    this.#freeTables();
    free();
  }

  #freeTables(): void {
    for (const mirror of this.#tableMirrors.splice(0)) mirror.free();
  }

  /** Takes the present weights out of use; to be freed when no session reads them any more. */
  #forget(): () => void {
    this.#revision = -1;
    this.#prefillWeights = noWeights;
    this.#decodeWeights = noWeights;
    const mirrors = this.#mirrors.splice(0);
    const free = this.#memory.detach();
    return () => {
      for (const mirror of mirrors) mirror.free();
      free();
    };
  }

  async #refresh(): Promise<void> {
    const { precision, weights } = this.options;
    if (this.#revision === weights.revision) return;
    const free = this.#forget();
    await this.#clearFixed();
    free();
    if (precision === 'int8') await this.#quantize();
    else if (precision === 'bf16') await this.#round();
    else await this.#join();
    // last: weights for which memory ran out are not the present ones
    this.#revision = weights.revision;
  }

  async #join(): Promise<void> {
    const { config, weights } = this.options;
    const joined = await joinSamplingWeights(config, weights, (length) => this.#memory.allocate(length));
    const fixed = [...joined].filter(([name]) => this.#isFixed(name));
    const feeds = this.#feedsOf(joined);
    this.#prefillWeights = { constants: new Map(), feeds };
    this.#decodeWeights = {
      constants: new Map(fixed),
      feeds: Object.fromEntries(Object.entries(feeds).filter(([name]) => !this.#isFixed(name))),
    };
  }

  async #quantize(): Promise<void> {
    const { config, weights } = this.options;
    const constants = new Map<string, FixedValues>();
    const quantized = await quantizeSamplingWeights(config, weights, this.#memory);
    for (const [name, { codes, scales }] of quantized)
      constants.set(name, codes).set(quantizedScales(name), scales);
    const allocate = (length: number): Float32Array => this.#memory.allocate(length);
    const others = await joinSamplingWeights(config, weights, allocate, (weight) => !isQuantized(weight));
    this.#prefillWeights = { constants, feeds: this.#feedsOf(others) };
    this.#decodeWeights = this.#prefillWeights;
  }

  async #round(): Promise<void> {
    const { config, weights } = this.options;
    const rounded = await roundSamplingWeights(config, weights, (length) =>
      this.#memory.allocateHalves(length),
    );
    const allocate = (length: number): Float32Array => this.#memory.allocate(length);
    const others = await joinSamplingWeights(config, weights, allocate, (weight) => !isRounded(weight));
    const feeds = this.#feedsOf(others);
    for (const [name, values] of rounded)
      feeds[name] = { dtype: 'bfloat16', shape: this.#weights.get(name)?.shape ?? [], values };
    this.#prefillWeights = { constants: new Map(), feeds };
    this.#decodeWeights = this.#prefillWeights;
  }

  #feedsOf(weights: Iterable<[string, Float32Array]>): Feeds {
    return Object.fromEntries(
      [...weights].map(([name, values]) => [
        name,
        this.#tensor(values, this.#weights.get(name)?.shape ?? [], this.#mirrors),
      ]),
    );
  }

  /** A tensor that crosses to a device once, not in every run. */
  #tensor(values: Float32Array, shape: readonly number[], mirrors: MirroredArray[]): RuntimeTensor {
    if (this.options.memory === undefined) return { dtype: 'float32', shape, values };
    const mirror = new MirroredArray(values.length, values);
    mirrors.push(mirror);
    return mirror.tensor(0, shape);
  }

  #createDecode(isFiltered: boolean, hasPrefixes: boolean): Promise<Session> {
    const { config, precision, session } = this.options;
    const graph = buildDecodeGraph({ config, precision, isFiltered, hasPrefixes });
    return createSession(graph, session, this.#decodeWeights.constants);
  }

  /** Rotary tables grow with the longest sequence: a model may declare many times the context that is used. */
  #tablesFor(positions: number): Feeds {
    if (positions <= this.#positions) return this.#tables;
    const { shape } = this.options.config;
    const rounded = 2 ** Math.ceil(Math.log2(Math.max(LEAST_POSITIONS, positions)));
    this.#positions = Math.min(shape.contextLength, rounded);
    const size = [this.#positions, shape.headSize / 2];
    this.#freeTables();
    this.#tables = Object.fromEntries(
      Object.entries(rotaryTables(shape, this.#positions)).map(([name, values]) => [
        name,
        this.#tensor(values, size, this.#tableMirrors),
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
    return this.#isCpu && (kind === 'matrix' || kind === 'head');
  }
}
