/**
 * @file The order of rows of rotated projections. Hugging Face rotates dimension i of a head with i + d/2, llama.cpp
 * rotates 2i with 2i + 1, so files of Llama have the rows of each head in that order.
 */

/** Puts the rows of one head from pairs to halves. */
export function fromInterleaved(head: Float32Array, headSize: number, width: number): Float32Array {
  return reorder(head, headSize, width, (row) => (row < headSize / 2 ? 2 * row : 2 * row - headSize + 1));
}

/** Puts the rows of one head from halves to pairs. */
export function toInterleaved(head: Float32Array, headSize: number, width: number): Float32Array {
  return reorder(head, headSize, width, (row) => (row % 2 === 0 ? row / 2 : (row - 1 + headSize) / 2));
}

function reorder(
  head: Float32Array,
  headSize: number,
  width: number,
  sourceOf: (row: number) => number,
): Float32Array {
  const result = new Float32Array(head.length);
  for (let row = 0; row < headSize; row++) {
    const from = sourceOf(row) * width;
    result.set(head.subarray(from, from + width), row * width);
  }
  return result;
}
