/**
 * @file The layer that Llama and its relatives have in common: attention and a gated feed-forward layer, each after an
 * RMS norm and added to the residual stream; biases and norms of heads as the shape says.
 */
import { add, swiGlu, type Tensor } from '@espalier/graph';
import type { LayerWeight, ModelShape } from '../families/model-family.js';
import type { LayerContext } from './layer-context.js';

/** The weights of a layer, by their names in Hugging Face's checkpoints. */
export function decoderLayerWeights(shape: ModelShape): Record<string, LayerWeight> {
  const { hiddenSize: D, intermediateSize: F, headSize: d } = shape;
  const [queries, keys] = [shape.headCount * d, shape.keyValueHeadCount * d];
  const hasBias = shape.hasAttentionBias;
  return {
    input_layernorm: { shape: [D] },
    'self_attn.q_proj': { shape: [queries, D], hasBias, isRotated: true },
    'self_attn.k_proj': { shape: [keys, D], hasBias, isRotated: true },
    ...(shape.hasHeadNorms ? { 'self_attn.q_norm': { shape: [d] }, 'self_attn.k_norm': { shape: [d] } } : {}),
    'self_attn.v_proj': { shape: [keys, D], hasBias },
    'self_attn.o_proj': { shape: [D, queries], isResidual: true },
    post_attention_layernorm: { shape: [D] },
    'mlp.gate_proj': { shape: [F, D] },
    'mlp.up_proj': { shape: [F, D] },
    'mlp.down_proj': { shape: [D, F], isResidual: true },
  };
}

/** Computes the layer: [N, D] → [E, D]. */
export function decoderLayer(x: Tensor, context: LayerContext): Tensor {
  const { headCount, keyValueHeadCount, hasHeadNorms } = context.shape;
  const a = context.rmsNorm(x, 'input_layernorm');
  const [q, k] = context.rotate(a, [
    { name: 'self_attn.q_proj', heads: headCount, ...(hasHeadNorms ? { norm: 'self_attn.q_norm' } : {}) },
    {
      name: 'self_attn.k_proj',
      heads: keyValueHeadCount,
      ...(hasHeadNorms ? { norm: 'self_attn.k_norm' } : {}),
    },
  ]) as readonly [Tensor, Tensor];
  const v = context.linear(a, 'self_attn.v_proj');
  const attended = context.attend(q, k, v);
  const middle = add(context.attendedRows(x), context.linear(attended, 'self_attn.o_proj'));
  const m = context.rmsNorm(middle, 'post_attention_layernorm');
  const inner = swiGlu(context.linear(m, 'mlp.gate_proj'), context.linear(m, 'mlp.up_proj')); // [E, F]
  return add(middle, context.linear(inner, 'mlp.down_proj'));
}
