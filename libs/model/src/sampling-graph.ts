/**
 * @file The graphs that sample: prefill (many new tokens per sequence) and decode (one). The cache of keys and values
 * enters as views of the caller's memory; only new rows leave, because outputs are copied. Every sum over keys runs
 * from position 0 upwards with zeros behind, so a sequence's numbers do not depend on how far others reach.
 */
import {
  add,
  concat,
  type Dim,
  dim,
  dimProduct,
  expandDims,
  gather,
  Graph,
  less,
  lessOrEqual,
  matmul,
  mul,
  pad,
  range,
  reshape,
  scale,
  rmsNorm,
  rope,
  softmax,
  split,
  sub,
  swiGlu,
  type Tensor,
  transpose,
  where,
} from '@espalier/graph';
import { type LlamaConfig, type LlamaShape, resolveLlamaShape } from './families/llama-config.js';
import { buildRotaryTables, type RotaryTables } from './layers/rotary-tables.js';
import { buildJoin, declareCache } from './layers/cached-keys.js';
import { buildPrefixAttention } from './layers/prefix-attention.js';
import { buildDraw } from './layers/sample-token.js';
import { samplingWeightShapes } from './sampling-weights.js';

const HIDDEN = -1e30;

/** Which sampling graph. */
export interface SamplingGraphOptions {
  readonly config: LlamaConfig;
  /** the rows may use top-p and top-k */
  readonly isFiltered: boolean;
}

interface Parts {
  readonly graph: Graph;
  readonly shape: LlamaShape;
  readonly weights: ReadonlyMap<string, Tensor>;
  readonly tables: RotaryTables;
  /** flat positions of the rows being computed */
  readonly positions: Tensor; // [N]
}

/**
 * Queries [N, H, 1, d], keys [N, K, 1, d] and values [N, K*d] of one layer become attended rows [N, H*d]; new cache rows are kept.
 * With `ends`, only these of the N rows are attended: [E, H*d].
 */
type Attend = (layer: number, q: Tensor, k: Tensor, v: Tensor, ends?: Tensor) => Tensor;

function declareWeights(graph: Graph, config: LlamaConfig): Map<string, Tensor> {
  return new Map(
    [...samplingWeightShapes(config)].map(([name, shape]) => [name, graph.input(name, 'float32', shape)]),
  );
}

function weightOf({ weights }: Parts, name: string): Tensor {
  const tensor = weights.get(name);
  if (tensor === undefined) throw new RangeError(`sampling weight "${name}" is not declared`);
  return tensor;
}

/**
 * The layers over flat rows [N, D], up to the final norm (not applied). With `ends` [E], the last layer goes no further
 * than its keys and values for all other rows, since nothing reads them.
 */
function buildLayers(parts: Parts, ids: Tensor, attend: Attend, ends?: Tensor): Tensor {
  const { shape } = parts;
  const { headCount: H, keyValueHeadCount: K, headWidth: d, normEpsilon } = shape;
  const rows = ids.shape[0] as Dim;
  const turns = expandDims(parts.positions, 1); // [N, 1]
  let x = gather(weightOf(parts, 'embedding'), ids, 0); // [N, D]
  for (let layer = 0; layer < shape.layerCount; layer += 1) {
    const a = rmsNorm(x, weightOf(parts, `${layer}.input_norm`), normEpsilon);
    const turned = reshape(matmul(a, weightOf(parts, `${layer}.qk`)), [rows, H + K, 1, d]);
    const heads = rope(turned, turns, parts.tables.cos, parts.tables.sin);
    const [q, k] = split(heads, { axis: 1, sizes: [H, K] }) as [Tensor, Tensor];
    const v = matmul(a, weightOf(parts, `${layer}.v`)); // [N, K*d]
    const kept = layer === shape.layerCount - 1 ? ends : undefined;
    const attended = attend(layer, q, k, v, kept);
    if (kept !== undefined) x = gather(x, kept, 0);
    const middle = add(x, matmul(attended, weightOf(parts, `${layer}.out`)));
    const m = rmsNorm(middle, weightOf(parts, `${layer}.inner_norm`), normEpsilon);
    const [gate, up] = [
      matmul(m, weightOf(parts, `${layer}.gate`)),
      matmul(m, weightOf(parts, `${layer}.up`)),
    ];
    x = add(middle, matmul(swiGlu(gate, up), weightOf(parts, `${layer}.down`)));
  }
  return x;
}

