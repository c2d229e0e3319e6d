/** @file Causal attention as in Vaswani et al. 2017, arXiv:1706.03762, differentiated operator by operator. */
import { add, type Dim, matmul, reshape, softmax, type Tensor } from '@espalier/graph';

/**
 * Lets every position attend to itself and what came before.
 *
 * @param q [B, H, T, d]
 * @param k [B, K, T, d], H a multiple of K
 * @param v [B, K, T, d]
 * @returns [B, H, T, d]
 */
export function textbookAttention(q: Tensor, k: Tensor, v: Tensor): Tensor {
  const [batch, heads, length, width] = q.shape as [Dim, number, number, number];
  const promptsPerStep = k.shape[1] as number;
  const groupSize = heads / promptsPerStep;
  const mask = new Float64Array(length * length);
  for (let row = 0; row < length; row += 1) mask.fill(-1e30, row * length + row + 1, (row + 1) * length);
  const queries = reshape(q, [batch, promptsPerStep, groupSize * length, width]);
  const scores = matmul(queries, k, { transposeB: true, scale: 1 / Math.sqrt(width) }); // [B, K, H/K*T, T]
  const masked = add(
    reshape(scores, [batch, promptsPerStep, groupSize, length, length]),
    q.graph.constant(mask, 'float32', [length, length]),
  );
  return reshape(matmul(reshape(softmax(masked, -1), scores.shape), v), q.shape);
}
