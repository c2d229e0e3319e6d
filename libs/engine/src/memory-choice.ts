/**
 * @file What training does with little memory: smaller micro-batches first, because they cost little until they are small;
 * then layers are recomputed, which costs a quarter more time; then micro-batches are made as small as need be.
 */
import { estimateModel, type ModelConfig } from '@espalier/model';
import { baseBytes, type BaseDtype } from '@espalier/model/adapters';

export type RecomputeMode = 'auto' | 'on' | 'off';

/** What the choice depends on. */
export interface MemoryNeeds {
  readonly config: ModelConfig;
  readonly microBatchTokens: number;
  /** all numbers of the policy, trained or not */
  readonly parameterCount: number;
  readonly trainedCount: number;
  /** of weights under adapters */
  readonly baseDtype?: BaseDtype | undefined;
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

/** Tells whether layers are recomputed. */
export function chooseRecompute(mode: RecomputeMode, needs: MemoryNeeds): boolean {
  return mode === 'auto' ? !fits(needs, false) : mode === 'on';
}

/** Micro-batches of fewer tokens are slower. */
const EFFICIENT_TOKENS = 2048;
/** Micro-batches are not made smaller than this. */
export const FEWEST_TOKENS = 64;

/**
 * Chooses the tokens of a micro-batch: as many as wanted, or half as often as memory asks for. Gradients of micro-batches are
 * added up one after the other, so another size gives other last bits: a run keeps what was chosen at its start.
 */
export function chooseMicroBatchTokens(
  mode: RecomputeMode,
  wanted: number,
  needs: Omit<MemoryNeeds, 'microBatchTokens'>,
): number {
  const sizes = [wanted];
  for (let tokens = Math.floor(wanted / 2); tokens > FEWEST_TOKENS; tokens = Math.floor(tokens / 2))
    sizes.push(tokens);
  const least = mode === 'auto' ? Math.min(wanted, EFFICIENT_TOKENS) : 0;
  const find = (tokens: readonly number[], recomputes: boolean): number | undefined =>
    tokens.find((microBatchTokens) => fits({ ...needs, microBatchTokens }, recomputes));
  const kept = mode === 'on' ? [] : sizes.filter((tokens) => tokens >= least);
  const recomputed = mode === 'off' ? [] : sizes.filter((tokens) => mode === 'on' || tokens <= least);
  return find(kept, false) ?? find(recomputed, true) ?? Math.min(wanted, FEWEST_TOKENS);
}

/** Whether training leaves enough memory. */
function fits(
  { config, microBatchTokens, parameterCount, trainedCount, baseDtype, memoryBytes }: MemoryNeeds,
  recomputes: boolean,
): boolean {
  const { activationBytes, recomputedActivationBytes } = estimateModel(config, {
    batchTokens: microBatchTokens,
    contextLength: Math.min(TYPICAL_LENGTH, config.shape.contextLength),
    rows: 1,
  });
  const frozenBytes =
    baseDtype === undefined ? 4 * Math.max(0, parameterCount - trainedCount) : baseBytes(config, baseDtype);
  const held = 4 * COPIES_OF_TRAINED * trainedCount + frozenBytes;
  const activations = recomputes ? recomputedActivationBytes : activationBytes;
  return held + ARENA_SHARE * activations <= USABLE_SHARE * memoryBytes;
}