function buildTail(parts: Parts, hidden: Tensor, rows: Dim, isFiltered: boolean): void {
  const { graph, shape } = parts;
  const column = (name: string): Tensor => graph.input(name, 'float32', [rows]);
  const draw = buildDraw(
    rmsNorm(hidden, weightOf(parts, 'final_norm'), shape.normEpsilon),
    weightOf(parts, 'head'),
    {
      uniform: column('uniform'),
      inverseTemperature: column('inverse_temperature'),
      greedy: column('greedy'),
      ...(isFiltered ? { filter: { topP: column('top_p'), topK: column('top_k') } } : {}),
    },
  );
  graph.output('token', draw.ids);
  graph.output('logprob', draw.logprobs);
  graph.output('entropy', draw.entropies);
}

function createParts(graph: Graph, config: LlamaConfig, positions: Tensor): Parts {
  const shape = resolveLlamaShape(config);
  const tables = buildRotaryTables(graph, shape.contextLength, shape.headWidth, shape.ropeTheta);
  return { graph, shape, weights: declareWeights(graph, config), tables, positions };
}

/** Stacks [N.., K, d]-like tensors of all layers, keys before values: output `cache` [2L, ...]. */
function outputCache(graph: Graph, rows: readonly Tensor[]): void {
  graph.output(
    'cache',
    concat(
      rows.map((tensor) => expandDims(tensor, 0)),
      0,
    ),
  );
}

/**
 * Builds the graph that adds one token to each of R sequences.
 *
 * Inputs: `ids`, `positions` [R] int64 (tokens cached so far), `key:<layer>`, `value:<layer>` [R, K, P, d], the draw's
 * columns [R], sampling weights. Outputs: `token` [R] int64, `logprob`, `entropy` [R], `cache` [2L, R, K, 1, d].
 *
 * With `hasPrefixes`, the first tokens of a row may lie in a prefix that it has in common with others, and only what
 * follows in its own row (inputs: `buildPrefixAttention`). S and P are multiples of 64, so both graphs give the same bits
 * to a row without prefix.
 */
export function buildDecodeGraph({
  config,
  isFiltered,
  hasPrefixes = false,
}: SamplingGraphOptions & { readonly hasPrefixes?: boolean }): Graph {
  const graph = new Graph();
  const [R, P] = [dim('R'), dim('P')];
  const ids = graph.input('ids', 'int64', [R]);
  const positions = graph.input('positions', 'int64', [R]);
  const parts = createParts(graph, config, positions);
  const { keyValueHeadCount: K, headWidth: d, headCount: H } = parts.shape;
  const prefixes = hasPrefixes ? buildPrefixAttention(graph, R, parts.shape) : undefined;
  const own = prefixes === undefined ? positions : sub(positions, prefixes.lengths);
  const isPast = reshape(less(expandDims(range(graph, P), 0), expandDims(own, 1)), [R, 1, 1, P]);
  const isSeen = prefixes === undefined ? isPast : concat([prefixes.isSeen, isPast], 3);
  const mask = pad(where(isSeen, graph.constant(0), HIDDEN), { axis: 3, before: 1, after: 0 }); // [R, 1, 1, 1+S+P]
  const cache: Tensor[] = [];
  const hidden = buildLayers(parts, ids, (layer, q, k, v) => {
    const [keys, values] = declareCache(graph, layer, [R, K, P, d]);
    const [newKey, newValue] = [k, reshape(v, [R, K, 1, d])];
    cache.push(newKey, newValue);
    // Scaled here and not inside the product: one row times a transposed matrix has a kernel of its own without a factor.
    const queries = scale(reshape(q, [R, K, H / K, d]), 1 / Math.sqrt(d));
    const scores = [matmul(queries, newKey, { transposeB: true })]; // [R, K, G, 1]
    if (prefixes !== undefined) scores.push(prefixes.scores(layer, queries)); // [R, K, G, S]
    scores.push(matmul(queries, keys, { transposeB: true })); // [R, K, G, P]
    const probabilities = softmax(add(concat(scores, 3), mask), -1);
    const sizes = prefixes === undefined ? [1, P] : [1, prefixes.width, P];
    const shares = split(probabilities, { axis: 3, sizes });
    const present = mul(shares[0] as Tensor, newValue);
    const past = matmul(shares[sizes.length - 1] as Tensor, values);
    const attended = add(past, present);
    if (prefixes === undefined) return reshape(attended, [R, H * d]);
    return reshape(add(prefixes.values(layer, shares[1] as Tensor), attended), [R, H * d]);
  });
  outputCache(graph, cache);
  buildTail(parts, hidden, R, isFiltered);
  return graph;
}

