/**
 * @file A sequential stream for everything that need not match another system: xoshiro128**
 * (Blackman and Vigna 2018), seeded by a Weyl sequence through murmur3's finaliser.
 */
import { mixWord, multiplyHigh, unitFromWords } from './words.js';

/** State of a stream as plain JSON: four uint32 numbers. */
export type StreamState = readonly [number, number, number, number];

/** A seeded sequence of random choices. */
export interface RandomStream {
  /** The next 32 bits as an integer. */
  word(): number;
  /** A number in [0, 1) with 53 random bits. */
  next(): number;
  /** An integer in 0..count-1, without bias; count in 1..2^32-1. */
  int(count: number): number;
  /** One of the items, each equally likely. */
  pick<T>(items: readonly T[]): T;
  /** A new array with the items in random order. */
  shuffle<T>(items: readonly T[]): T[];
  /** An index, drawn with probability proportional to its weight (≥ 0, not all 0). */
  choice(weights: readonly number[]): number;
  /** The state, to be given to {@link restoreStream}. */
  state(): StreamState;
}

/** Creates a stream from a seed (integer in 0..2^32-1). */
export function createStream(seed: number): RandomStream {
  const word = (place: number): number => mixWord((seed + Math.imul(place, 0x9e3779b9)) | 0);
  return restoreStream([word(1), word(2), word(3), word(4) | 1]);
}

/** Goes on from a saved state: the restored stream gives the numbers the saved one would have given. */
export function restoreStream(state: StreamState): RandomStream {
  let [a, b, c, d] = state;
  const rotate = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));
  const word = (): number => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
  const next = (): number => unitFromWords(word(), word());
  const int = (count: number): number => drawBelow(word, count);
  return {
    word,
    next,
    int,
    pick: (items) => {
      if (items.length === 0) throw new RangeError('pick: the list is empty; expected at least one item');
      return items[int(items.length)]!;
    },
    shuffle: (items) => {
      const shuffled = [...items];
      for (let i = shuffled.length - 1; i > 0; i--) {
        const j = int(i + 1);
        [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
      }
      return shuffled;
    },
    choice: (weights) => drawWeighted(next(), weights),
    state: () => [a >>> 0, b >>> 0, c >>> 0, d >>> 0],
  };
}

/** Lemire's multiply-and-reject: an unbiased integer below `count` from 32-bit words. */
export function drawBelow(word: () => number, count: number): number {
  if (!(count >= 1 && count <= 0xffffffff && Number.isInteger(count))) {
    throw new RangeError(`int: ${count} choices; expected an integer in 1..4294967295`);
  }
  let draw = word();
  let low = Math.imul(draw, count) >>> 0;
  if (low < count) {
    const threshold = (4294967296 - count) % count;
    while (low < threshold) {
      draw = word();
      low = Math.imul(draw, count) >>> 0;
    }
  }
  // below 2^21 the product is exact
  return count < 2097152 ? Math.floor((draw * count) / 4294967296) : multiplyHigh(draw, count);
}

function drawWeighted(uniform: number, weights: readonly number[]): number {
  let total = 0;
  for (const weight of weights) {
    if (!(weight >= 0 && weight < Infinity))
      throw new RangeError(`choice: a weight is ${weight}; expected finite numbers ≥ 0`);
    total += weight;
  }
  if (!(total > 0)) throw new RangeError('choice: all weights are 0; expected at least one above 0');
  let left = uniform * total;
  let last = 0;
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    if (left < weight) return index;
    left -= weight;
    last = index;
  }
  return last; // rounding left a remainder
}
