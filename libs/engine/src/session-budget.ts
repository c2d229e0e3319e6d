/**
 * @file How many sessions over sequences are kept. Each holds the memory of its largest micro-batch for the next run,
 * because fresh pages cost about as much as the arithmetic of a small model; so few are kept of large models.
 * Measured for the seedling, PPO (values, policy, critic) on 48 sequences of 130–320 tokens: 9.3 CPU seconds with 4
 * sessions of 8,192 tokens (3.0 GB), 5.4 with 16 of 4,096 (2.2 GB), 4.6 with 16 of 2,048 (1.5 GB), 5.3 without keeping
 * memory (0.4 GB). Bringing all sequences to two widths gained nothing.
 */
import { estimateModel, type ModelConfig } from '@espalier/model';

/** bytes that kept sessions may hold together, about */
const KEPT_BYTES = 2.5e9;
const MOST_SESSIONS = 16;
/** tokens of a sequence, for the part of a micro-batch that grows with it */
const TYPICAL_LENGTH = 512;

/** Share of a device's memory that they may hold: making a session again takes longer there than most of its runs. */
const KEPT_SHARE = 0.4;

/** A device that computes. */
interface SessionDevice {
  /** its memory */
  readonly bytes: number;
  /** layers are computed a second time instead of keeping their activations */
  readonly recomputes: boolean;
}

/** Tells how many sessions to keep; at least the one that runs. */
export function estimateKeptSessions(
  config: ModelConfig,
  microBatchTokens: number,
  device?: SessionDevice,
): number {
  const { activationBytes, recomputedActivationBytes } = estimateModel(config, {
    batchTokens: microBatchTokens,
    contextLength: Math.min(TYPICAL_LENGTH, config.shape.contextLength),
    rows: 1,
  });
  const keptBytes = device === undefined ? KEPT_BYTES : KEPT_SHARE * device.bytes;
  const bytes = device?.recomputes === true ? recomputedActivationBytes : activationBytes;
  return Math.max(1, Math.min(MOST_SESSIONS, Math.floor(keptBytes / bytes)));
}

/** bytes of weights from which on memory is worth more than the seconds that it costs to fill it again */
const LARGE_BYTES = 2 ** 28;

/** Share of a device's memory from which on the same holds there. */
const LARGE_SHARE = 1 / 16;

/** Tells whether sampling and training of a model give their memory back to each other. */
export function isLargeModel(config: ModelConfig, deviceBytes?: number): boolean {
  const { weightBytes } = estimateModel(config, { batchTokens: 1, contextLength: 1, rows: 1 });
  return weightBytes > (deviceBytes === undefined ? LARGE_BYTES : LARGE_SHARE * deviceBytes);
}
