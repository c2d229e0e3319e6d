/**
 * @file How the tokens of many sequences lie in the flat rows that all dense products run over, and how attention finds
 * its way between them. Two layouts: sequences padded to one length, and packed rows without padding, in which the
 * members of a group come after a prefix that is there only once. What a packed graph is fed is in packed-rows.ts.
 */
import {
  add,
  broadcastTo,
  concat,
  dim,
  type Dim,
  dimProduct,
  gather,
  type Graph,
  mul,
  range,
  reshape,
  sum,
  type Tensor,
  transpose,
  withGradient,
} from '@espalier/graph';
import type { AttentionShape } from '../families/model-family.js';
import { causalAttention } from './causal-attention.js';
import { type AttentionGrid, buildGridAttention, buildGridGradient } from './grid-attention.js';

/** Flat rows, and attention over them. */
export interface RowLayout {
  readonly ids: Tensor; // [N] int64
  /** place of each row in its sequence */
  readonly positions: Tensor; // [N] int64
  /** more than any position */
  readonly positionCount: number;
  /** Lets every row attend to what it sees of its sequence up to itself: q [N, H, d], k and v [N, K, d] → [N, H*d]. */
  attend(q: Tensor, k: Tensor, v: Tensor, attention: AttentionShape): Tensor;
}

/** Blocks of rows that attention goes in; the number of rows of a block is left open. */
export interface PackedLayout {
  /** blocks of a common prefix; 0: nothing is shared */
  readonly prefixBlocks: number;
  /** blocks of what members have of their own */
  readonly ownBlocks: number;
  /** most rows of a block; default {@link BLOCK_ROWS} */
  readonly blockRows?: number;
  /** rows that share nothing have the prefix, too, without a row in it, so that they take the same graph */
  readonly keepsPrefix?: boolean;
}

/** Most rows of a block on a CPU, where what a block leaves out is time saved. */
export const BLOCK_ROWS = 128;

/** Declares `ids` [B, T]: right-padded sequences of one known length. */
export function declarePaddedRows(graph: Graph, length: number): RowLayout {
  const batch = dim('B');
  const count = dimProduct(batch, length);
  const ids = graph.input('ids', 'int64', [batch, length]);
  const positions = broadcastTo(reshape(range(graph, length), [1, length]), [batch, length]);
  const toHeads = (x: Tensor): Tensor =>
    transpose(reshape(x, [batch, length, ...x.shape.slice(1)]), [0, 2, 1, 3]); // [B, H, T, d]
  return {
    ids: reshape(ids, [count]),
    positions: reshape(positions, [count]),
    positionCount: length,
    attend(q, k, v, attention) {
      const blockRows = length > 256 ? BLOCK_ROWS : 64;
      const attended = causalAttention(toHeads(q), toHeads(k), toHeads(v), attention, blockRows);
      return reshape(transpose(attended, [0, 2, 1, 3]), [count, widthOf(q)]);
    },
  };
}

function widthOf(x: Tensor): number {
  return (x.shape[1] as number) * (x.shape[2] as number);
}

/**
 * Declares packed rows: `ids` and `positions` [U]; `own_grid` [P, G, blocks, R], the row of every place of the grid;
 * `query_slots` [U, H] and `key_slots` [U, K], the place of every head of a row, prefix grid first; with a prefix
 * `prefix_grid` and `prefix_mask` [P, blocks, Q].
 */
export function declarePackedRows(graph: Graph, layout: PackedLayout, heads: HeadCounts): RowLayout {
  const { prefixBlocks, ownBlocks, blockRows = BLOCK_ROWS } = layout;
  const rows = dim('U');
  const groups = dim('P');
  const members = dim('G');
  const ids = graph.input('ids', 'int64', [rows]);
  const positions = graph.input('positions', 'int64', [rows]);
  const ownRows = graph.input('own_grid', 'int64', [groups, members, ownBlocks, 'R']);
  const own = createGrid(
    heads,
    ownRows,
    Array.from({ length: ownBlocks }, () => dim('R')),
  );
  const querySlots = graph.input('query_slots', 'int64', [rows, heads.query]);
  const keySlots =
    heads.key === heads.query ? querySlots : graph.input('key_slots', 'int64', [rows, heads.key]);
  const slots = { query: querySlots, key: keySlots };
  const prefix = prefixBlocks === 0 ? undefined : declarePrefix(graph, prefixBlocks, heads);
  const queryPositions = (): Tensor =>
    reshape(gather(positions, ownRows, 0), [groups, members, dimProduct(ownBlocks, dim('R'))]);
  return {
    ids,
    positions,
    positionCount: (prefixBlocks + ownBlocks) * blockRows,
    attend: (q, k, v, attention) => attendPacked({ own, slots, prefix, queryPositions, attention }, q, k, v),
  };
}

/** Heads of queries and of keys. */
export interface HeadCounts {
  readonly query: number; // H
  readonly key: number; // K
}

interface Grid {
  readonly blocks: readonly Dim[];
  /** [N, h, w] → [P, K, G, h/K, T, w] */
  place(x: Tensor): Tensor;
}

interface Prefix extends Grid {
  readonly mask: Tensor; // [P, Tp]
}

