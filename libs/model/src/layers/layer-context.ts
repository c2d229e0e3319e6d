/**
 * @file What a family's layer is written over. Training and scoring implement it in ../backbone.ts, prefill and decoding
 * in ../sampling-layers.ts; the layer does not know which of them it builds.
 */
import type { Tensor } from '@espalier/graph';
import type { ModelShape } from '../families/model-family.js';

/** A projection to heads that are rotated by their position. */
export interface RotatedProjection {
  readonly name: string;
  readonly heads: number;
  /** a norm before the rotation, over each head or over all heads together */
  readonly norm?: { readonly name: string; readonly over: 'head' | 'projection' } | undefined;
}

/** One layer of one graph; weights go by their names in `ModelFamily.layerWeights`. */
export interface LayerContext {
  readonly shape: ModelShape;
  /** Normalizes rows [N, D] by root mean square. */
  rmsNorm(x: Tensor, name: string): Tensor;
  /** Multiplies rows by a matrix and adds its bias, if it has one: [N, in] → [N, out]. */
  linear(x: Tensor, name: string): Tensor;
  /**
   * Projects rows to heads and rotates each by the row's position, if the layer does: [N, D] → [N, heads, 1, d] per
   * projection.
   */
  rotate(x: Tensor, projections: readonly RotatedProjection[]): readonly Tensor[];
  /**
   * Attends from every row to what the layer sees of its sequence up to itself, with queries [N, H, 1, d], keys [N, K, 1, d] and values
   * [N, K*d]: [E, H*d]. The E rows are all N of them, except in the last layer of prefill.
   */
  attend(q: Tensor, k: Tensor, v: Tensor): Tensor;
  /** The rows that {@link attend} returned: [N, D] → [E, D]. */
  attendedRows(x: Tensor): Tensor;
}
