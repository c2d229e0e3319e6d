/** @file What the models of a run hold between micro-batches, and what of it a checkpoint saves. */
import type { RunSpec } from '@espalier/contracts';
import { listSamplingWeights, type ModelConfig, parameterShapes } from '@espalier/model';
import { baseBytes, type BaseDtype, loraShapes, resolveLora } from '@espalier/model/adapters';
import { isQuantized, isRounded } from '@espalier/model/quantized';

const FLOAT_BYTES = 4;
const BFLOAT16_BYTES = 2;
/** Output head, where it is a matrix of its own. */
const HEAD = 'lm_head';
/** A weight with its gradient and two moments. */
const TRAINED_BYTES = 4 * FLOAT_BYTES;
/** A weight with two moments. */
const SAVED_BYTES = 3 * FLOAT_BYTES;

export interface HeldWeights {
  /** of the policy */
  readonly trainedParameters: number;
  /** bytes: weights, gradients and moments of policy, critics and reference */
  readonly weightBytes: number;
  /** bytes: weights that sampling computes: from adapters and their base, or by rounding */
  readonly mergedBytes: number;
  /** bytes: weights and moments of policy and critics */
  readonly checkpointBytes: number;
}

/** Counts the weights of a run. With adapters, its models share the frozen ones. */
export function countWeights(
  {
    lora,
    device,
    rollout,
  }: Pick<RunSpec, 'lora'> & {
    readonly device?: Pick<RunSpec['device'], 'sampling'> | undefined;
    readonly rollout?: Pick<RunSpec['rollout'], 'ahead'>;
  },
  config: ModelConfig,
  has: { /** how many */ readonly critics: number; readonly reference: boolean },
): HeldWeights {
  const all = countEntries(parameterShapes(config));
  const shape = lora === undefined ? undefined : resolveLora(config, lora);
  const adapters = shape === undefined ? all : countEntries(loraShapes(config, shape));
  const isHeadAdapted = shape?.targets.includes(HEAD) === true;
  const { vocabularySize, hiddenSize } = config.shape;
  // a critic has no output head
  const ofHead = isHeadAdapted ? shape.rank * (vocabularySize + hiddenSize) : 0;
  const ofCritic = { adapter: adapters - ofHead, head: config.shape.hiddenSize, model: all };
  const critics = has.critics * ofCritic[lora?.critic ?? 'model'];
  const frozenBytes =
    lora === undefined ? (has.reference ? FLOAT_BYTES * all : 0) : baseBytes(config, lora.baseDtype);
  const isAhead = (rollout?.ahead ?? 0) > 0;
  const merged = lora === undefined ? 0 : FLOAT_BYTES * countMerged(config, lora.baseDtype, isHeadAdapted);
  const mergedBytes = {
    float32: merged,
    bf16: countInBf16(config),
    int8: countInInt8(config, lora?.baseDtype ?? 'float32'),
  }[device?.sampling ?? 'float32'];
  return {
    trainedParameters: adapters,
    // sampling ahead has weights of its own
    weightBytes: TRAINED_BYTES * (adapters + critics) + frozenBytes + (isAhead ? FLOAT_BYTES * adapters : 0),
    mergedBytes: isAhead ? 2 * mergedBytes : mergedBytes,
    checkpointBytes: SAVED_BYTES * (adapters + critics),
  };
}

/** Bytes of a number in the cache, which WebGPU copies in each step. */
export function cachedBytes({ sampling, provider }: Partial<RunSpec['device']>): number {
  const bytes = sampling === 'bf16' ? BFLOAT16_BYTES : FLOAT_BYTES;
  return provider === 'webgpu' ? 2 * bytes : bytes;
}

/** Bytes of tables and matrices in bf16; a head that is tied to the embedding is the same. */
function countInBf16(config: ModelConfig): number {
  const rounded = [...listSamplingWeights(config).values()].filter(isRounded);
  const sizes = new Map(
    rounded.map(({ parts, shape: [rows = 0, columns = 0] }) => [parts.join(), rows * columns]),
  );
  return BFLOAT16_BYTES * [...sizes.values()].reduce((a, b) => a + b, 0);
}

/** Bytes of matrices in int8 with their scales, and of the table of a base in fewer bits, which is looked up in float32. */
function countInInt8(config: ModelConfig, base: BaseDtype): number {
  const rounded = [...listSamplingWeights(config).values()].filter(isQuantized);
  const { vocabularySize, hiddenSize } = config.shape;
  return (
    rounded.reduce((total, { shape: [rows = 0, columns = 0] }) => total + rows * int8RowBytes(columns), 0) +
    (base === 'float32' ? 0 : FLOAT_BYTES * vocabularySize * hiddenSize)
  );
}

/** Blocks of 32 codes, each with a scale. */
const int8RowBytes = (columns: number): number => Math.ceil(columns / 32) * (32 + FLOAT_BYTES);

/**
 * Matrices of the layers; those that no adapter changes are few, or joined with others. Of a base in fewer bits the tables
 * over the vocabulary too, and of any base an adapted head.
 */
function countMerged(config: ModelConfig, base: BaseDtype, isHeadAdapted: boolean): number {
  const { vocabularySize, hiddenSize } = config.shape;
  const matrices = [...parameterShapes(config)].filter(
    ([name, [rows, width]]) =>
      width !== undefined &&
      (base !== 'float32' ||
        !(rows === vocabularySize && width === hiddenSize) ||
        (isHeadAdapted && name === `${HEAD}.weight`)),
  );
  return matrices.reduce((total, [, shape]) => total + shape.reduce((a, b) => a * b, 1), 0);
}

function countEntries(shapes: ReadonlyMap<string, readonly number[]>): number {
  return [...shapes.values()].reduce((total, shape) => total + shape.reduce((a, b) => a * b, 1), 0);
}
