/**
 * @file Attention of whole sequences of one length to their past, without anything in common: the simplest grid of
 * grid-attention.ts. Right padding needs no mask: what comes later is never seen.
 */
import { type Dim, mul, reshape, sum, type Tensor, withGradient } from '@espalier/graph';
import type { AttentionShape } from '../families/model-family.js';
import { type AttentionGrid, buildGridAttention, buildGridGradient } from './grid-attention.js';

/**
 * Lets every position attend to itself and what came before.
 *
 * @param q [B, H, T, d] with a known T; H a multiple of K
 * @param k [B, K, T, d]
 * @param v [B, K, T, d]
 * @returns [B, H, T, d]
 */
export function causalAttention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  attention: AttentionShape,
  blockRows = 128,
): Tensor {
  const [batch, heads, length, width] = q.shape as [Dim, number, number, number];
  const keyHeads = k.shape[1] as number;
  const shape = [batch, keyHeads, 1, heads / keyHeads, length, width];
  const widen = (x: Tensor): Tensor => reshape(x, [batch, keyHeads, 1, length, width]);
  const blocks = Array.from({ length: Math.ceil(length / blockRows) }, (_, i) =>
    Math.min(blockRows, length - i * blockRows),
  );
  const grid: AttentionGrid = { q: reshape(q, shape), k: widen(k), v: widen(v), blocks, attention };
  const output = buildGridAttention(grid);
  return withGradient(reshape(output, q.shape), [q, k, v], (g) => {
    const wide = reshape(g, shape);
    const rowSums = sum(mul(wide, output), { axes: [-1], keepDims: true });
    const gradients = buildGridGradient(grid, wide, rowSums);
    return [reshape(gradients.q, q.shape), reshape(gradients.k, k.shape), reshape(gradients.v, v.shape)];
  });
}
