/** @file How sequences would be cut for training and scoring, and how much of what is computed is padding. */
import type { ScoreRequest } from '@espalier/contracts';
import type { PackedRows } from '@espalier/model';
import { commonSizes } from './common-sizes.js';
import { packMicroBatch } from './micro-batch-feeds.js';
import { planMicroBatches, ROWS_PER_MICRO_BATCH } from './micro-batches.js';

/** The computed part of one micro-batch. */
export interface PlannedMicroBatch {
  readonly layout: PackedRows['layout'];
  /** numbers behind the named sizes of graphs over packed rows */
  readonly sizes: Readonly<Record<string, number>>;
  /** loss positions */
  readonly count: number; // N
  /** those of the largest micro-batch, for graphs that have their number built in */
  readonly lossRows: number;
}

export interface PaddingReport {
  readonly microBatches: readonly PlannedMicroBatch[];
  /** of the sequences */
  readonly tokens: number;
  /** that run through the model: what sequences share once, what nothing depends on not at all */
  readonly computedTokens: number;
  /** share of computed tokens that are padding, in 0..1 */
  readonly share: number;
  /** share of the places that attention runs over that are padding, in 0..1 */
  readonly placeShare: number;
}

/** Cost of attention relative to dense products in a model of a few million parameters. */
const TYPICAL_ROWS_PER_PAIR = 0.0025;

/**
 * Plans micro-batches without running them.
 *
 * @param microBatchTokens computed tokens of a micro-batch
 */
export function measurePadding(requests: readonly ScoreRequest[], microBatchTokens: number): PaddingReport {
  const batches = planMicroBatches(requests, {
    tokens: microBatchTokens,
    rowsPerPair: TYPICAL_ROWS_PER_PAIR,
    rowsPerMicroBatch: ROWS_PER_MICRO_BATCH,
  });
  const { layout: common, lossRows } = commonSizes(batches, 'processor', microBatchTokens);
  const planned = batches.map((batch) => ({
    batch,
    packed: packMicroBatch(batch, { query: 1, key: 1 }, 0, common),
  }));
  const microBatches = planned.map(({ batch: { count }, packed }) => {
    const { layout } = packed;
    return { layout, sizes: sizesOf(packed, count), count, lossRows };
  });
  const computedTokens = planned.reduce((sum, { packed }) => sum + packed.rowCount, 0);
  const padded = planned.reduce((sum, { packed }) => sum + packed.paddedRows, 0);
  const places = planned.reduce((sum, { packed }) => sum + packed.placeCount, 0);
  return {
    microBatches,
    tokens: requests.reduce((sum, { tokens }) => sum + tokens.length, 0),
    computedTokens,
    share: computedTokens === 0 ? 0 : padded / computedTokens,
    placeShare: places === 0 ? 0 : 1 - (computedTokens - padded) / places,
  };
}

function sizesOf({ rowCount, feeds }: PackedRows, count: number): Record<string, number> {
  const [groups, groupSize, , own] = feeds['own_grid']?.shape as [number, number, number, number];
  const prefix = feeds['prefix_grid']?.shape[2];
  return {
    U: rowCount,
    P: groups,
    G: groupSize,
    R: own,
    N: count,
    ...(prefix === undefined ? {} : { Q: prefix }),
  };
}
