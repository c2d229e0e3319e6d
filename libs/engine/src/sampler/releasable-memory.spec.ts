import { describe, expect, it } from 'vitest';
import { ReleasableMemory } from './releasable-memory.js';

describe('ReleasableMemory', () => {
  it('gives memory back to the system at once, and only what was detached', () => {
    const memory = new ReleasableMemory();
    const entries = 64 * 2 ** 20;
    memory.allocate(entries).fill(1);
    const free = memory.detach();
    const kept = memory.allocate(4).fill(2);
    const before = process.memoryUsage.rss();
    free();
    const freed = before - process.memoryUsage.rss();
    expect(freed).toBeGreaterThan(0.9 * 4 * entries);
    expect([...kept]).toEqual([2, 2, 2, 2]);
  });
});
