import { describe, expect, it } from 'vitest';
import { deriveSeed } from './derive-seed.js';
import { createStream, restoreStream } from './stream.js';
import { uniformAt } from './uniform-at.js';

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe('deriveSeed', () => {
  it('is stable across versions', () => {
    expect(deriveSeed(0, 'train', 3, 'state')).toBe(3380163560);
  });

  it('distinguishes parts, types and boundaries', () => {
    const seeds = [
      deriveSeed('ab', 'c'),
      deriveSeed('a', 'bc'),
      deriveSeed(1),
      deriveSeed('1'),
      deriveSeed(1, 1),
      deriveSeed(),
    ];
    expect(new Set(seeds).size).toBe(seeds.length);
  });

  it('spreads neighbours over all bits', () => {
    const flips = range(32).map(() => 0);
    for (const i of range(2000)) {
      const difference = deriveSeed('x', i) ^ deriveSeed('x', i + 1);
      for (const bit of range(32)) flips[bit]! += (difference >>> bit) & 1;
    }
    for (const count of flips) expect(Math.abs(count / 2000 - 0.5)).toBeLessThan(0.06);
  });

  it('has no collisions beyond chance among 60,000 addresses', () => {
    const seen = new Set(range(200).flatMap((a) => range(300).map((b) => deriveSeed(a, 'member', b))));
    expect(seen.size).toBeGreaterThan(59_990);
  });

  it('rejects non-finite numbers', () => {
    expect(() => deriveSeed('a', NaN)).toThrow(/finite/);
  });
});

describe('uniformAt', () => {
  it('is stable across versions', () => {
    expect(uniformAt(1, 2)).toBe(0.7201687097549438);
  });

  it('is uniform along indices and along seeds, and fits float32', () => {
    for (const draw of [(i: number) => uniformAt(5, i), (i: number) => uniformAt(i, 5)]) {
      const bins = range(64).map(() => 0);
      for (const i of range(64_000)) {
        const value = draw(i);
        expect(value === Math.fround(value) && value >= 0 && value < 1).toBe(true);
        bins[Math.floor(value * 64)]! += 1;
      }
      const chiSquare = bins.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
      expect(chiSquare).toBeLessThan(103.4); // 63 degrees of freedom, p = 0.001
    }
  });

  it('does not correlate neighbouring seeds', () => {
    let product = 0;
    for (const i of range(20_000)) product += (uniformAt(8, i) - 0.5) * (uniformAt(9, i) - 0.5);
    expect(Math.abs(product / 20_000) * 12).toBeLessThan(0.03); // 4 standard errors
  });
});

describe('createStream', () => {
  it('gives the same numbers for the same seed, and different ones for another', () => {
    const a = createStream(4);
    const b = createStream(4);
    const c = createStream(5);
    const first = range(8).map(() => a.next());
    expect(range(8).map(() => b.next())).toEqual(first);
    expect(range(8).map(() => c.next())).not.toEqual(first);
  });

  it('continues from a saved state', () => {
    const stream = createStream(1);
    stream.shuffle(range(9));
    const copy = restoreStream(
      JSON.parse(JSON.stringify(stream.state())) as [number, number, number, number],
    );
    expect(range(9).map(() => copy.int(1000))).toEqual(range(9).map(() => stream.int(1000)));
  });

  it('draws integers evenly and by weight', () => {
    const stream = createStream(2);
    const counts = [0, 0, 0];
    const weighted = [0, 0, 0];
    for (const _ of range(30_000)) {
      counts[stream.int(3)]! += 1;
      weighted[stream.choice([1, 0, 3])]! += 1;
    }
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(350);
    expect(weighted[1]).toBe(0);
    expect(Math.abs(weighted[2]! - 22_500)).toBeLessThan(350);
  });

  it('shuffles without loss and does not change the list', () => {
    const items = range(20);
    const shuffled = createStream(3).shuffle(items);
    expect(items).toEqual(range(20));
    expect(shuffled).not.toEqual(items);
    expect([...shuffled].sort((a, b) => a - b)).toEqual(items);
  });

  it('rejects empty choices', () => {
    expect(() => createStream(0).pick([])).toThrow(/empty/);
    expect(() => createStream(0).int(0)).toThrow(/1\.\.4294967295/);
    expect(() => createStream(0).choice([0, 0])).toThrow(/all weights/);
  });
});
