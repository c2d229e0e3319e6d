/**
 * @file The draws of `numpy.random.RandomState(seed)` (and of `numpy.random.seed`), bit for bit: uniforms and
 * integers. Source: behaviour of NumPy 1.24; checked against test/golden/random.
 */
import { MersenneTwister } from './mersenne-twister.js';
import { unitFromWords } from './words.js';

/** NumPy's legacy generator. */
export class NumpyLegacy {
  private readonly source: MersenneTwister;

  /** @param seed integer in 0..2^32-1 */
  constructor(seed: number) {
    this.source = MersenneTwister.fromNumber(seed);
  }

  /** `random_sample()`: a number in [0, 1) with 53 bits. */
  random(): number {
    const high = this.source.next();
    return unitFromWords(high, this.source.next());
  }

  /** `randint(count)`: an integer in 0..count-1; a count of 1 draws nothing. */
  integer(count: number): number {
    if (count <= 1) return 0;
    const mask = 0xffffffff >>> Math.clz32(count - 1);
    let draw = (this.source.next() & mask) >>> 0;
    while (draw >= count) draw = (this.source.next() & mask) >>> 0;
    return draw;
  }
}
