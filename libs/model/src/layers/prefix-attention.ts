/**
 * @file Attention of decoding rows over prefixes that several of them have in common: the queries of all members of a
 * prefix meet its keys in one product, so the prefix is stored and read once. Members are padded to one number per
 * prefix; rows and places among members are translated by gathers.
 */
import {
  type Dim,
  dim,
  dimProduct,
  expandDims,
  gather,
  type Graph,
  less,
  matmul,
  range,
  reshape,
  type Tensor,
  where,
} from '@espalier/graph';
import type { ModelShape } from '../families/model-family.js';
import { type CacheDType, declareCache } from './cached-keys.js';

/** What decoding does with prefixes of one graph. */
export interface PrefixAttention {
  readonly width: Dim; // S
  /** 1 for places that hold a key of a row's prefix */
  readonly isSeen: Tensor; // [R, 1, 1, S] bool
  /** prefix length of each row, 0 = none */
  readonly lengths: Tensor; // [R] int64
  /** Scores [R, K, G, S] of queries [R, K, G, d]. */
  scores(layer: number, queries: Tensor): Tensor;
  /** Weighted values [R, K, G, d] of shares [R, K, G, S]; zero for rows without prefix. */
  values(layer: number, shares: Tensor): Tensor;
}

/**
 * Declares the inputs of A prefixes with M members each (named sizes `A`, `M`, `S`): `prefix_key:<layer>`,
 * `prefix_value:<layer>` [A, K, S, d], `prefix_lengths` [R] int64, `members` [A, K, M] int32 (flat r·K + k of each
 * member; any row where there is none) and `member_places` [R, K] int32 (flat place in [A, K, M]; any for rows without).
 */
export function buildPrefixAttention(
  graph: Graph,
  rows: Dim,
  shape: ModelShape,
  dtype: CacheDType,
): PrefixAttention {
  const { keyValueHeadCount: K, headSize: d, headCount: H } = shape;
  const A = dim('A');
  const M = dim('M');
  const S = dim('S');
  const G = H / K;
  const lengths = graph.input('prefix_lengths', 'int64', [rows]);
  const members = graph.input('members', 'int32', [A, K, M]);
  const places = graph.input('member_places', 'int32', [rows, K]);
  const isSeen = reshape(less(expandDims(range(graph, S), 0), expandDims(lengths, 1)), [rows, 1, 1, S]);
  const hasPrefix = reshape(less(graph.constant(0, 'int64'), lengths), [rows, 1, 1, 1]);
  const toMembers = (x: Tensor, width: Dim): Tensor =>
    reshape(gather(reshape(x, [dimProduct(rows, K), G, width]), members, 0), [A, K, dimProduct(M, G), width]);
  const toRows = (x: Tensor, width: Dim): Tensor =>
    gather(reshape(x, [dimProduct(A, K, M), G, width]), places, 0); // [R, K, G, width]
  const slabs = Array.from({ length: shape.layerCount }, (_, layer) =>
    declareCache(graph, layer, { dtype, shape: [A, K, S, d], prefix: 'prefix_' }),
  );
  const slab = (layer: number, kind: 0 | 1): Tensor => slabs[layer]?.[kind] as Tensor;
  return {
    width: S,
    isSeen,
    lengths,
    scores: (layer, queries) =>
      toRows(matmul(toMembers(queries, d), slab(layer, 0), { transposeB: true }), S),
    values: (layer, shares) => where(hasPrefix, toRows(matmul(toMembers(shares, S), slab(layer, 1)), d), 0),
  };
}
