/**
 * @file Weights in the layout of sampling: [in, out], so that no product transposes, with all rotated projections of a
 * layer next to each other in one matrix. They are copies, packed again whenever the weights change.
 */
import type { ModelConfig } from './families/model-family.js';
import { EMBEDDING, FINAL_NORM, headName, layerPrefix } from './model-weights.js';

/** One weight of the sampling graphs. */
export interface SamplingWeight {
  readonly shape: readonly number[];
  /** the parameters that it consists of */
  readonly parts: readonly string[];
  /** a table of rows, a vector, or a matrix [in, out] that activations are multiplied by */
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
  weights.set(SAMPLING.head, { shape: [D, V], parts: [headName(config)], kind: 'matrix' });
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
    else weights.set(name, { shape: [inputs, outs], parts: partsOf('weight'), kind: 'matrix' });
    if (declared[first]?.hasBias === true)
      weights.set(samplingBias(name), { shape: [outs], parts: partsOf('bias'), kind: 'vector' });
  }
}

interface Source {
  readonly data: Float32Array;
  readonly shape: readonly number[];
}

/**
 * Packs the weights of sampling graphs.
 *
 * @param parameters the model's parameters by name, [out, in]
 * @param reuse      an earlier result, which is overwritten
 * @returns          arrays by name; tables and vectors of one part are the given arrays, not copies
 */
export function packSamplingWeights(
  config: ModelConfig,
  parameters: (name: string) => Source,
  reuse?: ReadonlyMap<string, Float32Array>,
): Map<string, Float32Array> {
  const packed = new Map<string, Float32Array>();
  for (const [name, { shape, parts, kind }] of listSamplingWeights(config)) {
    const sources = parts.map(parameters);
    if (kind !== 'matrix' && sources.length === 1) {
      packed.set(name, (sources[0] as Source).data);
      continue;
    }
    const target = reuse?.get(name) ?? new Float32Array(shape.reduce((a, b) => a * b, 1));
    if (kind === 'matrix') joinTransposed(target, shape as [number, number], sources);
    else joinVectors(target, sources);
    packed.set(name, target);
  }
  return packed;
}

function joinVectors(target: Float32Array, sources: readonly Source[]): void {
  let start = 0;
  for (const { data } of sources) {
    target.set(data, start);
    start += data.length;
  }
}

/** Writes the transposes of several matrices [outs, rows] next to each other. */
function joinTransposed(
  target: Float32Array,
  [rows, columns]: readonly [number, number],
  sources: readonly Source[],
): void {
  let column = 0;
  for (const { data, shape } of sources) {
    const outs = shape[0] as number;
    transposeInto(target, columns, column, data, outs, rows);
    column += outs;
  }
}

const TILE = 32;

/** Writes the transpose of `source` [outs, ins] into columns of `target`, tile by tile to stay in the cache. */
function transposeInto(
  target: Float32Array,
  stride: number,
  column: number,
  source: Float32Array,
  outs: number,
  ins: number,
): void {
  for (let o = 0; o < outs; o += TILE) {
    const lastOut = Math.min(outs, o + TILE);
    for (let i = 0; i < ins; i += TILE) {
      const lastIn = Math.min(ins, i + TILE);
      for (let row = i; row < lastIn; row += 1) {
        for (let out = o; out < lastOut; out += 1)
          target[row * stride + column + out] = source[out * ins + row] as number;
      }
    }
  }
}
