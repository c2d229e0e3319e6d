/**
 * @file What prefill and decoding have in common: weights, the family's layers over the rows of new tokens, and the
 * draw of the next token. How rows attend to the cache is in prefill-graph.ts and decode-graph.ts.
 */
import {
  add,
  cast,
  concat,
  type Dim,
  expandDims,
  gather,
  type Graph,
  matmul,
  QUANTIZED_BLOCK,
  quantizedMatmul,
  rope,
  scale,
  split,
  type Tensor,
} from '@espalier/graph';
import type { ModelConfig } from './families/model-family.js';
import type { CacheDType } from './layers/cached-keys.js';
import type { LayerContext, RotatedProjection } from './layers/layer-context.js';
import { normalize, normalizeHeads, splitHeads } from './layers/norms.js';
import { declareLayerTables, type RotaryTables } from './layers/rotary-tables.js';
import { buildDraw } from './layers/sample-token.js';
import { blocksOf, isQuantized, quantizedScales } from './quantized-weights.js';
import { isRounded } from './rounded-weights.js';
import { listSamplingWeights, SAMPLING, samplingBias, samplingName } from './sampling-weights.js';

/** Which sampling graph. */
export interface SamplingGraphOptions {
  readonly config: ModelConfig;
  /** the rows may use top-p and top-k */
  readonly isFiltered: boolean;
  /**
   * of weights and cache: in bf16 tables, matrices, keys and values are bfloat16; in int8 matrices are codes and scales;
   * default float32
   */
  readonly precision?: 'float32' | 'bf16' | 'int8' | undefined;
}

/** What the cache of a sampling graph holds numbers in. */
export const cacheDType = ({ precision }: SamplingGraphOptions): CacheDType =>
  precision === 'bf16' ? 'bfloat16' : 'float32';

/** What the layers of a sampling graph are built from. */
export interface SamplingInputs {
  readonly graph: Graph;
  readonly config: ModelConfig;
  /** codes of those in int8 */
  readonly weights: ReadonlyMap<string, Tensor>;
  /** of weights in int8 */
  readonly scales: ReadonlyMap<string, Tensor>;
  /** per layer */
  readonly tables: readonly (RotaryTables | undefined)[];
  /** positions of the rows that are computed */
  readonly positions: Tensor; // [N, 1]
  readonly isBf16: boolean;
}

/**
 * Attends from queries [N, H, 1, d], with new keys [N, K, 1, d] and values [N, K*d] of one layer: [N, H*d], or [E, H*d]
 * where only the rows `ends` [E] are needed.
 */
export type CachedAttention = (layer: number, q: Tensor, k: Tensor, v: Tensor, ends?: Tensor) => Tensor;

/** Declares the weights and the rotary tables of a sampling graph. */
export function declareSamplingInputs(
  graph: Graph,
  { config, precision }: SamplingGraphOptions,
  positions: Tensor,
): SamplingInputs {
  const tables = declareLayerTables(graph, config.shape);
  const weights = new Map<string, Tensor>();
  const scales = new Map<string, Tensor>();
  for (const [name, weight] of listSamplingWeights(config)) {
    if (precision !== 'int8' || !isQuantized(weight)) {
      const dtype = precision === 'bf16' && isRounded(weight) ? 'bfloat16' : 'float32';
      weights.set(name, cast(graph.input(name, dtype, weight.shape), 'float32'));
      continue;
    }
    const [rows, columns] = weight.shape as readonly [number, number];
    const blocks = blocksOf(columns);
    weights.set(name, graph.input(name, 'uint8', [rows, blocks, QUANTIZED_BLOCK]));
    scales.set(name, graph.input(quantizedScales(name), 'float32', [rows, blocks]));
  }
  const isBf16 = precision === 'bf16';
  return { graph, config, weights, scales, tables, positions: expandDims(positions, 1), isBf16 };
}

/** Rows [.., in] times a matrix [out, in]. */
function multiply(inputs: SamplingInputs, x: Tensor, name: string): Tensor {
  const weight = weightOf(inputs, name);
  const scales = inputs.scales.get(name);
  return scales === undefined ? matmul(x, weight, { transposeB: true }) : quantizedMatmul(x, weight, scales);
}

