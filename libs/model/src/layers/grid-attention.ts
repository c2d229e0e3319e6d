/**
 * @file Attention of sequences to their past, for training and scoring, over a grid of groups and members. A group may
 * have a prefix in common: the queries of all its members meet the prefix's keys in one product. Queries go in blocks of
 * rows, and a block only meets the keys up to its own end, so that nearly half of the products are never made.
 * The gradient is written by hand: probabilities are made again, one block at a time, so that none outlive their block;
 * the row sums that softmax needs are taken from outputs (dO·O), as in Dao et al. 2022, arXiv:2205.14135, appendix B.2.
 */
import {
  add,
  cast,
  concat,
  type Dim,
  dimDifference,
  dimProduct,
  dimSum,
  dimValue,
  type Graph,
  greater,
  matmul,
  mul,
  pad,
  range,
  reshape,
  slice,
  softmax,
  split,
  sub,
  type Tensor,
} from '@espalier/graph';

/** Added to scores of what must not be seen; finite, so that no arithmetic on it gives NaN. */
export const HIDDEN = -1e30;

/** What all members of a group come after. */
export interface Past {
  readonly k: Tensor; // [P, K, Tp, d]
  readonly v: Tensor; // [P, K, Tp, d]
  /** 0, or {@link HIDDEN} where a prefix is padded */
  readonly mask: Tensor; // [P, Tp]
}

/** P groups of G members of T positions; K key heads, each for m query heads. */
export interface AttentionGrid {
  readonly q: Tensor; // [P, K, G, m, T, d]
  readonly k: Tensor; // [P, K, G, T, d]
  readonly v: Tensor; // [P, K, G, T, d]
  readonly past?: Past;
  /** rows of the blocks of queries, which add up to T */
  readonly blocks: readonly Dim[];
}

interface Block {
  readonly start: Dim;
  readonly end: Dim;
  readonly queries: Tensor; // [P*K*G, m*R, d]
  readonly own: Tensor; // probabilities of own keys, [P*K*G, m*R, end]
  readonly far?: Tensor; // probabilities of the prefix's keys, [P, K, G*m*R, Tp]
}

/** Builds the attended values, [P, K, G, m, T, d]. */
export function buildGridAttention(grid: AttentionGrid): Tensor {
  const { q, v, past } = grid;
  const [groups, heads, members, shared, , width] = q.shape as GridShape;
  const outputs = rangesOf(grid).map(([start, end]) => {
    const block = buildBlock(grid, start, end);
    const near = matmul(block.own, firstRows(v, end)); // [P*K*G, m*R, d]
    const shape = [groups, heads, members, shared, dimDifference(end, start), width];
    if (past === undefined || block.far === undefined) return reshape(near, shape);
    return add(reshape(near, shape), reshape(matmul(block.far, past.v), shape));
  });
  return concat(outputs, 4);
}

type GridShape = [Dim, number, Dim, number, Dim, number];

export interface GridGradients {
  readonly q: Tensor; // [P, K, G, m, T, d]
  readonly k: Tensor; // [P, K, G, T, d]
  readonly v: Tensor; // [P, K, G, T, d]
  readonly past?: { readonly k: Tensor; readonly v: Tensor }; // [P, K, Tp, d]
}

/**
 * Builds the gradients of what went into {@link buildGridAttention}.
 *
 * @param g       gradient of its result, [P, K, G, m, T, d]
 * @param rowSums Σ over d of g · result, [P, K, G, m, T, 1]
 */
export function buildGridGradient(grid: AttentionGrid, g: Tensor, rowSums: Tensor): GridGradients {
  const parts = rangesOf(grid).map(([start, end]) => buildBlockGradient(grid, { g, rowSums, start, end }));
  const total = (pick: (part: BlockGradients) => Tensor | undefined): Tensor =>
    parts.map((part) => pick(part) as Tensor).reduce(add);
  const grown = (pick: (part: BlockGradients) => Tensor): Tensor =>
    reshape(
      parts.map(pick).reduce((sofar, next) => addGrowing(sofar, next)),
      grid.k.shape,
    );
  return {
    q: concat(
      parts.map(({ q }) => q),
      4,
    ),
    k: grown(({ k }) => k),
    v: grown(({ v }) => v),
    ...(grid.past === undefined
      ? {}
      : { past: { k: total(({ pastK }) => pastK), v: total(({ pastV }) => pastV) } }),
  };
}

