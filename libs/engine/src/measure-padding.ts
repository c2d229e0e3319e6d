/** @file How sequences would be cut for training and scoring, and how much of what is computed is padding. */
import type { ScoreRequest } from '@espalier/contracts';
import { planMicroBatches } from './micro-batches.js';

/** The computed part of one micro-batch. */
export interface PlannedMicroBatch {
  readonly rows: number; // B
  readonly length: number; // T
  /** counted positions */
  readonly count: number; // N
}

export interface PaddingReport {
  readonly microBatches: readonly PlannedMicroBatch[];
  /** of the sequences */
  readonly tokens: number;
  /** that run through the model: B·T of all micro-batches */
  readonly computedTokens: number;
  /** share of computed tokens that are padding, in 0..1 */
  readonly share: number;
}

/**
 * Plans micro-batches without running them.
 *
 * @param microBatchTokens padded tokens of a micro-batch
 */
export function measurePadding(requests: readonly ScoreRequest[], microBatchTokens: number): PaddingReport {
  const planned = planMicroBatches(requests, { tokens: microBatchTokens, contextLength: Infinity });
  const microBatches = planned.map(({ items, length, count }) => ({ rows: items.length, length, count }));
  const tokens = planned.reduce(
    (sum, { items }) => sum + items.reduce((own, { request }) => own + request.tokens.length, 0),
    0,
  );
  const computedTokens = microBatches.reduce((sum, { rows, length }) => sum + rows * length, 0);
  const share = computedTokens === 0 ? 0 : 1 - tokens / computedTokens;
  return { microBatches, tokens, computedTokens, share };
}
