/**
 * @file The graph that decodes: one new token per sequence. The cache of keys and values enters as views of the caller's
 * memory; only new rows leave, because outputs are copied. Every sum over keys runs from position 0 upwards with zeros
 * behind, so a sequence's numbers do not depend on the length of others.
 */
import {
  add,
  concat,
  type Dim,
  dim,
  expandDims,
  Graph,
  greater,
  less,
  logicalAnd,
  matmul,
  mul,
  pad,
  range,
  reshape,
  scale,
  softmax,
  split,
  sub,
  type Tensor,
  where,
} from '@espalier/graph';
import type { AttentionShape } from './families/model-family.js';
import { declareCache } from './layers/cached-keys.js';
import { HIDDEN } from './layers/grid-attention.js';
import { buildPrefixAttention, type PrefixAttention } from './layers/prefix-attention.js';
import { capScores } from './layers/soft-cap.js';
import {
  buildNextTokens,
  buildSamplingLayers,
  cacheDType,
  declareSamplingInputs,
  outputCache,
  type SamplingGraphOptions,
} from './sampling-layers.js';

/** Which decoding graph. */
export interface DecodeGraphOptions extends SamplingGraphOptions {
  /** some rows begin with a prefix that they share with others */
  readonly hasPrefixes?: boolean;
}

/**
 * Builds the graph that adds one token to each of R sequences.
 *
 * Inputs: `ids`, `positions` [R] int64 (tokens cached so far), `key:<layer>`, `value:<layer>` [R, K, P, d], the draw's
 * columns [R], sampling weights. Outputs: `token` [R] int64, `logprob`, `entropy` [R], `cache` [2L, R, K, 1, d].
 *
 * With `hasPrefixes`, the first tokens of a row may lie in a shared prefix, and its own cache row holds only what follows
 * (inputs: `buildPrefixAttention`). S and P are multiples of 64, so both graphs give the same bits to a row without prefix.
 */
export function buildDecodeGraph(options: DecodeGraphOptions): Graph {
  const { config, isFiltered, hasPrefixes = false } = options;
  const graph = new Graph();
  const R = dim('R');
  const P = dim('P');
  const ids = graph.input('ids', 'int64', [R]);
  const positions = graph.input('positions', 'int64', [R]);
  const inputs = declareSamplingInputs(graph, options, positions);
  const { keyValueHeadCount: K, headSize: d, headCount: H } = config.shape;
  const dtype = cacheDType(options);
  const prefixes = hasPrefixes ? buildPrefixAttention(graph, R, config.shape, dtype) : undefined;
  const masks = buildMasks(positions, prefixes, config.shape.attention);
  const cache: Tensor[] = [];
  const hidden = buildSamplingLayers(inputs, ids, (layer, q, k, v) => {
    const [keys, values] = declareCache(graph, layer, { dtype, shape: [R, K, P, d] });
    const newKey = k;
    const newValue = reshape(v, [R, K, 1, d]);
    cache.push(newKey, newValue);
    // Scaled here and not inside the product: one row times a transposed matrix has a kernel of its own without a factor.
    const attention = config.shape.attention[layer] as AttentionShape;
    const queries = scale(reshape(q, [R, K, H / K, d]), attention.scale);
    const scores = [matmul(queries, newKey, { transposeB: true })]; // [R, K, G, 1]
    if (prefixes !== undefined) scores.push(prefixes.scores(layer, queries)); // [R, K, G, S]
    scores.push(matmul(queries, keys, { transposeB: true })); // [R, K, G, P]
    const mask = masks.get(attention.window) as Tensor;
    const probabilities = softmax(add(capScores(concat(scores, 3), attention), mask), -1);
    const sizes = prefixes === undefined ? [1, P] : [1, prefixes.width, P];
    const shares = split(probabilities, { axis: 3, sizes });
    const present = mul(shares[0] as Tensor, newValue);
    const past = matmul(shares[sizes.length - 1] as Tensor, values);
    const attended = add(past, present);
    if (prefixes === undefined) return reshape(attended, [R, H * d]);
    return reshape(add(prefixes.values(layer, shares[1] as Tensor), attended), [R, H * d]);
  });
  outputCache(graph, cache, dtype);
  buildNextTokens(inputs, hidden, R, isFiltered);
  return graph;
}

/** What hides places of the cache that hold no key, or one before the window, [R, 1, 1, 1+S+P], for each size of window. */
function buildMasks(
  positions: Tensor,
  prefixes: PrefixAttention | undefined,
  attention: readonly AttentionShape[],
): Map<number | undefined, Tensor> {
  const { graph } = positions;
  const R = dim('R');
  const P = dim('P');
  const own = prefixes === undefined ? positions : sub(positions, prefixes.lengths);
  const seen = (isThere: Tensor, size: Dim, until: Tensor, window: number | undefined): Tensor => {
    if (window === undefined) return isThere;
    const isNear = greater(expandDims(range(graph, size), 0), expandDims(sub(until, window), 1));
    return logicalAnd(isThere, reshape(isNear, [R, 1, 1, size]));
  };
  const isPast = reshape(less(expandDims(range(graph, P), 0), expandDims(own, 1)), [R, 1, 1, P]);
  const masks = new Map<number | undefined, Tensor>();
  for (const { window } of attention) {
    if (masks.has(window)) continue;
    const isOwn = seen(isPast, P, own, window);
    const isSeen =
      prefixes === undefined
        ? isOwn
        : concat([seen(prefixes.isSeen, prefixes.width, positions, window), isOwn], 3);
    masks.set(window, pad(where(isSeen, graph.constant(0), HIDDEN), { axis: 3, before: 1, after: 0 }));
  }
  return masks;
}
