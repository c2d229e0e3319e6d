import { describe, expect, it } from 'vitest';
import { cutWindows } from './windows.js';

const tokens = Int32Array.from({ length: 12 }, (_, t) => 100 + t);
const plain = (parts: ReturnType<typeof cutWindows>) =>
  parts.map(({ tokens: own, positions, from, to }) => [[...own], [...positions], from, to]);

describe('cutWindows', () => {
  it('gives a trajectory without windows as it is', () => {
    const positions = Int32Array.of(2, 5);
    const [part] = cutWindows({ tokens }, positions);
    expect(part?.tokens).toBe(tokens);
    expect(part?.positions).toBe(positions);
    expect([part?.from, part?.to]).toEqual([0, 2]);
    expect(cutWindows({ tokens }, new Int32Array())).toEqual([]);
  });

  it('counts positions from the start of their window, and leaves out windows without any', () => {
    const windows = [
      { start: 0, firstTurn: 0 },
      { start: 4, firstTurn: 1 },
      { start: 7, firstTurn: 2 },
      { start: 10, firstTurn: 3 },
    ];
    expect(plain(cutWindows({ tokens, windows }, Int32Array.of(2, 3, 8, 9, 11)))).toEqual([
      [[100, 101, 102, 103], [2, 3], 0, 2],
      [[107, 108, 109], [1, 2], 2, 4],
      [[110, 111], [1], 4, 5],
    ]);
  });
});
