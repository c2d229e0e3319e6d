/**
 * @file What a graph over packed rows is fed: groups of sequences with a common prefix become flat rows without padding,
 * and grids that say where attention finds them. Only the grids are padded, not the rows that dense products run over.
 * The layout itself is in layers/row-layout.ts.
 */
import { HIDDEN } from './layers/grid-attention.js';
import { BLOCK_ROWS, type HeadCounts, type PackedLayout } from './layers/row-layout.js';

/** Sequences that begin with the same tokens. */
export interface PackedGroup {
  /** may be empty */
  readonly prefix: Int32Array;
  /** what comes after it, at least one token each */
  readonly members: readonly Int32Array[];
}

interface PackedFeed {
  readonly dtype: 'int64' | 'float32';
  readonly shape: readonly number[];
  readonly values: BigInt64Array | Float32Array;
}

/** Groups as rows. */
export interface PackedRows {
  readonly layout: PackedLayout;
  readonly feeds: Readonly<Record<string, PackedFeed>>;
  /** rows of dense products */
  readonly rowCount: number; // U
  /** those of them that stand for padding */
  readonly paddedRows: number;
  /** places of the grids that attention runs over */
  readonly placeCount: number;
  /** The row of a position of a member's sequence, prefix included. */
  rowOf(group: number, member: number, position: number): number;
}

/** Sequences of this many tokens and fewer go in small blocks, which waste fewer scores. */
const SHORT = 256;

/** Tells in how many blocks of rows attention over some positions goes. */
function countBlocks(length: number, blockRows?: number): number {
  return Math.ceil(length / (blockRows ?? (length > SHORT ? BLOCK_ROWS : BLOCK_ROWS / 2)));
}

/** The layout that groups have by themselves. @param blockRows most rows of a block; default: what suits a CPU */
export function layoutOf(groups: readonly PackedGroup[], blockRows?: number): PackedLayout {
  return {
    prefixBlocks: countBlocks(longestOf(groups.map(({ prefix }) => prefix)), blockRows),
    ownBlocks: countBlocks(longestOf(groups.flatMap(({ members }) => members)), blockRows),
    ...(blockRows === undefined ? {} : { blockRows }),
  };
}

const longestOf = (sequences: readonly Int32Array[]): number =>
  sequences.reduce((most, { length }) => Math.max(most, length), 0);

/**
 * Lays groups out; rows of prefixes come first, then those of members, group by group.
 *
 * @param least blocks at least, so that groups of several lengths have one layout; without `keepsPrefix` prefixes stay absent where none is
 */
export function packRows(
  groups: readonly PackedGroup[],
  heads: HeadCounts,
  least: PackedLayout = { prefixBlocks: 0, ownBlocks: 0 },
): PackedRows {
  const { blockRows, keepsPrefix = false } = least;
  const prefix = createGridRows(
    groups.map((group) => [group.prefix]),
    least.prefixBlocks,
    blockRows,
    keepsPrefix,
  );
  const own = createGridRows(
    groups.map((group) => group.members),
    least.ownBlocks,
    blockRows,
  );
  const tokens: number[] = [];
  const positions: number[] = [];
  const prefixStarts = groups.map((group, g) => {
    const start = tokens.length;
    for (let t = 0; t < group.prefix.length; t += 1) {
      prefix.rows[g * prefix.length + t] = tokens.length;
      tokens.push(group.prefix[t] as number);
      positions.push(t);
    }
    return start;
  });
  const memberStarts = groups.map((group, g) =>
    group.members.map((member, m) => {
      const start = tokens.length;
      for (let t = 0; t < member.length; t += 1) {
        own.rows[(g * own.members + m) * own.length + t] = tokens.length;
        tokens.push(member[t] as number);
        positions.push(group.prefix.length + t);
      }
      return start;
    }),
  );
  const grids = prefix.length === 0 ? [own] : [prefix, own];
  const isPadded = grids.some(({ rows }) => rows.includes(-1));
  const real = tokens.length;
  if (isPadded) tokens.push(0);
  if (isPadded) positions.push(0);
  return {
    layout: {
      prefixBlocks: prefix.blocks,
      ownBlocks: own.blocks,
      ...(blockRows === undefined ? {} : { blockRows }),
      ...(keepsPrefix ? { keepsPrefix } : {}),
    },
    feeds: {
      ids: int64([tokens.length], tokens),
      positions: int64([tokens.length], positions),
      query_slots: slotsOf(grids, tokens.length, heads.key, heads.query / heads.key),
      ...(heads.key === heads.query ? {} : { key_slots: slotsOf(grids, tokens.length, heads.key, 1) }),
      own_grid: gridFeed(own, [own.groups, own.members, own.blocks, own.length / own.blocks], real),
      ...(prefix.length === 0 ? {} : prefixFeeds(prefix, real)),
    },
    rowCount: tokens.length,
    paddedRows: tokens.length - real,
    placeCount: grids.reduce((total, { rows }) => total + rows.length, 0),
    rowOf(group, member, position) {
      const shared = groups[group]?.prefix.length ?? 0;
      return position < shared
        ? (prefixStarts[group] as number) + position
        : (memberStarts[group]?.[member] as number) + position - shared;
    },
  };
}

