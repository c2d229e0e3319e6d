import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NumpyGenerator } from './numpy-generator.js';
import { NumpyLegacy } from './numpy-legacy.js';
import { PythonRandom } from './python-random.js';
import { seedSequenceWords } from './seed-sequence.js';

interface Vectors {
  seed: number;
  python: Record<string, number[]> & { sample_range100_k2: number[][] };
  np_legacy: { randint_n: [number, number][]; random_sample: number[] };
  seedseq_u32x8: number[];
  pcg64: { raw: string[] };
  generator: {
    random: number[];
    integers4_size2: number[][];
    random_after: number;
    integers4_size1: number[][];
    random_after_odd: number;
    integers4_again: number[];
    integers_13: number[];
  };
}

// this library imports nothing, so it locates the golden files itself
const file = new URL('../../../test/golden/random/rng_vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vectors[];
const times = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);

describe('reference generators', () => {
  describe.each(vectors)(
    'seed $seed',
    ({ seed, python, np_legacy: legacy, seedseq_u32x8, pcg64, generator }) => {
      it('draws what CPython draws', () => {
        const fresh = (): PythonRandom => new PythonRandom(seed);
        const [a, b, c, d, e, f, g] = [
          fresh(),
          fresh(),
          fresh(),
          fresh(),
          fresh(),
          fresh(),
          fresh(),
        ] as const;
        expect(times(6, () => a.random())).toEqual(python['random']);
        expect(times(6, () => b.bits(32))).toEqual(python['getrandbits32']);
        expect(times(12, () => c.integer(1, 5))).toEqual(python['randint_1_5']);
        expect(times(12, () => d.below(4))).toEqual(python['sample_0to3_k1']);
        expect(times(12, () => e.below(5))).toEqual(python['sample_0to4_k1']);
        expect(times(12, () => f.below(7))).toEqual(python['choice_range7']);
        const items = times(12, () => 0).map((_, i) => i);
        g.shuffle(items);
        expect(items).toEqual(python['shuffle12']);
      });

      it('begins again as a new generator of its seed, whatever was drawn before', () => {
        const used = new NumpyGenerator(7);
        used.next32();
        used.seed(seed);
        const fresh = new NumpyGenerator(seed);
        expect(used.state()).toEqual(fresh.state());
        expect(times(3, () => used.integer(13))).toEqual(times(3, () => fresh.integer(13)));
      });

      it('draws what the legacy generator of NumPy draws', () => {
        const integers = new NumpyLegacy(seed);
        expect(legacy.randint_n.map(([n]) => [n, integers.integer(n)])).toEqual(legacy.randint_n);
        const uniforms = new NumpyLegacy(seed);
        expect(times(6, () => uniforms.random())).toEqual(legacy.random_sample);
      });

      it('draws what the default generator of NumPy draws', () => {
        expect([...seedSequenceWords(seed, 8)]).toEqual(seedseq_u32x8);
        const raw = new NumpyGenerator(seed);
        expect(times(6, () => String(BigInt(raw.next32()) + (BigInt(raw.next32()) << 32n)))).toEqual(
          pcg64.raw,
        );
        const random = new NumpyGenerator(seed);
        expect(times(4, () => random.random())).toEqual(generator.random);
        expect(times(3, () => [random.integer(4), random.integer(4)])).toEqual(generator.integers4_size2);
        expect(random.random()).toBe(generator.random_after);
        expect([[random.integer(4)]]).toEqual(generator.integers4_size1);
        expect(random.random()).toBe(generator.random_after_odd);
        expect([random.integer(4), random.integer(4)]).toEqual(generator.integers4_again);
        expect(times(6, () => 1 + random.integer(12))).toEqual(generator.integers_13);
      });
    },
  );
});

describe('NumpyGenerator', () => {
  it('continues from a saved state, including the buffered half-word', () => {
    const original = new NumpyGenerator(7);
    original.integer(4);
    const copy = new NumpyGenerator(0);
    copy.restore(JSON.parse(JSON.stringify(original.state())) as number[]);
    expect(times(5, () => copy.integer(100))).toEqual(times(5, () => original.integer(100)));
  });
});
