/** @file Whether training recomputes layers: it costs time, so only where memory would not suffice otherwise. */
import { totalmem } from 'node:os';
import { estimateModel, type ModelConfig } from '@espalier/model';

export type RecomputeMode = 'auto' | 'on' | 'off';

/** What the choice depends on. */
export interface MemoryNeeds {
  readonly config: ModelConfig;
  readonly microBatchTokens: number;
  /** all numbers of the policy, trained or not */
  readonly parameterCount: number;
  readonly trainedCount: number;
  /** most that the process may hold */
  readonly memoryBytes: number;
}

/** Tokens of a sequence, for the part of a micro-batch that grows with it. */
const TYPICAL_LENGTH = 1024;
/** Memory that the runtime takes for one live byte. */
const ARENA_SHARE = 1.3;
/** Weights, gradients, two moments, and two copies of gradients that the binding hands back. */
const COPIES_OF_TRAINED = 6;
/** What is left to caches, references and other programs. */
const USABLE_SHARE = 0.8;

/** The memory of this machine, or of the container that this process runs in. */
export function machineBytes(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** Tells whether layers are recomputed. */
export function chooseRecompute(mode: RecomputeMode, needs: MemoryNeeds): boolean {
  if (mode !== 'auto') return mode === 'on';
  const { config, microBatchTokens, parameterCount, trainedCount, memoryBytes } = needs;
  const { activationBytes } = estimateModel(config, {
    batchTokens: microBatchTokens,
    contextLength: Math.min(TYPICAL_LENGTH, config.shape.contextLength),
    rows: 1,
  });
  const frozen = Math.max(0, parameterCount - trainedCount);
  const held = 4 * (COPIES_OF_TRAINED * trainedCount + frozen);
  return held + ARENA_SHARE * activationBytes > USABLE_SHARE * memoryBytes;
}
