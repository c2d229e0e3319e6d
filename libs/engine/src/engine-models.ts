/**
 * @file The weights of an engine's policy, critics and references. Without adapters each model has all its weights for
 * itself; with them, all read one frozen base.
 */
import { type joinSamplingWeights, type ModelConfig, parameterShapes, VALUE_HEAD } from '@espalier/model';
import {
  type BaseDtype,
  initializeLora,
  loraName,
  loraShapes,
  type LoraAdapter,
  type LoraShape,
  placeAdapter,
  splitParameters,
} from '@espalier/model/adapters';
import { createStream } from '@espalier/random';
import { AdapterMerge } from './adapter-merge.js';
import { FrozenBase, type ReadableWeights } from './frozen-base.js';
import { type NamedArray, ParameterStore } from './parameter-store.js';
import type { SequenceWeights } from './sequence-model.js';

/** What a critic is made of when the policy has adapters. */
export type CriticKind = 'adapter' | 'head' | 'model';

/** Adapters of an engine. */
export interface EngineLora {
  readonly shape: LoraShape;
  readonly critic: CriticKind;
  /** what the frozen weights are held in; default float32 */
  readonly baseDtype?: BaseDtype;
  /** share of the inputs of adapters that training drops */
  readonly dropout: number;
  /** of the values that the adapters start with, and of dropout */
  readonly seed: number;
}

/** Where the parameters of sampling graphs are. */
type ParameterSource = Parameters<typeof joinSamplingWeights>[1];

/** The weights that are sampled from. */
export interface SampledWeights extends ParameterSource {
  /** optimizer steps taken */
  readonly version: number;
  /** rises whenever weights change */
  readonly revision: number;
  /** they are made of a base in fewer bits: memory is worth more than time */
  readonly isCompact: boolean;
}

export interface EngineModels {
  readonly policy: SequenceWeights;
  readonly sampled: SampledWeights;
  /** numbers of the policy, trained or not */
  readonly parameterCount: number;
  /** @param headSeed of what the value head begins with; default: it begins at zero */
  openCritic(headSeed?: number): Promise<SequenceWeights>;
  openReference(): SequenceWeights;
  /** a copy of what is sampled from, and how it catches up */
  openSampled(): { readonly sampled: SampledWeights; refresh(): void };
  /** Gives back what a device or the runtime holds of the policy. */
  dispose(): Promise<void>;
}

/** Where the weights of a model come from. */
export interface WeightSource extends ReadableWeights {
  readonly config: ModelConfig;
  /** adapters that the engine's begin as; their base is what is read */
  readonly adapter?: LoraAdapter;
}

/** Models of which every weight is trained. */
export function createFullModels({ config, shapes, read, source }: WeightSource): EngineModels {
  const store = new ParameterStore(parameterShapes(config));
  store.fill(store.weights.write(), shapes, read, source);
  const copy = (role: 'policy' | 'critic'): SequenceWeights => {
    const copied = new ParameterStore(parameterShapes(config, role));
    copied.copyWeights(store);
    return { model: { role }, store: copied, frozen: [] };
  };
  return {
    policy: { model: { role: 'policy' }, store, frozen: [] },
    sampled: sampledOf(store),
    parameterCount: store.parameterCount,
    openCritic: async (headSeed) => withHead(copy('critic'), headSeed),
    openReference: () => copy('policy'),
    openSampled: () => copySampled(new ParameterStore(parameterShapes(config)), store, sampledOf),
    dispose: async () => store.releaseDevice(),
  };
}

/** Half the width of the interval that a value head is drawn from, times √D: an order below a new layer's, as values begin near zero. */
const HEAD_BOUND = 0.1;

/** Draws the head of a critic, [1, D], evenly from ±0.1 / √D; without a seed it stays at zero. */
function withHead(critic: SequenceWeights, seed: number | undefined): SequenceWeights {
  if (seed === undefined) return critic;
  const { store } = critic;
  const { data } = store.writableWeight(VALUE_HEAD);
  const stream = createStream(seed);
  const bound = HEAD_BOUND / Math.sqrt(data.length);
  for (let i = 0; i < data.length; i += 1) data[i] = bound * (2 * stream.next() - 1);
  store.revision += 1;
  return critic;
}

const sampledOf = (store: ParameterStore): SampledWeights => ({
  get version() {
    return store.version;
  },
  get revision() {
    return store.revision;
  },
  isCompact: false,
  find: (name) => store.weight(name).data,
  write: (name, target) => target.set(store.weight(name).data),
});

/** A store that follows another one when it is told to. */
function copySampled(
  copied: ParameterStore,
  store: ParameterStore,
  toSampled: (copied: ParameterStore) => SampledWeights,
): ReturnType<EngineModels['openSampled']> {
  const refresh = (): void => {
    copied.copyWeights(store);
    copied.version = store.version;
  };
  refresh();
  return { sampled: toSampled(copied), refresh };
}

