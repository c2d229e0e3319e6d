/**
 * @file The layer that Llama and its relatives have in common: attention and a gated feed-forward layer, each after an
 * RMS norm and added to the residual stream; and both alone, for families that put their norms elsewhere.
 */
import { add, geGlu, swiGlu, type Tensor } from '@espalier/graph';
import type { LayerWeight, ModelShape } from '../families/model-family.js';
import type { LayerContext, RotatedProjection } from './layer-context.js';

/** The weights of a layer, by their names in Hugging Face's checkpoints. */
export function decoderLayerWeights(shape: ModelShape): Record<string, LayerWeight> {
  const norm = { shape: [shape.hiddenSize] };
  return {
    input_layernorm: norm,
    ...attentionWeights(shape),
    post_attention_layernorm: norm,
    ...feedForwardWeights(shape),
  };
}

/** Computes the layer: [N, D] → [E, D]. */
export function decoderLayer(x: Tensor, context: LayerContext): Tensor {
  const attended = selfAttention(context.rmsNorm(x, 'input_layernorm'), context);
  const middle = add(context.attendedRows(x), context.linear(attended, OUTPUT_PROJECTION));
  return add(middle, feedForward(context.rmsNorm(middle, 'post_attention_layernorm'), context));
}

/** The projection from attended heads back to the residual stream. */
export const OUTPUT_PROJECTION = 'self_attn.o_proj';

/** The weights of attention. */
export function attentionWeights(shape: ModelShape): Record<string, LayerWeight> {
  const { hiddenSize: D, headSize: d, queryKeyNorm, hasAttentionBias: hasBias } = shape;
  const queries = shape.headCount * d;
  const keys = shape.keyValueHeadCount * d;
  const [queryNorm, keyNorm] = queryKeyNorm === 'head' ? [d, d] : [queries, keys];
  return {
    'self_attn.q_proj': { shape: [queries, D], hasBias, isRotated: true },
    'self_attn.k_proj': { shape: [keys, D], hasBias, isRotated: true },
    ...(queryKeyNorm === 'none'
      ? {}
      : { 'self_attn.q_norm': { shape: [queryNorm] }, 'self_attn.k_norm': { shape: [keyNorm] } }),
    'self_attn.v_proj': { shape: [keys, D], hasBias },
    [OUTPUT_PROJECTION]: { shape: [D, queries], hasBias: shape.hasOutputBias, isResidual: true },
  };
}

/** Attends, short of the output projection: [N, D] → [E, H*d]. */
export function selfAttention(x: Tensor, context: LayerContext): Tensor {
  const { headCount, keyValueHeadCount, queryKeyNorm } = context.shape;
  const normOf = (name: string): RotatedProjection['norm'] =>
    queryKeyNorm === 'none' ? undefined : { name, over: queryKeyNorm };
  const [q, k] = context.rotate(x, [
    { name: 'self_attn.q_proj', heads: headCount, norm: normOf('self_attn.q_norm') },
    { name: 'self_attn.k_proj', heads: keyValueHeadCount, norm: normOf('self_attn.k_norm') },
  ]) as readonly [Tensor, Tensor];
  return context.attend(q, k, context.linear(x, 'self_attn.v_proj'));
}

/** The weights of the gated feed-forward layer. */
export function feedForwardWeights(shape: ModelShape): Record<string, LayerWeight> {
  const { hiddenSize: D, intermediateSize: F, hasFeedForwardBias: hasBias } = shape;
  return {
    'mlp.gate_proj': { shape: [F, D], hasBias },
    'mlp.up_proj': { shape: [F, D], hasBias },
    'mlp.down_proj': { shape: [D, F], hasBias, isResidual: true },
  };
}

/** Computes the gated feed-forward layer: [E, D] → [E, D]. */
export function feedForward(x: Tensor, context: LayerContext): Tensor {
  const glu = context.shape.activation === 'gelu' ? geGlu : swiGlu;
  const inner = glu(context.linear(x, 'mlp.gate_proj'), context.linear(x, 'mlp.up_proj')); // [E, F]
  return context.linear(inner, 'mlp.down_proj');
}
