/**
 * @file 32-bit integer arithmetic that JavaScript lacks.
 */

/** Computes the high 32 bits of the product of two uint32 numbers. No sum here reaches 2^32, so all stay 32-bit integers. */
export function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = (Math.imul(aHigh, bLow) + (Math.imul(aLow, bLow) >>> 16)) | 0;
  const cross = (Math.imul(aLow, bHigh) + (middle & 0xffff)) | 0;
  return (Math.imul(aHigh, bHigh) + (middle >>> 16) + (cross >>> 16)) >>> 0;
}

/** Joins 53 random bits, high part first, into a number in [0, 1). */
export function unitFromWords(high: number, low: number): number {
  return ((high >>> 5) * 67108864 + (low >>> 6)) / 9007199254740992;
}

/** Mixes one 32-bit word so that every input bit moves about half of the output bits (murmur3's finaliser). */
export function mixWord(word: number): number {
  let mixed = word | 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
