/** @file Cosines and sines of the rotary embedding, for every position a graph may meet. */
import type { Graph, Tensor } from '@espalier/graph';

export interface RotaryTables {
  readonly cos: Tensor; // [positions, d/2]
  readonly sin: Tensor; // [positions, d/2]
}

/**
 * Adds the rotary tables as constants: angle = position / theta^(2i/d), rounded to float32 at each step as
 * Hugging Face's Llama does whatever the precision of the model.
 *
 * @see Su et al. 2021, arXiv:2104.09864
 */
export function buildRotaryTables(
  graph: Graph,
  positions: number,
  headSize: number,
  theta: number,
): RotaryTables {
  const half = headSize / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let i = 0; i < half; i += 1) {
    const frequency = Math.fround(1 / Math.fround(theta ** Math.fround((2 * i) / headSize)));
    for (let position = 0; position < positions; position += 1) {
      const angle = Math.fround(position * frequency);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return {
    cos: graph.constant(cos, 'float32', [positions, half]),
    sin: graph.constant(sin, 'float32', [positions, half]),
  };
}
