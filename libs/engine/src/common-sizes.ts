/**
 * @file The sizes that all micro-batches of a call have in common because they are part of a graph: opening a session for
 * another graph can take longer than its run.
 */
import type { ScoreRequest } from '@espalier/contracts';
import { layoutOf, type PackedRows } from '@espalier/model';
import { groupsOf } from './micro-batch-feeds.js';
import type { MicroBatch } from './micro-batches.js';

/** Rows of a block of attention on a GPU: one large product costs less than the launches of many small ones. */
const DEVICE_BLOCK_ROWS = 512;

/**
 * Rows of a block of attention where graphs are compiled. Of SmolLM2's shape in bf16 a graph for 100 shared and 480 own
 * tokens takes 9.7 s to compile with 256 rows and 21.5 with 128; steps take as long.
 */
const COMPILED_BLOCK_ROWS = 256;

/** Into how many steps the loss positions of a full micro-batch go there. */
const COMPILED_LOSS_STEPS = 4;

/** Loss positions of a graph on a GPU, at least: computing them takes milliseconds, opening another session seconds. */
const DEVICE_LOSS_ROWS = 1024;

/** How sizes that are part of a graph are rounded up, so that few graphs serve calls of all lengths. */
interface SizeSteps {
  /** most rows of a block of attention; default: what suits a CPU */
  readonly blockRows?: number | undefined;
  /**
   * Opening a graph takes as long as thousands of rows: blocks come in powers of four, and every graph has a prefix, with or
   * without rows. A block more costs nodes and no arithmetic, because the rows of a block are left open.
   */
  readonly isCoarse?: boolean;
}

/** Blocks of own rows there are at least where sizes are coarse: 1,024 rows of 256 a block. */
const COARSE_OWN_BLOCKS = 4;

/** One layout for all micro-batches of a call. */
export function commonLayout(
  batches: readonly MicroBatch<ScoreRequest>[],
  { blockRows, isCoarse = false }: SizeSteps = {},
): PackedRows['layout'] {
  const own = batches.map((batch) => layoutOf(groupsOf(batch), blockRows));
  const most = (of: (layout: PackedRows['layout']) => number, least: number): number =>
    own.reduce((blocks, layout) => Math.max(blocks, powerOf(isCoarse ? 4 : 2, of(layout))), least);
  return {
    prefixBlocks: most(({ prefixBlocks }) => prefixBlocks, isCoarse ? 1 : 0),
    ownBlocks: most(({ ownBlocks }) => ownBlocks, isCoarse ? COARSE_OWN_BLOCKS : 0),
    ...(blockRows === undefined ? {} : { blockRows }),
    ...(isCoarse ? { keepsPrefix: true } : {}),
  };
}

/**
 * Loss positions of all micro-batches of a call where these are part of a graph: those of the largest, rounded up.
 *
 * @param step they come in multiples of it; default: in powers of two
 */
export function commonLossRows(batches: readonly MicroBatch<ScoreRequest>[], step?: number): number {
  const most = batches.reduce((sofar, { count }) => Math.max(sofar, count), 0);
  return step === undefined ? powerOf(2, most) : Math.ceil(most / step) * step;
}

/** The least power of a base that is no less; 0 for 0. */
function powerOf(base: number, count: number): number {
  let power = Math.min(1, count);
  while (power < count) power *= base;
  return power;
}

/** Where graphs run: by ONNX Runtime on the CPU, on a GPU, or compiled before their first run. */
type GraphPlace = 'processor' | 'device' | 'compiled';

/** The sizes of a call. @param microBatchTokens computed tokens of a micro-batch */
export function commonSizes(
  batches: readonly MicroBatch<ScoreRequest>[],
  place: GraphPlace,
  microBatchTokens: number,
): { readonly layout: PackedRows['layout']; readonly lossRows: number } {
  if (place === 'compiled') {
    const step = Math.max(1, Math.floor(microBatchTokens / COMPILED_LOSS_STEPS));
    return {
      layout: commonLayout(batches, { blockRows: COMPILED_BLOCK_ROWS, isCoarse: true }),
      lossRows: commonLossRows(batches, step),
    };
  }
  const isDevice = place === 'device';
  return {
    layout: commonLayout(batches, { blockRows: isDevice ? DEVICE_BLOCK_ROWS : undefined }),
    lossRows: Math.max(isDevice ? DEVICE_LOSS_ROWS : 0, commonLossRows(batches)),
  };
}
