/**
 * @file NumPy's `SeedSequence(seed).generate_state(n)` for one integer: the hash that spreads a seed over a pool
 * of four words (O'Neill's seed_seq design). Not here: spawn keys.
 */
const POOL = 4;

function entropyWords(seed: number): number[] {
  if (!Number.isSafeInteger(seed) || seed < 0) throw new RangeError(`seed ${seed}; expected an integer ≥ 0`);
  const high = Math.floor(seed / 4294967296);
  return high === 0 ? [seed] : [seed >>> 0, high];
}

/** One pool for all seeds: an allocation for each would take longer than the hash. */
const pool = new Uint32Array(POOL);

function mixPool(entropy: readonly number[]): void {
  let hash = 0x43b0d7e5;
  for (let i = 0; i < POOL; i++) {
    const mixed = (entropy[i] ?? 0) ^ hash;
    hash = Math.imul(hash, 0x931e8875);
    pool[i] = spread(mixed, hash);
  }
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (from === to) continue;
      const word = pool[from]! ^ hash;
      hash = Math.imul(hash, 0x931e8875);
      const mixed = Math.imul(0xca01f9dd, pool[to]!) - Math.imul(0x4973f715, spread(word, hash));
      pool[to] = mixed ^ (mixed >>> 16);
    }
  }
}

function spread(word: number, hash: number): number {
  const mixed = Math.imul(word, hash);
  return mixed ^ (mixed >>> 16);
}

/** Returns the first `count` uint32 words of a seed's state. */
export function seedSequenceWords(seed: number, count: number): Uint32Array {
  return fillSeedWords(seed, new Uint32Array(count));
}

/** Fills `words` with the first uint32 words of a seed's state. */
export function fillSeedWords(seed: number, words: Uint32Array): Uint32Array {
  mixPool(entropyWords(seed));
  let hash = 0x8b51f9dd;
  for (let i = 0; i < words.length; i++) {
    const word = pool[i % POOL]! ^ hash;
    hash = Math.imul(hash, 0x58f38ded);
    words[i] = spread(word, hash);
  }
  return words;
}
