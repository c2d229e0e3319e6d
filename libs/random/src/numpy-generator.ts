/**
 * @file The draws of `numpy.random.Generator(PCG64(SeedSequence(seed)))`, which is also Gymnasium's `np_random`,
 * bit for bit. The 128-bit state is four 32-bit words, lowest first: no BigInt, so a draw costs tens of nanoseconds.
 * Source: O'Neill 2014 (PCG XSL-RR 128/64); behaviour of NumPy 1.24; checked against test/golden/random.
 */
import { fillSeedWords } from './seed-sequence.js';
import { drawBelow } from './stream.js';

const M0 = 0x9fccf645;
const M1 = 0x4385df64;
const M2 = 0x1fc65da4;
const M3 = 0x2360ed05;

/** Scratch of the constructor: four uint64, low half first. */
const seedWords = new Uint32Array(8);

/** State of a generator as plain JSON: state words, increment words, buffered half-word or -1. */
export type NumpyGeneratorState = readonly number[];

/** Scale of a column beside the next one. */
const COLUMN = 2 ** -32;

const carryOf = (sum: number): number => Math.floor(sum * COLUMN);

/**
 * The high bits of one to three products of uint32, added, whose low ones are known: a float64 is off by less than 2^13, so
 * what is left without the low bits is within that of a multiple of 2^32.
 */
const highOf = (products: number, low: number): number => Math.floor((products - low) * COLUMN + 0.5);

/** NumPy's default generator. */
export class NumpyGenerator {
  // all words as int32, which a field holds without an object of its own
  private s0 = 0;
  private s1 = 0;
  private s2 = 0;
  private s3 = 0;
  private i0 = 0;
  private i1 = 0;
  private i2 = 0;
  private i3 = 0;
  /** whether the high half of the last 64-bit draw waits for the next 32-bit draw */
  private isBuffered = false;
  private buffered = 0;
  private high = 0;
  private low = 0;
  private readonly half = (): number => this.next32();

  /** @param seed integer in 0..2^53-1 */
  constructor(seed: number) {
    this.seed(seed);
  }

  /** Begins again as a new generator of this seed would. */
  seed(seed: number): void {
    const words = fillSeedWords(seed, seedWords);
    this.i0 = (words[6]! << 1) | 1;
    this.i1 = (words[7]! << 1) | (words[6]! >>> 31);
    this.i2 = (words[4]! << 1) | (words[7]! >>> 31);
    this.i3 = (words[5]! << 1) | (words[4]! >>> 31);
    this.s0 = this.s1 = this.s2 = this.s3 = 0;
    this.isBuffered = false;
    // a step from 0 is the increment alone
    this.add(this.i0, this.i1, this.i2, this.i3);
    this.add(words[2]!, words[3]!, words[0]!, words[1]!);
    this.step();
  }

  /** `random()`: a number in [0, 1) with 53 bits; leaves the buffered half-word alone. */
  random(): number {
    this.draw();
    return ((this.high >>> 0) * 2097152 + (this.low >>> 11)) / 9007199254740992; // (next64 >> 11) · 2^-53
  }

  /** `integers(count)`: an integer in 0..count-1; a count of 1 draws nothing. */
  integer(count: number): number {
    return count === 1 ? 0 : drawBelow(this.half, count);
  }

  /** The next 32 bits: the low half of a fresh draw, then its high half. */
  next32(): number {
    if (this.isBuffered) {
      this.isBuffered = false;
      return this.buffered >>> 0;
    }
    this.draw();
    this.isBuffered = true;
    this.buffered = this.high;
    return this.low >>> 0;
  }

  /** `choice(len(p), p=p)`: the index whose part of the cumulated probabilities a uniform falls into. */
  choice(probabilities: readonly number[]): number {
    const uniform = this.random();
    let total = 0;
    for (const probability of probabilities) total += probability;
    let cumulated = 0;
    for (let i = 0; i < probabilities.length - 1; i++) {
      cumulated += probabilities[i]!;
      if (uniform < cumulated / total) return i;
    }
    return probabilities.length - 1;
  }

