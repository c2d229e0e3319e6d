/**
 * @file Weights of sampling graphs in int8: blocks of 32 along a row, each with the scale largest size / 127. Made from
 * the model's weights whenever these change, and never trained. Blocks of 32 instead of whole rows: docs/use/sampling.md.
 */
import { QUANTIZED_BLOCK, QUANTIZED_ZERO } from '@espalier/graph';
import type { ModelConfig } from './families/model-family.js';
import {
  listSamplingWeights,
  type ParameterSource,
  readParts,
  type SamplingWeight,
} from './sampling-weights.js';

/** Codes and scales of a matrix [rows, columns]. */
export interface QuantizedMatrix {
  readonly codes: Uint8Array; // [rows, blocks, 32]
  readonly scales: Float32Array; // [rows, blocks]
}

/** Memory for codes and scales. */
export interface QuantizedMemory {
  allocate(length: number): Float32Array;
  allocateBytes(length: number): Uint8Array;
}

/** What a weight in int8 is called: its codes have its own name. */
export const quantizedScales = (name: string): string => `${name}:scales`;

/** Whether sampling in int8 holds a weight in it: matrices are, tables that are looked up and vectors are not. */
export const isQuantized = ({ kind }: Pick<SamplingWeight, 'kind'>): boolean =>
  kind === 'matrix' || kind === 'head';

/** Blocks of a row. */
export const blocksOf = (columns: number): number => Math.ceil(columns / QUANTIZED_BLOCK);

/** Largest distance of a code from that of zero. */
const MOST = 127;

/**
 * Rounds rows of a matrix to the nearest code, halves upwards. Places behind a row that no block is full of get the code
 * of zero.
 *
 * @param values [rows, columns]
 * @param into   codes and scales of these rows
 */
export function quantizeRows(
  values: Float32Array,
  columns: number,
  { codes, scales }: QuantizedMatrix,
): void {
  const blocks = blocksOf(columns);
  let from = 0;
  for (let block = 0; block < scales.length; block += 1) {
    const length = Math.min(QUANTIZED_BLOCK, columns - (block % blocks) * QUANTIZED_BLOCK);
    const start = block * QUANTIZED_BLOCK;
    let largest = 0;
    for (let i = 0; i < length; i += 1) {
      const size = Math.abs(values[from + i] as number);
      if (!(size <= largest)) largest = size;
    }
    const scale = Math.fround(largest / MOST);
    scales[block] = scale;
    if (scale > 0)
      // a sum above 0, so that cutting off digits rounds down
      for (let i = 0; i < length; i += 1)
        codes[start + i] = (values[from + i] as number) / scale + QUANTIZED_ZERO + 0.5;
    else codes.fill(QUANTIZED_ZERO, start, start + length);
    if (length < QUANTIZED_BLOCK) codes.fill(QUANTIZED_ZERO, start + length, start + QUANTIZED_BLOCK);
    from += length;
  }
}

/** Rounds all matrices of a model for sampling; each is read once, and no other copy of it is kept. */
export async function quantizeSamplingWeights(
  config: ModelConfig,
  source: ParameterSource,
  memory: QuantizedMemory,
): Promise<Map<string, QuantizedMatrix>> {
  const weights = [...listSamplingWeights(config)].filter(([, weight]) => isQuantized(weight));
  const quantized = new Map<string, QuantizedMatrix>();
  for (const [name, { shape, parts }] of weights) {
    const [rows = 0, columns = 0] = shape;
    const blocks = blocksOf(columns);
    const codes = memory.allocateBytes(rows * blocks * QUANTIZED_BLOCK);
    const scales = memory.allocate(rows * blocks);
    await readParts(config, source, parts, (values, start) => {
      const [from, to] = [start, start + values.length].map((entry) => (entry / columns) * blocks);
      quantizeRows(values, columns, {
        codes: codes.subarray((from as number) * QUANTIZED_BLOCK, (to as number) * QUANTIZED_BLOCK),
        scales: scales.subarray(from, to),
      });
    });
    quantized.set(name, { codes, scales });
  }
  return quantized;
}