/**
 * Builds the graph that adds T tokens to each of R sequences and draws N next tokens.
 *
 * Inputs: `ids`, `positions` [R, T] int64; `ends` [E] int64, flat places r·T + t of the last tokens, and `end_rows` [E]
 * int64, their r; `draws` [N] int64, which of the ends each draw continues; the draw's columns [N]; sampling weights.
 * With `hasPast` also the cache `key:<layer>`, `value:<layer>` [A, K, P, d] and, for each of S places a key may have,
 * whether it is cached (`is_past` [R, 1, S, 1] bool) and its flat row in the cache or among the new ones (`past_index`,
 * `new_index` [R, K, S] int32). With `hasPrefixes` too, some of the places may
 * lie in prefixes, `prefix_key:<layer>`, `prefix_value:<layer>` [B, K, Q, d], whose flat rows count on behind the new ones.
 * Outputs: `token`, `logprob`, `entropy` [N], `cache` [2L, R, K, T, d].
 */
export function buildPrefillGraph({
  config,
  isFiltered,
  hasPast,
  hasPrefixes = false,
}: SamplingGraphOptions & { readonly hasPast: boolean; readonly hasPrefixes?: boolean }): Graph {
  const graph = new Graph();
  const [R, T, E] = [dim('R'), dim('T'), dim('E')];
  const ids = graph.input('ids', 'int64', [R, T]);
  const positions = graph.input('positions', 'int64', [R, T]);
  const flatPositions = reshape(positions, [dimProduct(R, T)]);
  const ends = graph.input('ends', 'int64', [E]);
  const endRows = graph.input('end_rows', 'int64', [E]);
  const draws = graph.input('draws', 'int64', ['N']);
  const parts = createParts(graph, config, flatPositions);
  const { keyValueHeadCount: K, headWidth: d, headCount: H } = parts.shape;
  const keyCount: Dim = hasPast ? dim('S') : T;
  const join = hasPast ? buildJoin(graph, parts.shape, hasPrefixes) : undefined;
  const maskOf = (queryPositions: Tensor, shape: Dim[]): Tensor => {
    const isSeen = lessOrEqual(reshape(range(graph, keyCount), [1, 1, keyCount]), queryPositions);
    return reshape(where(isSeen, graph.constant(0), HIDDEN), shape);
  };
  const mask = maskOf(expandDims(positions, 2), [R, 1, 1, T, keyCount]);
  const endMask = maskOf(reshape(gather(flatPositions, ends, 0), [E, 1, 1]), [E, 1, 1, keyCount]);
  const cache: Tensor[] = [];
  const attend: Attend = (layer, q, k, v, kept) => {
    const byHead = (x: Tensor, heads: number): Tensor =>
      transpose(reshape(x, [R, T, heads, d]), [0, 2, 1, 3]); // [R, heads, T, d]
    const [newKeys, newValues] = [byHead(k, K), byHead(v, K)];
    cache.push(newKeys, newValues);
    const [keys, values] = join === undefined ? [newKeys, newValues] : join(layer, newKeys, newValues);
    if (kept !== undefined) {
      const queries = scale(reshape(gather(q, kept, 0), [E, K, H / K, d]), 1 / Math.sqrt(d));
      const scores = matmul(queries, gather(keys, endRows, 0), { transposeB: true }); // [E, K, G, S]
      const shares = softmax(add(scores, endMask), -1);
      return reshape(matmul(shares, gather(values, endRows, 0)), [E, H * d]);
    }
    const queries = reshape(byHead(q, H), [R, K, dimProduct(H / K, T), d]);
    const scores = matmul(queries, keys, { transposeB: true, scale: 1 / Math.sqrt(d) }); // [R, K, G*T, S]
    const masked = add(reshape(scores, [R, K, H / K, T, keyCount]), mask);
    const attended = matmul(reshape(softmax(masked, -1), scores.shape), values); // [R, K, G*T, d]
    return reshape(transpose(reshape(attended, [R, H, T, d]), [0, 2, 1, 3]), [dimProduct(R, T), H * d]);
  };
  const hidden = buildLayers(parts, reshape(ids, [dimProduct(R, T)]), attend, ends); // [E, D]
  outputCache(graph, cache);
  buildTail(parts, gather(hidden, draws, 0), dim('N'), isFiltered);
  return graph;
}
