/** @file Names and shapes of the weights of a Llama, as Hugging Face writes them. */
import { type LlamaConfig, resolveLlamaShape } from '../families/llama-config.js';

/** Lists every weight a checkpoint of this configuration has, in the order of the forward pass. */
export function llamaWeightShapes(config: LlamaConfig): Map<string, readonly number[]> {
  const {
    vocabularySize: V,
    width: D,
    layerCount: L,
    feedForwardWidth: F,
    isTied,
    ...heads
  } = resolveLlamaShape(config);
  const queries = heads.headCount * heads.headWidth;
  const keys = heads.keyValueHeadCount * heads.headWidth;
  const shapes = new Map<string, readonly number[]>([['model.embed_tokens.weight', [V, D]]]);
  for (let layer = 0; layer < L; layer++) {
    const prefix = `model.layers.${layer}.`;
    shapes.set(`${prefix}input_layernorm.weight`, [D]);
    shapes.set(`${prefix}self_attn.q_proj.weight`, [queries, D]);
    shapes.set(`${prefix}self_attn.k_proj.weight`, [keys, D]);
    shapes.set(`${prefix}self_attn.v_proj.weight`, [keys, D]);
    shapes.set(`${prefix}self_attn.o_proj.weight`, [D, queries]);
    shapes.set(`${prefix}post_attention_layernorm.weight`, [D]);
    shapes.set(`${prefix}mlp.gate_proj.weight`, [F, D]);
    shapes.set(`${prefix}mlp.up_proj.weight`, [F, D]);
    shapes.set(`${prefix}mlp.down_proj.weight`, [D, F]);
  }
  shapes.set('model.norm.weight', [D]);
  if (!isTied) shapes.set('lm_head.weight', [V, D]);
  return shapes;
}
