/**
 * @file The draws of CPython's `random.Random(seed)`, bit for bit. Not here: distributions beyond the uniform.
 * Source: behaviour of CPython 3.11; checked against test/golden/random.
 */
import { MersenneTwister } from './mersenne-twister.js';
import { unitFromWords } from './words.js';

/** CPython's generator. */
export class PythonRandom {
  private readonly source: MersenneTwister;

  /** @param seed integer; its sign is ignored, as in Python */
  constructor(seed: number) {
    const magnitude = Math.abs(seed);
    if (!Number.isSafeInteger(magnitude))
      throw new RangeError(`PythonRandom: seed ${seed}; expected an integer`);
    const high = Math.floor(magnitude / 4294967296);
    this.source = MersenneTwister.fromWords(high === 0 ? [magnitude] : [magnitude >>> 0, high]);
  }

  /** `random()`: a number in [0, 1) with 53 bits. */
  random(): number {
    const high = this.source.next();
    return unitFromWords(high, this.source.next());
  }

  /** `getrandbits(bits)` for 1..32 bits. */
  bits(bits: number): number {
    return this.source.next() >>> (32 - bits);
  }

  /** `_randbelow(count)`: an integer in 0..count-1; also the index drawn by `choice` and `sample(list, 1)`. */
  below(count: number): number {
    const bits = 32 - Math.clz32(count);
    let draw = this.bits(bits);
    while (draw >= count) draw = this.bits(bits);
    return draw;
  }

  /** `randint(low, high)`, both ends included. */
  integer(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** `shuffle(items)`, in place. */
  shuffle(items: unknown[]): void {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j], items[i]];
    }
  }
}
