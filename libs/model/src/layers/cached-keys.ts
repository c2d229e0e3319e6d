/** @file Keys and values that are cached already: how graphs declare them, and how new ones are put behind them. */
import {
  cast,
  concat,
  type Dim,
  dim,
  dimProduct,
  gather,
  type Graph,
  reshape,
  type Tensor,
  where,
} from '@espalier/graph';
import type { ModelShape } from '../families/model-family.js';

type Sizes = [Dim, Dim, Dim, Dim, Dim, Dim];
type Pair = readonly [keys: Tensor, values: Tensor];

/** What the cache holds numbers in. */
export type CacheDType = 'float32' | 'bfloat16';

/** Declares `<prefix>key:<layer>` and `<prefix>value:<layer>`, and gives them in float32. */
export function declareCache(
  graph: Graph,
  layer: number,
  { dtype, shape, prefix = '' }: { dtype: CacheDType; shape: readonly Dim[]; prefix?: string },
): Pair {
  const declare = (kind: string): Tensor =>
    cast(graph.input(`${prefix}${kind}:${layer}`, dtype, shape), 'float32');
  return [declare('key'), declare('value')];
}

/**
 * Puts cached and new rows of each sequence side by side, so that a key's place is its position: [R, K, S, d]. Rows of
 * prefixes are few, so they are looked up together with the new ones.
 */
export function buildJoin(
  graph: Graph,
  shape: ModelShape,
  { dtype, hasPrefixes }: { readonly dtype: CacheDType; readonly hasPrefixes: boolean },
): (layer: number, newKeys: Tensor, newValues: Tensor) => Pair {
  const { keyValueHeadCount: K, headSize: d } = shape;
  const [A, P, R, T, B, Q] = ['A', 'P', 'R', 'T', 'B', 'Q'].map((name) => dim(name)) as Sizes;
  const isPast = graph.input('is_past', 'bool', [R, 1, 'S', 1]);
  const pastIndex = graph.input('past_index', 'int32', [R, K, 'S']);
  const newIndex = graph.input('new_index', 'int32', [R, K, 'S']);
  const join = (cached: Tensor, fresh: Tensor, prefix: Tensor | undefined): Tensor => {
    const rows = reshape(fresh, [dimProduct(R, K, T), d]);
    const others = prefix === undefined ? rows : concat([rows, reshape(prefix, [dimProduct(B, K, Q), d])], 0);
    return where(
      isPast,
      gather(reshape(cached, [dimProduct(A, K, P), d]), pastIndex, 0),
      gather(others, newIndex, 0),
    );
  };
  return (layer, newKeys, newValues) => {
    const own = declareCache(graph, layer, { dtype, shape: [A, K, P, d] });
    const shared = hasPrefixes
      ? declareCache(graph, layer, { dtype, shape: [B, K, Q, d], prefix: 'prefix_' })
      : undefined;
    return [join(own[0], newKeys, shared?.[0]), join(own[1], newValues, shared?.[1])];
  };
}
