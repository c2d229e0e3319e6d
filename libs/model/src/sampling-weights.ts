/**
 * @file The weights of sampling graphs: the model's parameters as they lie in memory, except that all rotated projections
 * of a layer are one matrix.
 */
import type { ModelConfig } from './families/model-family.js';
import { EMBEDDING, FINAL_NORM, headName, layerPrefix, parameterShapes } from './model-weights.js';

/** One weight of the sampling graphs. */
export interface SamplingWeight {
  readonly shape: readonly number[];
  /** the parameters that it consists of */
  readonly parts: readonly string[];
  /** a table of rows, a vector, or a matrix [out, in] that activations are multiplied by: of a layer, or the output head */
  readonly kind: 'table' | 'vector' | 'matrix' | 'head';
}

/** Names of the weights around the layers. */
export const SAMPLING = { embedding: 'embedding', finalNorm: 'final_norm', head: 'head' } as const;

/** The name of a weight of a layer; several names are one matrix. */
export const samplingName = (layer: number, names: readonly string[]): string =>
  `${layer}.${names.join('+')}`;

/** The name of its bias. */
export const samplingBias = (name: string): string => `${name}.bias`;

/** Lists the weights of sampling graphs by name, in the order of the forward pass. */
export function listSamplingWeights(config: ModelConfig): Map<string, SamplingWeight> {
  const { hiddenSize: D, layerCount, vocabularySize: V } = config.shape;
  const weights = new Map<string, SamplingWeight>([
    [SAMPLING.embedding, { shape: [V, D], parts: [EMBEDDING], kind: 'table' }],
  ]);
  for (let layer = 0; layer < layerCount; layer += 1) addLayer(weights, config, layer);
  weights.set(SAMPLING.finalNorm, { shape: [D], parts: [FINAL_NORM], kind: 'vector' });
  weights.set(SAMPLING.head, { shape: [V, D], parts: [headName(config)], kind: 'head' });
  return weights;
}

function addLayer(weights: Map<string, SamplingWeight>, { family, shape }: ModelConfig, layer: number): void {
  const declared = family.layerWeights(shape);
  const names = Object.keys(declared);
  const rotated = names.filter((name) => declared[name]?.isRotated === true);
  for (const first of names) {
    if (rotated.includes(first) && first !== rotated[0]) continue;
    const group = rotated[0] === first ? rotated : [first];
    const shapes = group.map((name) => declared[name]?.shape ?? []);
    const outs = shapes.reduce((total, [out = 0]) => total + out, 0);
    const name = samplingName(layer, group);
    const partsOf = (kind: 'weight' | 'bias'): string[] =>
      group.map((part) => `${layerPrefix(layer)}${part}.${kind}`);
    const inputs = shapes[0]?.[1];
    if (inputs === undefined) weights.set(name, { shape: [outs], parts: partsOf('weight'), kind: 'vector' });
    else weights.set(name, { shape: [outs, inputs], parts: partsOf('weight'), kind: 'matrix' });
    if (declared[first]?.hasBias === true)
      weights.set(samplingBias(name), { shape: [outs], parts: partsOf('bias'), kind: 'vector' });
  }
}

/** Where the parameters of a model are. */
export interface ParameterSource {
  /** a parameter as it lies in memory; undefined if it has to be computed first */
  find(name: string): Float32Array | undefined;
  /** computes or copies a parameter into `target` */
  write(name: string, target: Float32Array): void | Promise<void>;
}

/**
 * Gives the weights of sampling graphs by name, without a copy where the parts of a weight lie next to each other.
 *
 * @param allocate memory for the others
 * @param isJoined leaves weights out
 */
export async function joinSamplingWeights(
  config: ModelConfig,
  source: ParameterSource,
  allocate: (length: number) => Float32Array,
  isJoined: (weight: SamplingWeight) => boolean = () => true,
): Promise<Map<string, Float32Array>> {
  const sizes = parameterShapes(config);
  const joined = new Map<string, Float32Array>();
  const written = new Map<string, Float32Array>();
  for (const [name, weight] of listSamplingWeights(config)) {
    if (!isJoined(weight)) continue;
    const { parts } = weight;
    const found = parts.map((part) => source.find(part));
    const inPlace = adjacent(found) ?? written.get(parts.join());
    if (inPlace !== undefined) {
      joined.set(name, inPlace);
      continue;
    }
    const lengths = parts.map((part) => (sizes.get(part) ?? []).reduce((a, b) => a * b, 1));
    const target = allocate(lengths.reduce((total, length) => total + length, 0));
    let start = 0;
    for (const [i, part] of parts.entries()) {
      const end = start + (lengths[i] as number);
      await source.write(part, target.subarray(start, end));
      start = end;
    }
    joined.set(name, target);
    written.set(parts.join(), target);
  }
  return joined;
}

/**
 * Reads the parameters that a weight consists of, one after another. One that is computed lies in memory of its own until
 * the visit ends.
 *
 * @param visit takes the values of a part, and the entry of the weight where it begins
 */
export async function readParts(
  config: ModelConfig,
  source: ParameterSource,
  parts: readonly string[],
  visit: (values: Float32Array, start: number) => void,
): Promise<void> {
  const shapes = parameterShapes(config);
  let start = 0;
  for (const part of parts) {
    let values = source.find(part);
    if (values === undefined) {
      values = new Float32Array((shapes.get(part) ?? []).reduce((a, b) => a * b, 1));
      await source.write(part, values);
    }
    visit(values, start);
    start += values.length;
  }
}

/** One view of arrays that follow each other in memory; undefined if they do not. */
function adjacent(arrays: readonly (Float32Array | undefined)[]): Float32Array | undefined {
  const [first] = arrays;
  if (first === undefined) return undefined;
  const { buffer, byteOffset } = first;
  let end = byteOffset;
  for (const array of arrays) {
    if (array?.buffer !== buffer || array.byteOffset !== end) return undefined;
    end += array.byteLength;
  }
  return new Float32Array(buffer, byteOffset, (end - byteOffset) / Float32Array.BYTES_PER_ELEMENT);
}
