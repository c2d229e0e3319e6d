/**
 * @file The Llama family over whole sequences: parameters by their Hugging Face names, and the forward pass up to the
 * final norm. The head is applied by the graphs that need it, at the positions they need.
 * Not here: decoding with a cache (sampling-graph.ts).
 */
import {
  add,
  type Dim,
  expandDims,
  gather,
  type Graph,
  matmul,
  reshape,
  rmsNorm,
  rope,
  swiGlu,
  type Tensor,
} from '@espalier/graph';
import { buildRotaryTables, type RotaryTables } from '../layers/rotary-tables.js';
import type { RowLayout } from '../layers/row-layout.js';
import { llamaWeightShapes } from '../weights/llama-weights.js';
import { type LlamaConfig, type LlamaShape, resolveLlamaShape } from './llama-config.js';

/** Parameters of a graph by name. */
export type GraphParameters = ReadonlyMap<string, Tensor>;

/** Name of the table that turns ids into rows. */
export const EMBEDDING = 'model.embed_tokens.weight';
/** Name of the final norm. */
export const FINAL_NORM = 'model.norm.weight';
/** Name of a critic's head, [1, D]. */
export const VALUE_HEAD = 'value_head.weight';

/** The name of the matrix that turns hidden states into logits, [V, D]. */
export function headName(config: LlamaConfig): string {
  return config.tie_word_embeddings ? EMBEDDING : 'lm_head.weight';
}

/** Names and shapes of all parameters; a critic has a value head in place of an untied head. */
export function parameterShapes(
  config: LlamaConfig,
  role: 'policy' | 'critic' = 'policy',
): Map<string, readonly number[]> {
  const shapes = llamaWeightShapes(config);
  if (role === 'policy') return shapes;
  shapes.delete('lm_head.weight');
  shapes.set(VALUE_HEAD, [1, config.hidden_size]);
  return shapes;
}

/** Declares one input per parameter. */
export function declareParameters(
  graph: Graph,
  shapes: ReadonlyMap<string, readonly number[]>,
): Map<string, Tensor> {
  return new Map([...shapes].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]));
}

/** What {@link buildBackbone} gives. */
export interface Backbone {
  /** the embedded tokens */
  readonly embedded: Tensor; // [N, D]
  /** the residual stream after the last layer, before the final norm */
  readonly hidden: Tensor; // [N, D]
}

/** Builds the layers over the rows of a layout. */
export function buildBackbone(config: LlamaConfig, parameters: GraphParameters, layout: RowLayout): Backbone {
  const shape = resolveLlamaShape(config);
  const { ids, positions, positionCount } = layout;
  const embedded = gather(parameterOf(parameters, EMBEDDING), ids, 0); // [N, D]
  const tables = buildRotaryTables(ids.graph, positionCount, shape.headWidth, shape.ropeTheta);
  const context: LayerContext = { shape, parameters, layout, tables, places: expandDims(positions, 1) };
  let hidden = embedded;
  for (let layer = 0; layer < shape.layerCount; layer += 1)
    hidden = buildLayer(hidden, `model.layers.${layer}.`, context);
  return { embedded, hidden };
}

interface LayerContext {
  readonly shape: LlamaShape;
  readonly parameters: GraphParameters;
  readonly layout: RowLayout;
  readonly tables: RotaryTables;
  readonly places: Tensor; // [N, 1]
}

function buildLayer(x: Tensor, prefix: string, context: LayerContext): Tensor {
  const { parameters, shape, layout } = context;
  const weight = (name: string): Tensor => parameterOf(parameters, `${prefix}${name}.weight`);
  const project = (input: Tensor, name: string): Tensor => matmul(input, weight(name), { transposeB: true });
  const a = rmsNorm(x, weight('input_layernorm'), shape.normEpsilon);
  const q = turn(project(a, 'self_attn.q_proj'), shape.headCount, context);
  const k = turn(project(a, 'self_attn.k_proj'), shape.keyValueHeadCount, context);
  const v = splitHeads(project(a, 'self_attn.v_proj'), shape.keyValueHeadCount, context);
  const middle = add(x, project(layout.attend(q, k, v), 'self_attn.o_proj'));
  const m = rmsNorm(middle, weight('post_attention_layernorm'), shape.normEpsilon);
  const inner = swiGlu(project(m, 'mlp.gate_proj'), project(m, 'mlp.up_proj')); // [N, F]
  return add(middle, project(inner, 'mlp.down_proj'));
}

/** [N, heads*d] → [N, heads, d] */
function splitHeads(x: Tensor, heads: number, { shape }: LayerContext): Tensor {
  return reshape(x, [x.shape[0] as Dim, heads, shape.headWidth]);
}

/** Turns every head by its place; each row is a sequence of one, so that rows need no order. */
function turn(x: Tensor, heads: number, context: LayerContext): Tensor {
  const { places, tables, shape } = context;
  const rows = x.shape[0] as Dim;
  const turned = rope(reshape(x, [rows, heads, 1, shape.headWidth]), places, tables.cos, tables.sin);
  return splitHeads(turned, heads, context);
}

/** The tensor of a parameter that is known to exist. */
export function parameterOf(parameters: GraphParameters, name: string): Tensor {
  const tensor = parameters.get(name);
  if (tensor === undefined) throw new RangeError(`parameter "${name}" is not declared`);
  return tensor;
}
