/**
 * @file MT19937 (Matsumoto and Nishimura 1998) with its two ways of seeding. Python seeds by array, NumPy's
 * legacy generator by one number. The draws on top of it are in python-random.ts and numpy-legacy.ts.
 */
const SIZE = 624;
const SHIFT = 397;

/** A source of 32-bit words. */
export class MersenneTwister {
  private readonly words = new Uint32Array(SIZE);
  private place = SIZE;

  /** Seeds by one uint32 number (`init_genrand`). */
  static fromNumber(seed: number): MersenneTwister {
    const twister = new MersenneTwister();
    twister.fill(seed);
    return twister;
  }

  /** Seeds by uint32 words (`init_by_array`). */
  static fromWords(key: readonly number[]): MersenneTwister {
    const twister = new MersenneTwister();
    twister.fill(19650218);
    twister.absorb(key);
    return twister;
  }

  /** Draws 32 bits as an integer in 0..2^32-1. */
  next(): number {
    if (this.place === SIZE) this.twist();
    let word = this.words[this.place++]!;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  private fill(seed: number): void {
    const { words } = this;
    let previous = seed >>> 0;
    words[0] = previous;
    for (let i = 1; i < SIZE; i++) {
      previous = (Math.imul(1812433253, previous ^ (previous >>> 30)) + i) | 0;
      words[i] = previous;
    }
    this.place = SIZE;
  }

  private absorb(key: readonly number[]): void {
    const { words } = this;
    let i = 1;
    let j = 0;
    const wrap = (): void => {
      if (++i >= SIZE) {
        words[0] = words[SIZE - 1]!;
        i = 1;
      }
    };
    for (let k = Math.max(SIZE, key.length); k > 0; k--) {
      const previous = words[i - 1]!;
      words[i] = (words[i]! ^ Math.imul(previous ^ (previous >>> 30), 1664525)) + key[j]! + j;
      if (++j >= key.length) j = 0;
      wrap();
    }
    for (let k = SIZE - 1; k > 0; k--) {
      const previous = words[i - 1]!;
      words[i] = (words[i]! ^ Math.imul(previous ^ (previous >>> 30), 1566083941)) - i;
      wrap();
    }
    words[0] = 0x80000000;
  }

  private twist(): void {
    const { words } = this;
    for (let i = 0; i < SIZE; i++) {
      const next = i + 1 === SIZE ? 0 : i + 1;
      const far = i + SHIFT < SIZE ? i + SHIFT : i + SHIFT - SIZE;
      const mixed = (words[i]! & 0x80000000) | (words[next]! & 0x7fffffff);
      words[i] = words[far]! ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0);
    }
    this.place = 0;
  }
}
