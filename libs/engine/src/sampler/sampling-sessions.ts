/**
 * @file The sessions that sample, and the packed weights they are fed. Prefill takes weights as inputs, like training.
 * Decoding has few rows per product, so laying a matrix out for its kernel would cost as much as the product itself at
 * every step: its matrices are constants of the session, laid out once and again whenever the weights change.
 */
import { encode } from '@espalier/graph';
import {
  buildDecodeGraph,
  buildPrefillGraph,
  listSamplingWeights,
  type ModelConfig,
  packSamplingWeights,
} from '@espalier/model';
import {
  createSession,
  type RuntimeTensor,
  type Session,
  SessionCache,
  type SessionOptions,
} from '@espalier/runtime';
import type { SampledWeights } from '../engine-models.js';

export interface SamplingSessionsOptions {
  readonly config: ModelConfig;
  readonly session: SessionOptions;
  readonly weights: SampledWeights;
}

type Feeds = Record<string, RuntimeTensor>;

export class SamplingSessions {
  readonly #prefill = new SessionCache(6);
  readonly #decode = new SessionCache(2);
  readonly #weights: ReturnType<typeof listSamplingWeights>;
  #packed: Map<string, Float32Array> | undefined;
  #feeds: Feeds = {};
  #decodeFeeds: Feeds = {};
  #revision = -1;

  constructor(readonly options: SamplingSessionsOptions) {
    this.#weights = listSamplingWeights(options.config);
  }

  /** The session that decodes under the present weights, and the weights it still takes as feeds. */
  async decode(
    isFiltered: boolean,
    hasPrefixes: boolean,
  ): Promise<{ readonly session: Session; readonly weights: Feeds }> {
    await this.#refresh();
    const session = await this.#decode.get(`${isFiltered}:${hasPrefixes}`, () =>
      this.#createDecode(isFiltered, hasPrefixes),
    );
    return { session, weights: this.#decodeFeeds };
  }

  /** The session that prefills, and the present weights. */
  async prefill(
    isFiltered: boolean,
    hasPast: boolean,
    hasPrefixes: boolean,
  ): Promise<{ readonly session: Session; readonly weights: Feeds }> {
    await this.#refresh();
    const { config, session: options } = this.options;
    const session = await this.#prefill.get(`${isFiltered}:${hasPast}:${hasPrefixes}`, () =>
      createSession(buildPrefillGraph({ config, isFiltered, hasPast, hasPrefixes }), options),
    );
    return { session, weights: this.#feeds };
  }

  async dispose(): Promise<void> {
    await this.#prefill.clear();
    await this.#decode.clear();
  }

  async #refresh(): Promise<void> {
    const { config, weights } = this.options;
    if (this.#revision === weights.revision) return;
    this.#revision = weights.revision;
    const packed = packSamplingWeights(config, (name) => weights.weight(name), this.#packed);
    this.#packed = packed;
    const feeds = [...this.#weights].map(([name, { shape }]): [string, RuntimeTensor] => [
      name,
      { dtype: 'float32', shape, values: packed.get(name) as Float32Array },
    ]);
    this.#feeds = Object.fromEntries(feeds);
    this.#decodeFeeds = Object.fromEntries(feeds.filter(([name]) => !this.#isFixed(name)));
    await this.#decode.clear();
  }

  #createDecode(isFiltered: boolean, hasPrefixes: boolean): Promise<Session> {
    const { config, session } = this.options;
    const graph = buildDecodeGraph({ config, isFiltered, hasPrefixes });
    if (!this.#canFix) return createSession(graph, session);
    const fixed = new Map([...(this.#packed ?? [])].filter(([name]) => this.#isFixed(name)));
    return createSession(encode(graph, { fixed }), session);
  }

  /** Constants are laid out by the CPU's kernels only; elsewhere weights stay inputs. */
  get #canFix(): boolean {
    return (this.options.session.provider ?? 'cpu') === 'cpu';
  }

  #isFixed(name: string): boolean {
    return this.#canFix && this.#weights.get(name)?.kind === 'matrix';
  }
}