  /** The state as plain JSON. */
  state(): NumpyGeneratorState {
    const words = [this.s0, this.s1, this.s2, this.s3, this.i0, this.i1, this.i2, this.i3];
    return [...words.map((word) => word >>> 0), this.isBuffered ? this.buffered >>> 0 : -1];
  }

  /** Restores a saved state. */
  restore(state: NumpyGeneratorState): void {
    const [s0 = 0, s1 = 0, s2 = 0, s3 = 0, i0 = 0, i1 = 0, i2 = 0, i3 = 0, buffered = -1] = state;
    this.s0 = s0 | 0;
    this.s1 = s1 | 0;
    this.s2 = s2 | 0;
    this.s3 = s3 | 0;
    this.i0 = i0 | 0;
    this.i1 = i1 | 0;
    this.i2 = i2 | 0;
    this.i3 = i3 | 0;
    this.isBuffered = buffered >= 0;
    this.buffered = buffered | 0;
  }

  /** One 64-bit draw into `high` and `low`: a step, then the folded state rotated by its top six bits. */
  private draw(): void {
    this.step();
    const folded0 = this.s0 ^ this.s2;
    const folded1 = this.s1 ^ this.s3;
    const rotation = this.s3 >>> 26;
    const swapped = rotation >= 32;
    const low = swapped ? folded1 : folded0;
    const high = swapped ? folded0 : folded1;
    const bits = rotation & 31;
    if (bits === 0) {
      this.low = low;
      this.high = high;
    } else {
      this.low = (low >>> bits) | (high << (32 - bits));
      this.high = (high >>> bits) | (low << (32 - bits));
    }
  }

  /** state = state · multiplier + increment, modulo 2^128, column by column; sums of a few uint32 are exact. */
  private step(): void {
    const s0 = this.s0 >>> 0;
    const s1 = this.s1 >>> 0;
    const s2 = this.s2 >>> 0;
    const low0 = Math.imul(s0, M0) >>> 0;
    const low1 = (Math.imul(s0, M1) >>> 0) + (Math.imul(s1, M0) >>> 0);
    const low2 = (Math.imul(s0, M2) >>> 0) + (Math.imul(s1, M1) >>> 0) + (Math.imul(s2, M0) >>> 0);
    const high0 = highOf(s0 * M0, low0);
    const high1 = highOf(s0 * M1 + s1 * M0, low1);
    const high2 = highOf(s0 * M2 + s1 * M1 + s2 * M0, low2);
    const last =
      ((Math.imul(s0, M3) + Math.imul(s1, M2)) | 0) + ((Math.imul(s2, M1) + Math.imul(this.s3, M0)) | 0);
    const t0 = low0 + (this.i0 >>> 0);
    const t1 = carryOf(t0) + high0 + low1 + (this.i1 >>> 0);
    const t2 = carryOf(t1) + high1 + low2 + (this.i2 >>> 0);
    this.s0 = t0 | 0;
    this.s1 = t1 | 0;
    this.s2 = t2 | 0;
    this.s3 = (carryOf(t2) + high2 + last + this.i3) | 0;
  }

  private add(a0: number, a1: number, a2: number, a3: number): void {
    const t0 = (this.s0 >>> 0) + (a0 >>> 0);
    const t1 = (this.s1 >>> 0) + (a1 >>> 0) + (t0 > 0xffffffff ? 1 : 0);
    const t2 = (this.s2 >>> 0) + (a2 >>> 0) + (t1 > 0xffffffff ? 1 : 0);
    this.s0 = t0 | 0;
    this.s1 = t1 | 0;
    this.s2 = t2 | 0;
    this.s3 = (this.s3 + a3 + (t2 > 0xffffffff ? 1 : 0)) | 0;
  }
}