function buildBlock({ q, k, past }: AttentionGrid, start: Dim, end: Dim): Block {
  const [groups, heads, members, shared, , width] = q.shape as GridShape;
  const rows = dimDifference(end, start);
  const batch = dimProduct(groups, heads, members);
  const queries = reshape(slice(q, { axis: 4, start, end }), [batch, dimProduct(shared, rows), width]);
  const scale = 1 / Math.sqrt(width);
  const near = matmul(queries, firstRows(k, end), { transposeB: true, scale }); // [P*K*G, m*R, end]
  const masked = add(reshape(near, [batch, shared, rows, end]), laterOf(q.graph, start, end));
  if (past === undefined) return { start, end, queries, own: reshape(softmax(masked, -1), near.shape) };
  const wide = dimProduct(members, shared, rows);
  const pastLength = past.mask.shape[1] as Dim;
  const far = matmul(reshape(queries, [groups, heads, wide, width]), past.k, { transposeB: true, scale });
  const farMasked = add(far, reshape(past.mask, [groups, 1, 1, pastLength])); // [P, K, G*m*R, Tp]
  const both = softmax(concat([farMasked, reshape(masked, [groups, heads, wide, end])], 3), -1);
  const [farPart, ownPart] = split(both, { axis: 3, sizes: [pastLength, end] }) as [Tensor, Tensor];
  return { start, end, queries, own: reshape(ownPart, near.shape), far: farPart };
}

interface BlockGradientOptions {
  readonly g: Tensor;
  readonly rowSums: Tensor;
  readonly start: Dim;
  readonly end: Dim;
}

interface BlockGradients {
  readonly q: Tensor; // [P, K, G, m, R, d]
  readonly k: Tensor; // [P*K*G, end, d]
  readonly v: Tensor; // [P*K*G, end, d]
  readonly pastK?: Tensor; // [P, K, Tp, d]
  readonly pastV?: Tensor; // [P, K, Tp, d]
}

function buildBlockGradient(
  grid: AttentionGrid,
  { g, rowSums, start, end }: BlockGradientOptions,
): BlockGradients {
  const { k, v, past } = grid;
  const block = buildBlock(grid, start, end);
  const { queries, own, far } = block;
  const scale = 1 / Math.sqrt(queries.shape[2] as number);
  const cut = (x: Tensor): Tensor =>
    reshape(slice(x, { axis: 4, start, end }), [...queries.shape.slice(0, 2), x.shape[5] as Dim]);
  const [go, sums] = [cut(g), cut(rowSums)]; // [P*K*G, m*R, d], [P*K*G, m*R, 1]
  const gs = mul(sub(matmul(go, firstRows(v, end), { transposeB: true }), sums), own);
  const near = matmul(gs, firstRows(k, end), { scale });
  const shape = g.shape.map((size, axis) => (axis === 4 ? dimDifference(end, start) : size));
  const result = {
    k: matmul(gs, queries, { transposeA: true, scale }),
    v: matmul(own, go, { transposeA: true }),
  };
  if (past === undefined || far === undefined) return { ...result, q: reshape(near, shape) };
  const widen = (x: Tensor): Tensor => reshape(x, [...far.shape.slice(0, 3), x.shape[2] as Dim]);
  const goWide = widen(go); // [P, K, G*m*R, d]
  const gsFar = mul(sub(matmul(goWide, past.v, { transposeB: true }), widen(sums)), far);
  return {
    ...result,
    q: add(reshape(near, shape), reshape(matmul(gsFar, past.k, { scale }), shape)),
    pastK: matmul(gsFar, widen(queries), { transposeA: true, scale }),
    pastV: matmul(far, goWide, { transposeA: true }),
  };
}

/** [P, K, G, T, d] → the first `end` positions, [P*K*G, end, d] */
function firstRows(x: Tensor, end: Dim): Tensor {
  const [groups, heads, members, , width] = x.shape as [Dim, number, Dim, Dim, number];
  return reshape(slice(x, { axis: 3, end }), [dimProduct(groups, heads, members), end, width]);
}

function rangesOf({ blocks }: AttentionGrid): [start: Dim, end: Dim][] {
  let end: Dim = 0;
  return blocks.map((rows) => {
    const start = end;
    end = dimSum(start, rows);
    return [start, end];
  });
}

const masks = new WeakMap<Graph, Map<string, Tensor>>();

/** What hides later positions from rows `start` to `end`, [R, end]; made once per graph. */
function laterOf(graph: Graph, start: Dim, end: Dim): Tensor {
  const known = masks.get(graph) ?? new Map<string, Tensor>();
  masks.set(graph, known);
  const key = `${String(start)}:${String(end)}`;
  const mask = known.get(key) ?? buildMask(graph, start, end);
  known.set(key, mask);
  return mask;
}

function buildMask(graph: Graph, start: Dim, end: Dim): Tensor {
  const rows = dimDifference(end, start);
  if (typeof start === 'number' && typeof end === 'number') {
    const mask = new Float64Array((end - start) * end);
    for (let row = 0; row < end - start; row += 1)
      mask.fill(HIDDEN, row * end + start + row + 1, (row + 1) * end);
    return graph.constant(mask, 'float32', [end - start, end]);
  }
  const own = add(reshape(range(graph, rows), [rows, 1]), dimValue(graph, start)); // [R, 1]
  return mul(cast(greater(reshape(range(graph, end), [1, end]), own), 'float32'), HIDDEN);
}

/** Adds a gradient of the first keys to one of more keys. */
function addGrowing(sofar: Tensor, next: Tensor): Tensor {
  const after = dimDifference(next.shape[1] as Dim, sofar.shape[1] as Dim);
  return add(pad(sofar, { axis: 1, before: 0, after }), next);
}
