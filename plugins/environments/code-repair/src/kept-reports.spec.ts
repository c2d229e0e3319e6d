import { describe, expect, it } from 'vitest';
import { KeptReports } from './kept-reports.js';
import type { Report } from './report.js';

const report = (printed: string, isCutOff = false): Report => ({
  verdicts: [],
  found: [],
  printed,
  isCutOff,
});

/** Counts how often a report is made. */
function counted(most: number): { kept: KeptReports; ask: (key: string, made?: Report) => Promise<number> } {
  const kept = new KeptReports(most);
  let made = 0;
  return {
    kept,
    ask: async (key, given = report('x'.repeat(100))) => {
      await kept.get(key, () => {
        made++;
        return Promise.resolve(given);
      });
      return made;
    },
  };
}

describe('reports', () => {
  it('are kept up to a bound, the longest unused go first', async () => {
    const { kept, ask } = counted(1000);
    expect(await ask('first')).toBe(1);
    const each = kept.size;
    expect(each).toBeGreaterThan(100);
    const room = Math.floor(1000 / each);
    expect(room).toBeGreaterThan(2);
    for (let place = 1; place < room; place++) await ask(`${place}more`);
    expect(await ask('first')).toBe(room);
    expect(await ask('added')).toBe(room + 1);
    expect(kept.size).toBe(room * each);
    expect(await ask('first')).toBe(room + 1);
    expect(await ask('1more')).toBe(room + 2);
    for (let place = 0; place < 50; place++) {
      await ask(`${place}others`);
      expect(kept.size).toBeLessThanOrEqual(1000);
    }
  });

  it('are not kept where one alone exceeds the bound', async () => {
    const { kept, ask } = counted(1000);
    expect(await ask('long', report('x'.repeat(2000)))).toBe(1);
    expect(kept.size).toBe(0);
    expect(await ask('long')).toBe(2);
  });

  it('are made once for all that ask at once', async () => {
    const { ask } = counted(1000);
    expect(await Promise.all([ask('a'), ask('a'), ask('a')])).toEqual([1, 1, 1]);
  });

  it('are made again where the program was cut off or the sandbox failed', async () => {
    const { kept, ask } = counted(1000);
    expect(await ask('a', report('', true))).toBe(1);
    expect(kept.size).toBe(0);
    expect(await ask('a')).toBe(2);
    expect(await ask('a')).toBe(2);
    const before = kept.size;
    await expect(kept.get('b', () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    expect(kept.size).toBe(before);
  });
});