/**
 * Models that share a frozen base; only adapters and heads are trained.
 *
 * @param threads of the product that merges adapters for sampling
 */
export function createLoraModels(from: WeightSource, lora: EngineLora, threads: number): EngineModels {
  const { config, adapter, source } = from;
  const { shape, baseDtype = 'float32' } = lora;
  const base = new FrozenBase(parameterShapes(config), baseDtype, from);
  const model = { ...frozen(base), role: 'policy', lora: shape } as const;
  const store = createStore({ ...model, config });
  for (const [name, { data }] of initializeLora(config, shape, lora.seed))
    store.writableWeight(name).data.set(data);
  if (adapter !== undefined) placeAdapter(adapter, shape, (name) => store.writableWeight(name).data, source);
  store.revision += 1;
  const merge = new AdapterMerge(threads);
  const toMerged = (adapters: ParameterStore): SampledWeights => createMerged(base, adapters, shape, merge);
  const sampled = toMerged(store);
  const shared: Shared = { config, lora, base, store, sampled };
  return {
    policy: { model, store, frozen: [base], dropout: dropoutOf(lora) },
    sampled,
    parameterCount: base.parameterCount + store.parameterCount,
    openCritic: async (headSeed) => withHead(await openCritic(shared), headSeed),
    openReference: () => openReference(shared),
    openSampled: () => copySampled(createStore({ ...model, config }), store, toMerged),
    async dispose() {
      await merge.dispose();
      store.releaseDevice();
      base.releaseDevice();
    },
  };
}

const dropoutOf = ({ dropout: rate, seed }: EngineLora) => (rate === 0 ? undefined : { rate, seed });

interface Shared {
  readonly config: ModelConfig;
  readonly lora: EngineLora;
  readonly base: FrozenBase;
  /** the policy's adapters */
  readonly store: ParameterStore;
  readonly sampled: SampledWeights;
}

const frozen = ({ dtype }: FrozenBase) => ({ isFrozen: true, baseDtype: dtype }) as const;

const createStore = (graph: Parameters<typeof splitParameters>[0]): ParameterStore =>
  new ParameterStore(splitParameters(graph).trained);

/** A value head on the policy, adapters and a value head on the base, or a copy of the base with all its weights. */
async function openCritic({ config, lora, base, store: policy, sampled }: Shared): Promise<SequenceWeights> {
  if (lora.critic === 'model') {
    const store = new ParameterStore(parameterShapes(config, 'critic'));
    for (const name of store.names)
      if (base.shapes.has(name)) await sampled.write(name, store.writableWeight(name).data);
    return { model: { role: 'critic' }, store, frozen: [] };
  }
  const isLoraFrozen = lora.critic === 'head';
  const model = { ...frozen(base), role: 'critic', lora: lora.shape, isLoraFrozen } as const;
  const store = createStore({ ...model, config });
  store.copyWeights(policy);
  if (isLoraFrozen) return { model, store, frozen: [base, policy] };
  return { model, store, frozen: [base], dropout: dropoutOf(lora) };
}

/** The base alone where adapters change nothing yet, else with a copy of the adapters as they are now. */
function openReference({ config, lora, base, store: policy }: Shared): SequenceWeights {
  const isBase = [...loraShapes(config, lora.shape).keys()].every(
    (name) => !name.endsWith('lora_B.weight') || policy.weight(name).data.every((x) => x === 0),
  );
  const model = { ...frozen(base), role: 'policy', ...(isBase ? {} : { lora: lora.shape }) } as const;
  const store = createStore({ ...model, config });
  store.copyWeights(policy);
  return { model, store, frozen: [base] };
}

/** The weights of the base with the adapters added. */
function createMerged(
  base: FrozenBase,
  store: ParameterStore,
  { scale }: LoraShape,
  merge: AdapterMerge,
): SampledWeights {
  const adapted = new Set(store.names);
  const pathOf = (name: string): string => name.replace(/\.weight$/, '');
  const isAdapted = (name: string): boolean => adapted.has(loraName(pathOf(name), 'A'));
  return {
    get version() {
      return store.version;
    },
    get revision() {
      return store.revision;
    },
    isCompact: base.dtype !== 'float32',
    find: (name) => (isAdapted(name) ? undefined : base.find(name)),
    async write(name, target) {
      base.write(name, target);
      if (!isAdapted(name)) return;
      const part = (factor: 'A' | 'B'): NamedArray => store.weight(loraName(pathOf(name), factor));
      await merge.add(target, { a: part('A'), b: part('B'), scale });
    },
  };
}
