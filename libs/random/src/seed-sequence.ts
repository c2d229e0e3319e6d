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

function mixPool(entropy: readonly number[]): Uint32Array {
  const pool = new Uint32Array(POOL);
  let hash = 0x43b0d7e5;
  const spread = (value: number): number => {
    let mixed = value ^ hash;
    hash = Math.imul(hash, 0x931e8875);
    mixed = Math.imul(mixed, hash);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
  for (let i = 0; i < POOL; i++) pool[i] = spread(entropy[i] ?? 0);
  for (let from = 0; from < POOL; from++) {
    for (let to = 0; to < POOL; to++) {
      if (from === to) continue;
      const mixed = Math.imul(0xca01f9dd, pool[to]!) - Math.imul(0x4973f715, spread(pool[from]!));
      pool[to] = mixed ^ (mixed >>> 16);
    }
  }
  return pool;
}

/** Returns the first `count` uint32 words of a seed's state. */
export function seedSequenceWords(seed: number, count: number): Uint32Array {
  const pool = mixPool(entropyWords(seed));
  const words = new Uint32Array(count);
  let hash = 0x8b51f9dd;
  for (let i = 0; i < count; i++) {
    let mixed = pool[i % POOL]! ^ hash;
    hash = Math.imul(hash, 0x58f38ded);
    mixed = Math.imul(mixed, hash);
    words[i] = mixed ^ (mixed >>> 16);
  }
  return words;
}
