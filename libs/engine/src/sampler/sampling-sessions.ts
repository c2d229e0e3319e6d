/**
 * @file The sessions that sample, and the packed weights they are fed: prefill and decode, each with and without
 * filtering, made on first use.
 */
import {
  buildDecodeGraph,
  buildPrefillGraph,
  type LlamaConfig,
  packSamplingWeights,
  samplingWeightShapes,
} from '@espalier/model';
import { createSession, type RuntimeTensor, SessionCache, type SessionOptions } from '@espalier/runtime';
import type { ParameterStore } from '../parameter-store.js';

export interface SamplingSessionsOptions {
  readonly config: LlamaConfig;
  readonly session: SessionOptions;
  readonly store: ParameterStore;
}

export class SamplingSessions {
  readonly #sessions = new SessionCache(8);
  #packed: Map<string, Float32Array> | undefined;
  #feeds: Record<string, RuntimeTensor> = {};
  #revision = -1;

  constructor(readonly options: SamplingSessionsOptions) {}

  decode(isFiltered: boolean) {
    const { config, session } = this.options;
    return this.#sessions.get(`decode:${isFiltered}`, () =>
      createSession(buildDecodeGraph({ config, isFiltered }), session),
    );
  }

  prefill(isFiltered: boolean, hasPast: boolean) {
    const { config, session } = this.options;
    return this.#sessions.get(`prefill:${isFiltered}:${hasPast}`, () =>
      createSession(buildPrefillGraph({ config, isFiltered, hasPast }), session),
    );
  }

  /** Feeds of the weights, packed again if they changed. */
  weights(): Record<string, RuntimeTensor> {
    const { config, store } = this.options;
    if (this.#revision === store.revision) return this.#feeds;
    const packed = packSamplingWeights(config, (name) => store.view(store.weights, name), this.#packed);
    this.#packed = packed;
    this.#revision = store.revision;
    this.#feeds = Object.fromEntries(
      [...samplingWeightShapes(config)].map(([name, shape]) => [
        name,
        { dtype: 'float32', shape, values: packed.get(name) as Float32Array },
      ]),
    );
    return this.#feeds;
  }

  dispose(): Promise<void> {
    return this.#sessions.clear();
  }
}
