/**
 * @file Weights of sampling graphs in int8: blocks of 32 along a row, each with the scale largest size / 127. Made from
 * the model's weights whenever these change, and never trained. Blocks of 32 instead of whole rows: docs/use/sampling.md.
 */
import { QUANTIZED_BLOCK, QUANTIZED_ZERO } from '@espalier/graph';
import type { ModelConfig } from './families/model-family.js';
import { parameterShapes } from './model-weights.js';
import { listSamplingWeights, type ParameterSource, type SamplingWeight } from './sampling-weights.js';

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
  const shapes = parameterShapes(config);
  const quantized = new Map<string, QuantizedMatrix>();
  let scratch = new Float32Array(0);
  for (const [name, weight] of listSamplingWeights(config)) {
    if (!isQuantized(weight)) continue;
    const [rows = 0, columns = 0] = weight.shape;
    const blocks = blocksOf(columns);
    const codes = memory.allocateBytes(rows * blocks * QUANTIZED_BLOCK);
    const scales = memory.allocate(rows * blocks);
    let row = 0;
    for (const part of weight.parts) {
      const [partRows = 0] = shapes.get(part) ?? [];
      const size = partRows * columns;
      let values = source.find(part);
      if (values === undefined) {
        if (scratch.length < size) scratch = new Float32Array(size);
        values = scratch.subarray(0, size);
        await source.write(part, values);
      }
      const end = row + partRows;
      quantizeRows(values, columns, {
        codes: codes.subarray(row * blocks * QUANTIZED_BLOCK, end * blocks * QUANTIZED_BLOCK),
        scales: scales.subarray(row * blocks, end * blocks),
      });
      row = end;
    }
    quantized.set(name, { codes, scales });
  }
  return quantized;
}
