/** @file Norms of rows and of heads, as a shape has them. */
import { addScalar, type Dim, reshape, rmsNorm, type Tensor } from '@espalier/graph';
import type { ModelShape } from '../families/model-family.js';
import type { RotatedProjection } from './layer-context.js';

/** Normalizes the last axis by root mean square, with the weight [size] of a checkpoint. */
export function normalize(x: Tensor, weight: Tensor, { normEpsilon, normOffset }: ModelShape): Tensor {
  return rmsNorm(x, addScalar(weight, normOffset), normEpsilon);
}

/** Splits a projection [N, heads*d] into heads [N, heads, 1, d]. */
export function splitHeads(x: Tensor, heads: number, { headSize }: ModelShape): Tensor {
  return reshape(x, [x.shape[0] as Dim, heads, 1, headSize]);
}

/** Splits a projection, unless that was done, and normalizes each head or all of them together: [N, heads, 1, d]. */
export function normalizeHeads(
  projected: Tensor,
  heads: number,
  norm: RotatedProjection['norm'],
  weightOf: (name: string) => Tensor,
  shape: ModelShape,
): Tensor {
  const split = (x: Tensor): Tensor => (x.rank === 2 ? splitHeads(x, heads, shape) : x);
  if (norm?.over === 'projection') return split(normalize(projected, weightOf(norm.name), shape));
  const each = split(projected);
  return norm === undefined ? each : normalize(each, weightOf(norm.name), shape);
}
