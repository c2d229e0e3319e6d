/**
 * @file The graph that prefills: many new tokens per sequence, in front of which some may be cached. As in decode-graph.ts,
 * a sequence's numbers do not depend on the length of others.
 */
import {
  add,
  type Dim,
  dim,
  dimProduct,
  expandDims,
  gather,
  Graph,
  greater,
  lessOrEqual,
  logicalAnd,
  matmul,
  range,
  reshape,
  scale,
  softmax,
  sub,
  type Tensor,
  transpose,
  where,
} from '@espalier/graph';
import type { AttentionShape, ModelShape } from './families/model-family.js';
import { buildJoin } from './layers/cached-keys.js';
import { HIDDEN } from './layers/grid-attention.js';
import { capScores } from './layers/soft-cap.js';
import {
  buildNextTokens,
  buildSamplingLayers,
  cacheDType,
  type CachedAttention,
  declareSamplingInputs,
  outputCache,
  type SamplingGraphOptions,
} from './sampling-layers.js';

/** Which prefill graph. */
export interface PrefillGraphOptions extends SamplingGraphOptions {
  /** sequences have cached tokens in front of the new ones */
  readonly hasPast: boolean;
  /** some of these lie in prefixes that sequences share */
  readonly hasPrefixes?: boolean;
}

/**
 * Builds the graph that adds T tokens to each of R sequences and draws N next tokens.
 *
 * Inputs: `ids`, `positions` [R, T] int64; `ends` [E] int64, flat places r·T + t of the last tokens, and `end_rows` [E]
 * int64, their r; `draws` [N] int64, which of the ends each draw continues; the draw's columns [N]; sampling weights.
 * With `hasPast` also the cache `key:<layer>`, `value:<layer>` [A, K, P, d] and, for each of S places a key may have,
 * whether it is cached (`is_past` [R, 1, S, 1] bool) and its flat row in the cache or among the new ones (`past_index`,
 * `new_index` [R, K, S] int32). With `hasPrefixes` too, some of the places may
 * lie in prefixes, `prefix_key:<layer>`, `prefix_value:<layer>` [B, K, Q, d], whose flat rows follow the new ones.
 * Outputs: `token`, `logprob`, `entropy` [N], `cache` [2L, R, K, T, d].
 */
export function buildPrefillGraph(options: PrefillGraphOptions): Graph {
  const { config, isFiltered, hasPast, hasPrefixes = false } = options;
  const graph = new Graph();
  const R = dim('R');
  const T = dim('T');
  const E = dim('E');
  const ids = graph.input('ids', 'int64', [R, T]);
  const positions = graph.input('positions', 'int64', [R, T]);
  const flatPositions = reshape(positions, [dimProduct(R, T)]);
  const ends = graph.input('ends', 'int64', [E]);
  const endRows = graph.input('end_rows', 'int64', [E]);
  const draws = graph.input('draws', 'int64', ['N']);
  const inputs = declareSamplingInputs(graph, options, flatPositions);
  const K = config.shape.keyValueHeadCount;
  const keyCount: Dim = hasPast ? dim('S') : T;
  const dtype = cacheDType(options);
  const join = hasPast ? buildJoin(graph, config.shape, { dtype, hasPrefixes }) : undefined;
  const maskOf = (queryPositions: Tensor, shape: Dim[], window: number | undefined): Tensor => {
    const keys = reshape(range(graph, keyCount), [1, 1, keyCount]);
    const isPast = lessOrEqual(keys, queryPositions);
    const isSeen =
      window === undefined ? isPast : logicalAnd(isPast, greater(keys, sub(queryPositions, window)));
    return reshape(where(isSeen, graph.constant(0), HIDDEN), shape);
  };
  const windows = config.shape.attention.map(({ window }) => window);
  const masks = new Map<number | undefined, Tensor>();
  for (const window of new Set(windows))
    masks.set(window, maskOf(expandDims(positions, 2), [R, 1, 1, T, keyCount], window));
  const endPositions = reshape(gather(flatPositions, ends, 0), [E, 1, 1]);
  const endMask = maskOf(endPositions, [E, 1, 1, keyCount], windows.at(-1));
  const cache: Tensor[] = [];
  const attend: CachedAttention = (layer, q, k, v, kept) => {
    const newKeys = byHead(k, K, config.shape);
    const newValues = byHead(v, K, config.shape);
    cache.push(newKeys, newValues);
    const [keys, values] = join === undefined ? [newKeys, newValues] : join(layer, newKeys, newValues);
    const attention = config.shape.attention[layer] as AttentionShape;
    const look = { shape: config.shape, attention };
    if (kept === undefined) return attendAll(q, keys, values, masks.get(attention.window) as Tensor, look);
    const ended = (x: Tensor): Tensor => gather(x, endRows, 0);
    return attendEnds(gather(q, kept, 0), ended(keys), ended(values), endMask, look);
  };
  const hidden = buildSamplingLayers(inputs, reshape(ids, [dimProduct(R, T)]), attend, ends); // [E, D]
  outputCache(graph, cache, dtype);
  buildNextTokens(inputs, gather(hidden, draws, 0), dim('N'), isFiltered);
  return graph;
}

/** [R*T, heads, 1, d] or [R*T, heads*d] → [R, heads, T, d] */
function byHead(x: Tensor, heads: number, { headSize }: ModelShape): Tensor {
  return transpose(reshape(x, [dim('R'), dim('T'), heads, headSize]), [0, 2, 1, 3]);
}

interface AttendingLayer {
  readonly shape: ModelShape;
  readonly attention: AttentionShape;
}

/** Attends from all new rows to keys and values [R, K, S, d]: [R*T, H*d]. */
function attendAll(
  q: Tensor,
  keys: Tensor,
  values: Tensor,
  mask: Tensor,
  { shape, attention }: AttendingLayer,
): Tensor {
  const { headCount: H, keyValueHeadCount: K, headSize: d } = shape;
  const R = dim('R');
  const T = dim('T');
  const queries = reshape(byHead(q, H, shape), [R, K, dimProduct(H / K, T), d]);
  const scores = matmul(queries, keys, { transposeB: true, scale: attention.scale }); // [R, K, G*T, S]
  const masked = add(reshape(capScores(scores, attention), [R, K, H / K, T, keys.shape[2] as Dim]), mask);
  const attended = matmul(reshape(softmax(masked, -1), scores.shape), values); // [R, K, G*T, d]
  return reshape(transpose(reshape(attended, [R, H, T, d]), [0, 2, 1, 3]), [dimProduct(R, T), H * d]);
}

/** Attends from one row per sequence end to its own keys and values [E, K, S, d]: [E, H*d]. */
function attendEnds(
  q: Tensor,
  keys: Tensor,
  values: Tensor,
  mask: Tensor,
  { shape, attention }: AttendingLayer,
): Tensor {
  const { headCount: H, keyValueHeadCount: K, headSize: d } = shape;
  const E = dim('E');
  const queries = scale(reshape(q, [E, K, H / K, d]), attention.scale);
  const scores = capScores(matmul(queries, keys, { transposeB: true }), attention); // [E, K, G, S]
  return reshape(matmul(softmax(add(scores, mask), -1), values), [E, H * d]);
}
