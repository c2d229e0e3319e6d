/** @file config.json as metadata of a GGUF file; a model of which the file would say something else is refused. */
import { AppError } from '@espalier/contracts';
import { parseModelConfig } from '../families/families.js';
import type { ModelConfig, ModelShape, RotaryShape } from '../families/model-family.js';
import { rotaryFrequencies } from '../layers/rotary-frequencies.js';
import type { NewTensor, TypedValue } from './encode-gguf.js';
import type { GgufArchitecture } from './gguf-architecture.js';
import { describeConfig } from './gguf-config.js';
import { GgufMetadata } from './gguf-metadata.js';
import type { GgufValue } from './parse-gguf.js';

type Metadata = [key: string, value: TypedValue][];

/** A configuration in the words of GGUF. */
export interface ConfigMetadata {
  readonly metadata: Metadata;
  /** what frequencies are divided by, for a tensor */
  readonly rotaryFactors?: Float32Array | undefined; // [d/2]
}

/** Refuses a model that GGUF has no words for. */
export const unwritten = (source: string, what: string, cause?: unknown): AppError =>
  new AppError(
    'model.unsupported_config',
    `${source}: ${what} is not written to GGUF; export to a Hugging Face folder instead`,
    { cause },
  );

/** Describes sizes, attention and positions. @throws model.unsupported_config for a scaling or a size of heads that is not written */
export function describeConfigMetadata(
  folder: string,
  { shape, json }: ModelConfig,
  { id, hasRotaryFactors = false, hasFixedHeads = false }: GgufArchitecture,
): ConfigMetadata {
  if (hasFixedHeads && shape.headCount * shape.headSize !== shape.hiddenSize)
    throw unwritten(
      folder,
      `head_dim ${shape.headSize}, where llama.cpp takes hidden_size / num_attention_heads,`,
    );
  const counts = {
    block_count: shape.layerCount,
    context_length: shape.contextLength,
    embedding_length: shape.hiddenSize,
    feed_forward_length: shape.intermediateSize,
    vocab_size: shape.vocabularySize,
    'attention.head_count': shape.headCount,
    'attention.head_count_kv': shape.keyValueHeadCount,
    'attention.key_length': shape.headSize,
    'attention.value_length': shape.headSize,
    'rope.dimension_count': shape.headSize,
  };
  const rotary = globalRotary(shape, id);
  const { scaling } = rotary;
  const isDivided = scaling?.type === 'llama3' && hasRotaryFactors;
  if (scaling !== undefined && scaling.type !== 'linear' && !isDivided)
    throw unwritten(folder, `rope_scaling of the type "${scaling.type}"`);
  const metadata: Metadata = [
    ...Object.entries(counts).map(([name, count]): Metadata[number] => [name, ['uint32', count]]),
    ['attention.layer_norm_rms_epsilon', ['float32', shape.normEpsilon]],
    ['rope.freq_base', ['float32', rotary.theta]],
  ];
  if (scaling?.type === 'linear')
    metadata.push(
      ['rope.scaling.type', ['string', 'linear']],
      ['rope.scaling.factor', ['float32', scaling.factor]],
    );
  if (id.startsWith('gemma')) metadata.push(...describeGemma(shape, id, json.sliding_window));
  return {
    metadata: metadata.map(([name, value]) => [`${id}.${name}`, value]),
    rotaryFactors: isDivided ? divisorsOf(rotary, shape.headSize) : undefined,
  };
}

/** The positions of layers that see the whole context: in Gemma 3 every sixth, elsewhere all that are rotated. */
function globalRotary({ attention }: ModelShape, id: string): RotaryShape {
  const layer = id === 'gemma3' ? attention[5] : undefined;
  return layer?.rotary ?? attention.find(({ rotary }) => rotary !== undefined)?.rotary ?? { theta: 10000 };
}

/** Which layers slide is code in llama.cpp. */
function describeGemma(
  { attention, logitSoftCap }: ModelShape,
  id: string,
  window: number | null | undefined,
): Metadata {
  const [first] = attention;
  const numbers: Record<string, number | undefined> = {
    final_logit_softcapping: logitSoftCap,
    attn_logit_softcapping: first?.softCap,
    'rope.freq_base_swa': id === 'gemma3' ? first?.rotary?.theta : undefined,
  };
  const metadata: Metadata = [];
  if (typeof window === 'number') metadata.push(['attention.sliding_window', ['uint32', window]]);
  for (const [name, value] of Object.entries(numbers))
    if (value !== undefined) metadata.push([name, ['float32', value]]);
  return metadata;
}

function divisorsOf(rotary: RotaryShape, headSize: number): Float32Array {
  const { angles } = rotaryFrequencies(rotary, headSize);
  return rotaryFrequencies({ theta: rotary.theta }, headSize).angles.map((angle, i) => angle / angles[i]!);
}

/** What of a file says how its model computes. */
interface WrittenParts {
  readonly metadata: ReadonlyMap<string, TypedValue>;
  readonly tensors: readonly NewTensor[];
  readonly rotaryFactors?: Float32Array | undefined;
}

/**
 * Reads a file's metadata as an import does, and compares the model that they describe with the one that is exported.
 *
 * @throws model.unsupported_config naming the first key that would be lost
 */
export function requireSameShape(
  folder: string,
  config: ModelConfig,
  architecture: GgufArchitecture,
  { metadata, tensors, rotaryFactors }: WrittenParts,
): void {
  const values = new Map([...metadata].map(([key, [, value]]) => [key, value as GgufValue]));
  const parts = {
    metadata: new GgufMetadata({ metadata: values }, folder),
    tensors: new Map(tensors.map((tensor) => [tensor.name, tensor])),
    rotaryFactors,
  };
  let read: ModelShape;
  try {
    read = parseModelConfig(describeConfig(architecture, parts), folder).shape;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw unwritten(folder, 'its config.json', error);
  }
  const lost = findDifference(config.shape, read);
  if (lost !== undefined) throw unwritten(folder, lost);
}

/** Keys of config.json by what they decide. */
const keys: Readonly<Record<string, string>> = {
  window: 'sliding_window',
  scale: 'query_pre_attn_scalar',
  softCap: 'attn_logit_softcapping',
  rotary: 'the rotary embedding',
  logitSoftCap: 'final_logit_softcapping',
  hasAttentionBias: 'attention_bias',
  hasOutputBias: 'attention_bias',
  hasFeedForwardBias: 'mlp_bias',
};

function findDifference({ attention, ...shape }: ModelShape, read: ModelShape): string | undefined {
  const whole = differingKey(shape, read, Object.keys(shape) as (keyof typeof shape)[]);
  if (whole !== undefined) return keys[whole] ?? whole;
  for (const [layer, its] of attention.entries()) {
    const key = differingKey(its, read.attention[layer]!, ['window', 'scale', 'softCap', 'rotary']);
    if (key !== undefined) return `${keys[key] ?? key} of layer ${layer}`;
  }
  return undefined;
}

const differingKey = <T extends object, Key extends keyof T>(
  expected: T,
  found: T,
  order: readonly Key[],
): Key | undefined => order.find((key) => !isClose(expected[key], found[key]));

/** Equal but for what float32 rounds. */
function isClose(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number') return Math.abs(a - b) <= 1e-6 * Math.abs(a);
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((key) =>
    isClose((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
  );
}
