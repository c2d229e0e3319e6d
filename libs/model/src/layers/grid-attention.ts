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
  lessOrEqual,
  logicalOr,
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
import type { AttentionShape } from '../families/model-family.js';
import { capScores, softCapSlope } from './soft-cap.js';

/** Added to scores of what must not be seen; finite, so that no arithmetic on it gives NaN. */
export const HIDDEN = -1e30;

/** What all members of a group come after. */
export interface Past {
  readonly k: Tensor; // [P, K, Tp, d]
  readonly v: Tensor; // [P, K, Tp, d]
  /** 0, or {@link HIDDEN} where a prefix is padded */
  readonly mask: Tensor; // [P, Tp]
  /** Where each query stands in its sequence, prefix included, [P, G, T] int64; asked for by windows only. */
  queryPositions(): Tensor;
}

/** P groups of G members of T positions; K key heads, each for m query heads. */
export interface AttentionGrid {
  readonly q: Tensor; // [P, K, G, m, T, d]
  readonly k: Tensor; // [P, K, G, T, d]
  readonly v: Tensor; // [P, K, G, T, d]
  readonly past?: Past;
  /** rows of the blocks of queries, which add up to T */
  readonly blocks: readonly Dim[];
  readonly attention: AttentionShape;
}

interface Block {
  readonly start: Dim;
  readonly end: Dim;
  readonly queries: Tensor; // [P*K*G, m*R, d]
  readonly own: Tensor; // probabilities of own keys, [P*K*G, m*R, end]
  readonly far?: Tensor; // probabilities of the prefix's keys, [P, K, G*m*R, Tp]
  /** scores after the soft cap, if there is one, in the shapes of the probabilities */
  readonly capped?: { readonly own: Tensor; readonly far?: Tensor | undefined } | undefined;
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

function buildBlock({ q, k, past, attention }: AttentionGrid, start: Dim, end: Dim): Block {
  const [groups, heads, members, shared, , width] = q.shape as GridShape;
  const { scale, softCap: cap, window } = attention;
  const rows = dimDifference(end, start);
  const batch = dimProduct(groups, heads, members);
  const queries = reshape(slice(q, { axis: 4, start, end }), [batch, dimProduct(shared, rows), width]);
  const scores = matmul(queries, firstRows(k, end), { transposeB: true, scale });
  const near = capScores(scores, attention); // [P*K*G, m*R, end]
  const masked = add(reshape(near, [batch, shared, rows, end]), ownMask(q.graph, start, end, window));
  const cappedOf = (far?: Tensor): Block['capped'] => (cap === undefined ? undefined : { own: near, far });
  if (past === undefined)
    return { start, end, queries, own: reshape(softmax(masked, -1), near.shape), capped: cappedOf() };
  const wide = dimProduct(members, shared, rows);
  const pastLength = past.mask.shape[1] as Dim;
  const farScores = matmul(reshape(queries, [groups, heads, wide, width]), past.k, {
    transposeB: true,
    scale,
  });
  const far = capScores(farScores, attention); // [P, K, G*m*R, Tp]
  const farMasked =
    window === undefined
      ? add(far, reshape(past.mask, [groups, 1, 1, pastLength]))
      : reshape(
          add(
            reshape(far, [groups, heads, members, shared, rows, pastLength]),
            pastMask(past, start, end, window),
          ),
          far.shape,
        );
  const both = softmax(concat([farMasked, reshape(masked, [groups, heads, wide, end])], 3), -1);
  const [farPart, ownPart] = split(both, { axis: 3, sizes: [pastLength, end] }) as [Tensor, Tensor];
  return { start, end, queries, own: reshape(ownPart, near.shape), far: farPart, capped: cappedOf(far) };
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
  const { scale, softCap: cap } = grid.attention;
  const block = buildBlock(grid, start, end);
  const { queries, own, far, capped } = block;
  const unbend = (gradient: Tensor, scores: Tensor | undefined): Tensor =>
    cap === undefined || scores === undefined ? gradient : mul(gradient, softCapSlope(scores, cap));
  const cut = (x: Tensor): Tensor =>
    reshape(slice(x, { axis: 4, start, end }), [...queries.shape.slice(0, 2), x.shape[5] as Dim]);
  const go = cut(g); // [P*K*G, m*R, d]
  const sums = cut(rowSums); // [P*K*G, m*R, 1]
  const gs = unbend(mul(sub(matmul(go, firstRows(v, end), { transposeB: true }), sums), own), capped?.own);
  const near = matmul(gs, firstRows(k, end), { scale });
  const shape = g.shape.map((size, axis) => (axis === 4 ? dimDifference(end, start) : size));
  const result = {
    k: matmul(gs, queries, { transposeA: true, scale }),
    v: matmul(own, go, { transposeA: true }),
  };
  if (past === undefined || far === undefined) return { ...result, q: reshape(near, shape) };
  const widen = (x: Tensor): Tensor => reshape(x, [...far.shape.slice(0, 3), x.shape[2] as Dim]);
  const goWide = widen(go); // [P, K, G*m*R, d]
  const gsFar = unbend(mul(sub(matmul(goWide, past.v, { transposeB: true }), widen(sums)), far), capped?.far);
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

const masks = new WeakMap<Graph | Tensor, Map<string, Tensor>>();

/** Makes a mask once per graph, or per mask of prefixes, and not once per layer. */
function maskOnce(owner: Graph | Tensor, key: string, build: () => Tensor): Tensor {
  const known = masks.get(owner) ?? new Map<string, Tensor>();
  masks.set(owner, known);
  const mask = known.get(key) ?? build();
  known.set(key, mask);
  return mask;
}

/** What hides later positions, and those before the window, from rows `start` to `end`: [R, end]. */
function ownMask(graph: Graph, start: Dim, end: Dim, window = Infinity): Tensor {
  return maskOnce(graph, `${String(start)}:${String(end)}:${window}`, () =>
    typeof start === 'number' && typeof end === 'number'
      ? buildConstantMask(graph, start, end, window)
      : buildOwnMask(graph, start, end, window),
  );
}

function buildConstantMask(graph: Graph, start: number, end: number, window: number): Tensor {
  const mask = new Float64Array((end - start) * end);
  for (let row = 0; row < end - start; row += 1) {
    mask.fill(HIDDEN, row * end, row * end + Math.max(0, start + row + 1 - window));
    mask.fill(HIDDEN, row * end + start + row + 1, (row + 1) * end);
  }
  return graph.constant(mask, 'float32', [end - start, end]);
}

function buildOwnMask(graph: Graph, start: Dim, end: Dim, window: number): Tensor {
  const rows = dimDifference(end, start);
  const own = add(reshape(range(graph, rows), [rows, 1]), dimValue(graph, start)); // [R, 1]
  const keys = reshape(range(graph, end), [1, end]);
  const isLater = greater(keys, own);
  const isHidden = window === Infinity ? isLater : logicalOr(isLater, lessOrEqual(keys, sub(own, window)));
  return mul(cast(isHidden, 'float32'), HIDDEN);
}

/** What hides keys of prefixes that lie before the window of rows `start` to `end`: [P, 1, G, 1, R, Tp]. */
function pastMask({ mask, queryPositions }: Past, start: Dim, end: Dim, window: number): Tensor {
  return maskOnce(mask, `${String(start)}:${String(end)}:${window}`, () => {
    const queries = slice(queryPositions(), { axis: 2, start, end }); // [P, G, R]
    const [groups, members, rows] = queries.shape as [Dim, Dim, Dim];
    const length = mask.shape[1] as Dim;
    const isHidden = lessOrEqual(
      reshape(range(mask.graph, length), [1, 1, 1, length]),
      reshape(sub(queries, window), [groups, members, rows, 1]),
    );
    const hidden = add(mul(cast(isHidden, 'float32'), HIDDEN), reshape(mask, [groups, 1, 1, length])); // [P, G, R, Tp]
    return reshape(hidden, [groups, 1, members, 1, rows, length]);
  });
}

/** Adds a gradient of the first keys to one of more keys. */
function addGrowing(sofar: Tensor, next: Tensor): Tensor {
  const after = dimDifference(next.shape[1] as Dim, sofar.shape[1] as Dim);
  return add(pad(sofar, { axis: 1, before: 0, after }), next);
}
