import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { isRealTime, notePriority } from './priority.js';
import { buildRow } from './row.js';

const statOf = (policy: number, name = 'node'): string =>
  `42 (${name}) S 1 42 42 0 -1 4194304 ${'0 '.repeat(31)}${policy} 0 0 0`;

describe('measuring before other work', () => {
  it('reads the scheduling policy, whatever the program is called', () => {
    expect([0, 1, 2, 3].map((policy) => isRealTime(statOf(policy)))).toEqual([false, true, true, false]);
    expect(isRealTime(statOf(2, 'a ) R 1 (b'))).toBe(true);
    expect(isRealTime('')).toBe(false);
  });

  it.runIf(process.platform === 'linux')('agrees with the kernel on an ordinary process', () => {
    expect(isRealTime(execFileSync('cat', ['/proc/self/stat'], { encoding: 'utf8' }))).toBe(false);
  });

  it('is said in every row', () => {
    const rows = [
      buildRow('a', 1, 'ms', { name: 'allowed', value: 2 }, 'p50 1 ms'),
      buildRow('b', 1, 'ms', { name: 'allowed', value: 2 }),
    ];
    expect(notePriority(rows, statOf(2)).map(({ notes }) => notes)).toEqual([
      'p50 1 ms; before other work',
      'before other work',
    ]);
    expect(notePriority(rows, statOf(0))).toEqual(rows);
  });
});