interface PackedGrids {
  readonly own: Grid;
  readonly prefix: Prefix | undefined;
  /** of what members have of their own, [P, G, T] */
  readonly queryPositions: () => Tensor;
  readonly attention: AttentionShape;
  readonly slots: { readonly query: Tensor; readonly key: Tensor };
}

function declarePrefix(graph: Graph, blockCount: number, heads: HeadCounts): Prefix {
  const shape = [dim('P'), blockCount, dim('Q')];
  const grid = graph.input('prefix_grid', 'int64', shape);
  const mask = graph.input('prefix_mask', 'float32', shape);
  const blocks = Array.from({ length: blockCount }, () => dim('Q'));
  return {
    ...createGrid(heads, reshape(grid, [dim('P'), 1, blockCount, dim('Q')]), blocks),
    mask: reshape(mask, [dim('P'), dimProduct(blockCount, dim('Q'))]),
  };
}

function createGrid({ key }: HeadCounts, rows: Tensor, blocks: readonly Dim[]): Grid {
  const [groups, members, count, size] = rows.shape as [Dim, Dim, number, Dim];
  const length = dimProduct(count, size);
  const places = new Map<number, Tensor>();
  const placesOf = (shared: number): Tensor => {
    const flat = mul(reshape(rows, [groups, 1, members, 1, length]), key * shared);
    const head = Float64Array.from({ length: key * shared }, (_, h) => h);
    return add(flat, rows.graph.constant(head, 'int64', [1, key, 1, shared, 1])); // [P, K, G, m, T]
  };
  return {
    blocks,
    place(x) {
      const [count, heads, width] = x.shape as [Dim, number, number];
      const shared = heads / key;
      const index = places.get(shared) ?? placesOf(shared);
      places.set(shared, index);
      return gather(reshape(x, [dimProduct(count, heads), width]), index, 0);
    },
  };
}

function attendPacked(grids: PackedGrids, q: Tensor, k: Tensor, v: Tensor): Tensor {
  const [count, heads, width] = q.shape as [Dim, number, number];
  const outputs = placeAll(grids, q, k, v).map(buildGridAttention);
  const output = unplace(outputs, grids.slots.query); // [N, H, d]
  const flat = reshape(output, [count, heads * width]);
  return withGradient(flat, [q, k, v], (g) => {
    const gradient = reshape(g, output.shape);
    const rowSums = sum(mul(gradient, output), { axes: [-1], keepDims: true }); // [N, H, 1]
    return attendPackedGradient(grids, [q, k, v], gradient, rowSums);
  });
}

/** The grids that rows lie in: the prefix, if there is one, and what comes after it. */
function placeAll(grids: PackedGrids, q: Tensor, k: Tensor, v: Tensor): AttentionGrid[] {
  const { prefix, own, queryPositions, attention } = grids;
  const placeKeys = (grid: Grid, x: Tensor): Tensor => {
    const placed = grid.place(x);
    const [groups, keys, members, , length, width] = placed.shape as [Dim, Dim, Dim, 1, Dim, Dim];
    return reshape(placed, [groups, keys, members, length, width]);
  };
  const gridOf = (grid: Grid): AttentionGrid => ({
    q: grid.place(q),
    k: placeKeys(grid, k),
    v: placeKeys(grid, v),
    blocks: grid.blocks,
    attention,
  });
  if (prefix === undefined) return [gridOf(own)];
  const first = gridOf(prefix);
  const flatten = (x: Tensor): Tensor => {
    const [groups, keys, , length, width] = x.shape as [Dim, Dim, 1, Dim, Dim];
    return reshape(x, [groups, keys, length, width]);
  };
  const last = gridOf(own);
  const past = { k: flatten(first.k), v: flatten(first.v), mask: prefix.mask, queryPositions };
  return [first, { ...last, past }];
}

function attendPackedGradient(
  grids: PackedGrids,
  [q, k, v]: readonly [Tensor, Tensor, Tensor],
  g: Tensor,
  rowSums: Tensor,
): Tensor[] {
  const placed = placeAll(grids, q, k, v);
  const parts = placed.map((grid, i) => {
    const place = (x: Tensor): Tensor =>
      (i === placed.length - 1 ? grids.own : (grids.prefix as Prefix)).place(x);
    return buildGridGradient(grid, place(g), place(rowSums));
  });
  const past = parts.at(-1)?.past;
  const withPast = (name: 'k' | 'v'): Tensor[] =>
    parts.map((part, i) =>
      past !== undefined && i === 0 ? add(part[name], reshape(past[name], part[name].shape)) : part[name],
    );
  return [
    unplace(
      parts.map((part) => part.q),
      grids.slots.query,
    ),
    unplace(withPast('k'), grids.slots.key),
    unplace(withPast('v'), grids.slots.key),
  ];
}

/** Takes every head of every row from the grids, [N, h, d]; places that hold padding are not read. */
function unplace(grids: readonly Tensor[], slots: Tensor): Tensor {
  const flat = grids.map((grid) => {
    const width = grid.shape.at(-1) as Dim;
    return reshape(grid, [dimProduct(...grid.shape.slice(0, -1)), width]);
  });
  return gather(concat(flat, 0), slots, 0);
}