/** Places of a grid, each with its row or −1. */
interface GridRows {
  readonly groups: number; // P
  readonly members: number; // G
  readonly blocks: number;
  readonly length: number; // T, a multiple of the blocks
  readonly rows: Int32Array; // [P, G, T]
}

function createGridRows(
  groups: readonly (readonly Int32Array[])[],
  least: number,
  blockRows: number | undefined,
  isKept = false,
): GridRows {
  const longest = longestOf(groups.flat());
  const blocks = longest === 0 && !isKept ? 0 : Math.max(least, countBlocks(longest, blockRows));
  // a place that holds padding is there even where there are no rows
  const length = blocks === 0 ? 0 : Math.ceil(Math.max(1, longest) / blocks) * blocks;
  const members = groups.reduce((most, group) => Math.max(most, group.length), -Infinity);
  const rows = new Int32Array(groups.length * members * length).fill(-1);
  return { groups: groups.length, members, blocks, length, rows };
}

function gridFeed({ rows }: GridRows, shape: readonly number[], padding: number): PackedFeed {
  return int64(
    shape,
    rows.map((row) => (row < 0 ? padding : row)),
  );
}

function prefixFeeds(prefix: GridRows, padding: number): Record<string, PackedFeed> {
  const shape = [prefix.groups, prefix.blocks, prefix.length / prefix.blocks];
  const mask = Float32Array.from(prefix.rows, (row) => (row < 0 ? HIDDEN : 0));
  return {
    prefix_grid: gridFeed(prefix, shape, padding),
    prefix_mask: { dtype: 'float32', shape, values: mask },
  };
}

/** The place of every head of a row among [P, K, G, m, T] of all grids, one after the other. */
function slotsOf(grids: readonly GridRows[], rowCount: number, keys: number, shared: number): PackedFeed {
  const heads = keys * shared;
  const slots = new Int32Array(rowCount * heads);
  const padding = rowCount - 1; // if there is any, it is the last row, and any padded place will do
  let base = 0;
  for (const { groups, members, length, rows } of grids) {
    for (let place = 0; place < rows.length; place += 1) {
      const row = rows[place] as number;
      const t = place % length;
      const line = Math.floor(place / length);
      const member = line % members;
      const group = Math.floor(line / members);
      for (let key = 0; key < keys; key += 1) {
        const start = base + ((group * keys + key) * members + member) * shared * length + t;
        for (let j = 0; j < shared; j += 1)
          slots[(row < 0 ? padding : row) * heads + key * shared + j] = start + j * length;
      }
    }
    base += groups * keys * members * shared * length;
  }
  return int64([rowCount, heads], slots);
}

/** Whole numbers below 2³¹ as int64, by their low halves. */
function int64(shape: readonly number[], values: ArrayLike<number>): PackedFeed {
  const wide = new BigInt64Array(values.length);
  const halves = new Int32Array(wide.buffer);
  for (let i = 0; i < values.length; i += 1) halves[2 * i] = values[i] as number;
  return { dtype: 'int64', shape, values: wide };
}
