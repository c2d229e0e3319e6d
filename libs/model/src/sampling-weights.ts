/**
 * @file The weights of sampling graphs: the model's parameters as they lie in memory, except that all rotated projections
 * of a layer are one matrix.
 */
import type { ModelConfig } from './families/model-family.js';
import { EMBEDDING, FINAL_NORM, headName, layerPrefix } from './model-weights.js';

/** One weight of the sampling graphs. */
export interface SamplingWeight {
  readonly shape: readonly number[];
  /** the parameters that it consists of */
  readonly parts: readonly string[];
  /** a table of rows, a vector, or a matrix [out, in] that activations are multiplied by */
  readonly kind: 'table' | 'vector' | 'matrix';
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
  weights.set(SAMPLING.head, { shape: [V, D], parts: [headName(config)], kind: 'matrix' });
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

interface Source {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/**
 * Gives the weights of sampling graphs by name, without a copy where the parts of a weight lie next to each other.
 *
 * @param parameters the model's parameters by name
 * @param reuse      an earlier result, whose copies are overwritten
 */
export function joinSamplingWeights(
  config: ModelConfig,
  parameters: (name: string) => Source,
  reuse?: ReadonlyMap<string, Float32Array>,
): Map<string, Float32Array> {
  const joined = new Map<string, Float32Array>();
  for (const [name, { shape, parts }] of listSamplingWeights(config)) {
    const sources = parts.map((part) => parameters(part).data);
    const inPlace = adjacent(sources);
    if (inPlace !== undefined) {
      joined.set(name, inPlace);
      continue;
    }
    const target = reuse?.get(name) ?? new Float32Array(shape.reduce((a, b) => a * b, 1));
    let start = 0;
    for (const data of sources) {
      target.set(data, start);
      start += data.length;
    }
    joined.set(name, target);
  }
  return joined;
}

/** One view of arrays that follow each other in memory; undefined if they do not. */
function adjacent(sources: readonly Float32Array[]): Float32Array | undefined {
  const { buffer, byteOffset } = sources[0] as Float32Array;
  let end = byteOffset;
  for (const source of sources) {
    if (source.buffer !== buffer || source.byteOffset !== end) return undefined;
    end += source.byteLength;
  }
  return new Float32Array(buffer, byteOffset, (end - byteOffset) / Float32Array.BYTES_PER_ELEMENT);
}
