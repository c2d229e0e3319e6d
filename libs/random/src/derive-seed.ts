/**
 * @file Derives seeds by name: the seed of every stream of a run is a hash of its address (run, split, environment, group,
 * …), so no two consumers share one and none depends on how often another draws. Two 32-bit murmur3 lanes with different
 * constants, folded and finalised at the end.
 */
import { mixWord } from './words.js';

const number64 = new Float64Array(1);
const words = new Uint32Array(number64.buffer);

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/**
 * Derives a seed from the parts of an address, e.g. `deriveSeed(spec.seed, 'train', step, group, 'state')`.
 *
 * The order, types and boundaries of the parts matter: `('ab', 'c')` and `('a', 'bc')` differ, as do `(1)` and `('1')`.
 *
 * @param parts at least one; numbers must be finite
 * @returns an integer in 0..2^32-1, the same on every machine
 * @throws RangeError on NaN or infinity
 */
export function deriveSeed(...parts: (string | number)[]): number {
  let first = 0x9e3779b9 | 0;
  let second = 0x7f4a7c15 | 0;
  const absorb = (word: number): void => {
    first =
      Math.imul(rotate(first ^ Math.imul(rotate(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593), 13), 5) +
      0xe6546b64;
    second =
      Math.imul(rotate(second ^ Math.imul(rotate(Math.imul(word, 0x85ebca6b), 16), 0xc2b2ae35), 17), 9) +
      0x561ccd1b;
  };
  for (const part of parts) {
    if (typeof part === 'number') {
      if (!Number.isFinite(part))
        throw new RangeError(`deriveSeed: a part is ${part}; expected finite numbers and strings`);
      number64[0] = part + 0; // -0 becomes 0
      absorb(1);
      absorb(words[0]!);
      absorb(words[1]!);
    } else {
      absorb(2);
      absorb(part.length);
      for (let i = 0; i < part.length; i++) absorb(part.charCodeAt(i));
    }
  }
  absorb(parts.length);
  return mixWord(mixWord(first) ^ rotate(mixWord(second), 11));
}
