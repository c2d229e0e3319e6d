/**
 * @file A model over whole sequences, for training and scoring: the family's layers over the rows of a layout, up to the
 * final norm. The head is applied by the graphs that need it, at the rows they need.
 */
import {
  add,
  checkpoint,
  type Dim,
  expandDims,
  type Graph,
  reshape,
  rope,
  scale,
  type Tensor,
} from '@espalier/graph';
import { lookUp, multiply } from './compact-graph.js';
import type { AttentionShape, ModelConfig } from './families/model-family.js';
import type { LayerContext } from './layers/layer-context.js';
import { normalize, normalizeHeads } from './layers/norms.js';
import { buildLayerTables, type RotaryTables } from './layers/rotary-tables.js';
import type { RowLayout } from './layers/row-layout.js';
import { loraName, loraProduct, type LoraShape } from './lora.js';
import type { LoraDropout } from './lora-dropout.js';
import { EMBEDDING, layerPrefix } from './model-weights.js';

/** Parameters of a graph by name. */
export type GraphParameters = ReadonlyMap<string, Tensor>;

/** Declares one input per parameter. */
export function declareParameters(
  graph: Graph,
  shapes: ReadonlyMap<string, readonly number[]>,
): Map<string, Tensor> {
  return new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
}

/** The tensor of a parameter that is known to exist. */
export function parameterOf(parameters: GraphParameters, name: string): Tensor {
  const tensor = parameters.get(name);
  if (tensor === undefined) throw new RangeError(`parameter "${name}" is not declared`);
  return tensor;
}

/** The result of {@link buildBackbone}. */
export interface Backbone {
  /** the embedded tokens */
  readonly embedded: Tensor; // [N, D]
  /** the residual stream after the last layer, before the final norm */
  readonly hidden: Tensor; // [N, D]
}

export interface BackboneOptions {
  /** the backward pass computes each layer again from its input, and nothing else of it is kept */
  readonly recomputes?: boolean;
  /** adapters next to the matrices */
  readonly lora?: LoraShape | undefined;
  /** drops inputs of adapters */
  readonly dropout?: LoraDropout | undefined;
}

/** Builds the layers over the rows of a layout. */
export function buildBackbone(
  { family, shape }: ModelConfig,
  parameters: GraphParameters,
  layout: RowLayout,
  { recomputes = false, lora, dropout }: BackboneOptions = {},
): Backbone {
  const { ids, positions, positionCount } = layout;
  const embedded = lookUp(parameters, EMBEDDING, ids); // [N, D]
  const tables = buildLayerTables(ids.graph, positionCount, shape);
  const places = expandDims(positions, 1);
  const rows: Omit<SequenceRows, 'parameters'> = { lora, dropout, layout, tables, places };
  let hidden = scale(embedded, shape.embeddingScale);
  for (let layer = 0; layer < shape.layerCount; layer += 1) {
    const own = [...parameters].filter(([name]) => name.startsWith(layerPrefix(layer)));
    const names = own.map(([name]) => name);
    const build = ([x, ...weights]: readonly Tensor[]): Tensor => {
      const known = new Map(names.map((name, i) => [name, weights[i] as Tensor]));
      return family.layer(x as Tensor, createContext(shape, layer, { ...rows, parameters: known }));
    };
    const inputs = [hidden, ...own.map(([, tensor]) => tensor)];
    hidden = recomputes ? checkpoint(inputs, build) : build(inputs);
  }
  return { embedded, hidden };
}

interface SequenceRows {
  readonly parameters: GraphParameters;
  readonly lora: LoraShape | undefined;
  readonly dropout: LoraDropout | undefined;
  readonly layout: RowLayout;
  /** per layer */
  readonly tables: readonly (RotaryTables | undefined)[];
  /** each row is a sequence of one for the rotation, so that rows need no order */
  readonly places: Tensor; // [N, 1]
}

/** One layer over rows, with the parameters as they are trained: matrices [out, in], one product each. */
function createContext(
  shape: ModelConfig['shape'],
  layer: number,
  { parameters, lora, dropout, layout, tables, places }: SequenceRows,
): LayerContext {
  const { headSize } = shape;
  const table = tables[layer];
  const weightOf = (name: string): Tensor => parameterOf(parameters, `${layerPrefix(layer)}${name}.weight`);
  const linear = (x: Tensor, name: string): Tensor => {
    const path = `${layerPrefix(layer)}${name}`;
    const product = multiply(parameters, `${path}.weight`, x);
    const bias = parameters.get(`${path}.bias`);
    const y = bias === undefined ? product : add(product, bias);
    if (lora?.targets.includes(path) !== true) return y;
    const [a, b] = [
      parameterOf(parameters, loraName(path, 'A')),
      parameterOf(parameters, loraName(path, 'B')),
    ];
    return add(y, loraProduct(x, a, b, { scale: lora.scale, mask: dropout?.maskOf(path) }));
  };
  /** [N, heads*d] or [N, heads, 1, d] → [N, heads, d] */
  const splitHeads = (x: Tensor, heads: number): Tensor => reshape(x, [x.shape[0] as Dim, heads, headSize]);
  return {
    shape,
    rmsNorm: (x, name) => normalize(x, weightOf(name), shape),
    linear,
    rotate: (x, projections) =>
      projections.map(({ name, heads, norm }) => {
        const projected = linear(x, name); // [N, heads*d]
        const normed = normalizeHeads(projected, heads, norm, weightOf, shape); // [N, heads, 1, d]
        return table === undefined ? normed : rope(normed, places, table.cos, table.sin);
      }),
    attend: (q, k, v) =>
      layout.attend(
        splitHeads(q, shape.headCount),
        splitHeads(k, shape.keyValueHeadCount),
        splitHeads(v, shape.keyValueHeadCount),
        shape.attention[layer] as AttentionShape,
      ),
    attendedRows: (x) => x,
  };
}
