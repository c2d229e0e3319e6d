/**
 * @file A counter-based generator: the number at an index does not depend on earlier draws.
 * Philox 2×32 with ten rounds (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3").
 */
import { multiplyHigh } from './words.js';

const MULTIPLIER = 0xd256d193;
const WEYL = 0x9e3779b9;

/**
 * Returns the uniform number at an index of a seed's stream; the sampler uses the token's position as index.
 *
 * @param seed integer in 0..2^32-1
 * @param index integer in 0..2^53-1
 * @returns a multiple of 2^-24 in [0, 1): exact in float32, where a finer number could round up to 1
 */
export function uniformAt(seed: number, index: number): number {
  let left = index >>> 0;
  let right = Math.floor(index / 4294967296) >>> 0;
  let key = seed >>> 0;
  for (let round = 0; round < 10; round++) {
    const high = multiplyHigh(MULTIPLIER, left);
    const low = Math.imul(MULTIPLIER, left) >>> 0;
    left = (high ^ key ^ right) >>> 0;
    right = low;
    key = (key + WEYL) >>> 0;
  }
  return (left >>> 8) / 16777216;
}