/**
 * Builds the layers over flat rows, up to the final norm, which is not applied: [N, D]. With `ends` [E], the last layer
 * computes only keys and values for all other rows, since nothing reads more of them: [E, D].
 */
export function buildSamplingLayers(
  inputs: SamplingInputs,
  ids: Tensor,
  attend: CachedAttention,
  ends?: Tensor,
): Tensor {
  const { family, shape } = inputs.config;
  let x = scale(gather(weightOf(inputs, SAMPLING.embedding), ids, 0), shape.embeddingScale); // [N, D]
  for (let layer = 0; layer < shape.layerCount; layer += 1) {
    const kept = layer === shape.layerCount - 1 ? ends : undefined;
    x = family.layer(x, {
      ...createProjections(inputs, layer),
      attend: (q, k, v) => attend(layer, q, k, v, kept),
      attendedRows: (rows) => (kept === undefined ? rows : gather(rows, kept, 0)),
    });
  }
  return x;
}

/** The products and norms of one layer; rotated projections are one product and one rotation. */
function createProjections(
  inputs: SamplingInputs,
  layer: number,
): Pick<LayerContext, 'shape' | 'rmsNorm' | 'linear' | 'rotate'> {
  const { weights, positions } = inputs;
  const { shape } = inputs.config;
  const table = inputs.tables[layer];
  const project = (x: Tensor, names: readonly string[]): Tensor => {
    const name = samplingName(layer, names);
    const product = multiply(inputs, x, name);
    const bias = weights.get(samplingBias(name));
    return bias === undefined ? product : add(product, bias);
  };
  const vectorOf = (name: string): Tensor => weightOf(inputs, samplingName(layer, [name]));
  const turn = (heads: Tensor): Tensor =>
    table === undefined ? heads : rope(heads, positions, table.cos, table.sin);
  return {
    shape,
    rmsNorm: (x, name) => normalize(x, vectorOf(name), shape),
    linear: (x, name) => project(x, [name]),
    rotate(x, projections) {
      const projected = project(
        x,
        projections.map(({ name }) => name),
      );
      const sizes = projections.map(({ heads }) => heads);
      const isWhole = projections.some(({ norm }) => norm?.over === 'projection');
      const all = isWhole ? projected : splitHeads(projected, sizes.reduce(sum), shape);
      if (projections.every(({ norm }) => norm === undefined)) return split(turn(all), { axis: 1, sizes });
      const width = isWhole ? shape.headSize : 1;
      return split(all, { axis: 1, sizes: sizes.map((heads) => heads * width) }).map((part, i) => {
        const { heads, norm } = projections[i] as RotatedProjection;
        return turn(normalizeHeads(part, heads, norm, vectorOf, shape));
      });
    },
  };
}

const sum = (a: number, b: number): number => a + b;

/** Stacks the new keys and values of all layers, keys before values: output `cache` [2L, ...]. */
export function outputCache(graph: Graph, rows: readonly Tensor[], dtype: CacheDType): void {
  const stacked = concat(
    rows.map((tensor) => expandDims(tensor, 0)),
    0,
  );
  graph.output('cache', cast(stacked, dtype));
}

/** Draws a token per row of the last layer's output: declares the draw's columns, outputs `token`, `logprob`, `entropy`. */
export function buildNextTokens(
  inputs: SamplingInputs,
  hidden: Tensor,
  rows: Dim,
  isFiltered: boolean,
): void {
  const { graph, config } = inputs;
  const column = (name: string): Tensor => graph.input(name, 'float32', [rows]);
  const normed = normalize(hidden, weightOf(inputs, SAMPLING.finalNorm), config.shape);
  const draw = buildDraw(normed, (x) => multiply(inputs, x, SAMPLING.head), {
    uniform: column('uniform'),
    inverseTemperature: column('inverse_temperature'),
    greedy: column('greedy'),
    softCap: config.shape.logitSoftCap,
    isBf16: inputs.isBf16,
    ...(isFiltered ? { filter: { topP: column('top_p'), topK: column('top_k') } } : {}),
  });
  graph.output('token', draw.ids);
  graph.output('logprob', draw.logprobs);
  graph.output('entropy', draw.entropies);
}

function weightOf({ weights }: SamplingInputs, name: string): Tensor {
  const tensor = weights.get(name);
  if (tensor === undefined) throw new RangeError(`sampling weight "${name}" is not declared`);
  return tensor;
}
