/**
 * @file The Llama family over whole sequences: parameters by their Hugging Face names, and the forward pass up to the
 * final norm. The head is applied by the graphs that need it, at the positions they need.
 * Not here: decoding with a cache (decode-graph.ts, prefill-graph.ts).
 */
import {
  add,
  broadcastTo,
  type Dim,
  dimProduct,
  gather,
  type Graph,
  matmul,
  range,
  reshape,
  rmsNorm,
  rope,
  swiGlu,
  type Tensor,
  transpose,
} from '@espalier/graph';
import { causalAttention } from '../layers/causal-attention.js';
import { buildRotaryTables, type RotaryTables } from '../layers/rotary-tables.js';
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
  readonly embedded: Tensor; // [B*T, D]
  /** the residual stream after the last layer, before the final norm */
  readonly hidden: Tensor; // [B*T, D]
}

/**
 * Builds the layers over right-padded sequences.
 *
 * @param ids [B, T] int64, T known
 */
export function buildBackbone(config: LlamaConfig, parameters: GraphParameters, ids: Tensor): Backbone {
  const shape = resolveLlamaShape(config);
  const [batch, length] = ids.shape as [Dim, number];
  const { graph } = ids;
  const flatIds = reshape(ids, [dimProduct(batch, length)]);
  const embedded = gather(parameterOf(parameters, EMBEDDING), flatIds, 0); // [B*T, D]
  const context: LayerContext = {
    shape,
    parameters,
    batch,
    length,
    tables: buildRotaryTables(graph, length, shape.headWidth, shape.ropeTheta),
    positions: broadcastTo(reshape(range(graph, length), [1, length]), [batch, length]),
  };
  let hidden = embedded;
  for (let layer = 0; layer < shape.layerCount; layer += 1)
    hidden = buildLayer(hidden, `model.layers.${layer}.`, context);
  return { embedded, hidden };
}

interface LayerContext {
  readonly shape: LlamaShape;
  readonly parameters: GraphParameters;
  readonly batch: Dim;
  readonly length: number;
  readonly tables: RotaryTables;
  readonly positions: Tensor; // [B, T]
}

function buildLayer(x: Tensor, prefix: string, context: LayerContext): Tensor {
  const { parameters, shape } = context;
  const weight = (name: string): Tensor => parameterOf(parameters, `${prefix}${name}.weight`);
  const project = (input: Tensor, name: string): Tensor => matmul(input, weight(name), { transposeB: true });
  const a = rmsNorm(x, weight('input_layernorm'), shape.normEpsilon);
  const q = turn(splitHeads(project(a, 'self_attn.q_proj'), shape.headCount, context), context);
  const k = turn(splitHeads(project(a, 'self_attn.k_proj'), shape.keyValueHeadCount, context), context);
  const v = splitHeads(project(a, 'self_attn.v_proj'), shape.keyValueHeadCount, context);
  const attended = joinHeads(causalAttention(q, k, v, context.length > 256 ? 128 : 64), context);
  const middle = add(x, project(attended, 'self_attn.o_proj'));
  const m = rmsNorm(middle, weight('post_attention_layernorm'), shape.normEpsilon);
  const inner = swiGlu(project(m, 'mlp.gate_proj'), project(m, 'mlp.up_proj')); // [B*T, F]
  return add(middle, project(inner, 'mlp.down_proj'));
}

/** [B*T, heads*d] → [B, heads, T, d] */
function splitHeads(x: Tensor, heads: number, { batch, length, shape }: LayerContext): Tensor {
  return transpose(reshape(x, [batch, length, heads, shape.headWidth]), [0, 2, 1, 3]);
}

/** [B, H, T, d] → [B*T, H*d] */
function joinHeads(x: Tensor, { batch, length, shape }: LayerContext): Tensor {
  return reshape(transpose(x, [0, 2, 1, 3]), [dimProduct(batch, length), shape.headCount * shape.headWidth]);
}

function turn(x: Tensor, { positions, tables }: LayerContext): Tensor {
  return rope(x, positions, tables.cos, tables.sin);
}

/** The tensor of a parameter that is known to exist. */
export function parameterOf(parameters: GraphParameters, name: string): Tensor {
  const tensor = parameters.get(name);
  if (tensor === undefined) throw new RangeError(`parameter "${name}" is not declared`);
  return tensor;
}
