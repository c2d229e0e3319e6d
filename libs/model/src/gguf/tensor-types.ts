/** @file The number formats of GGUF tensors by their id in a file: those that are read, and names of the others. */
import {
  type Dequantize,
  dequantizeBf16,
  dequantizeF16,
  dequantizeF32,
  dequantizeQ4_0,
  dequantizeQ4_1,
  dequantizeQ4_K,
  dequantizeQ5_0,
  dequantizeQ5_1,
  dequantizeQ5_K,
  dequantizeQ6_K,
  dequantizeQ8_0,
} from './dequantize.js';

/** A number format; a row is stored in blocks. */
export interface TensorType {
  readonly name: string;
  /** numbers in a block */
  readonly blockSize: number;
  readonly blockBytes: number;
  readonly dequantize: Dequantize;
}

const type = (name: string, blockSize: number, blockBytes: number, dequantize: Dequantize): TensorType => ({
  name,
  blockSize,
  blockBytes,
  dequantize,
});

/** Formats that are read. */
export const tensorTypes: ReadonlyMap<number, TensorType> = new Map([
  [0, type('F32', 1, 4, dequantizeF32)],
  [1, type('F16', 1, 2, dequantizeF16)],
  [2, type('Q4_0', 32, 18, dequantizeQ4_0)],
  [3, type('Q4_1', 32, 20, dequantizeQ4_1)],
  [6, type('Q5_0', 32, 22, dequantizeQ5_0)],
  [7, type('Q5_1', 32, 24, dequantizeQ5_1)],
  [8, type('Q8_0', 32, 34, dequantizeQ8_0)],
  [12, type('Q4_K', 256, 144, dequantizeQ4_K)],
  [13, type('Q5_K', 256, 176, dequantizeQ5_K)],
  [14, type('Q6_K', 256, 210, dequantizeQ6_K)],
  [30, type('BF16', 1, 2, dequantizeBf16)],
]);

const unsupported: Readonly<Record<number, string>> = {
  9: 'Q8_1', 10: 'Q2_K', 11: 'Q3_K', 15: 'Q8_K', 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S', 20: 'IQ4_NL',
  21: 'IQ3_S', 22: 'IQ2_S', 23: 'IQ4_XS', 24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64', 29: 'IQ1_M', 34: 'TQ1_0',
  35: 'TQ2_0', 39: 'MXFP4',
}; // prettier-ignore

/** Names a format that is not read. */
export const unsupportedTypeName = (id: number): string => unsupported[id] ?? `number ${id}`;

/** Finds the id and format of a name. */
export function tensorTypeNamed(name: string): readonly [id: number, type: TensorType] {
  const found = [...tensorTypes].find(([, one]) => one.name === name);
  if (found === undefined) throw new RangeError(`GGUF tensor type "${name}" does not exist`);
  return found;
}
