import { describe, expect, it, vi } from 'vitest';
import { withTimeLimit } from './time-limit.js';

const later = <T>(value: T, ms: number) => new Promise<T>((resolve) => setTimeout(() => resolve(value), ms));

describe('withTimeLimit', () => {
  it('passes on what comes in time', async () => {
    expect(await withTimeLimit('step', 3, 1)).toBe(3);
    expect(await withTimeLimit('step', later(4, 1), 1000)).toBe(4);
    await expect(withTimeLimit('step', Promise.reject(new Error('no')), 1000)).rejects.toThrow('no');
  });

  it('throws when a promise takes too long, unless there is no limit', async () => {
    await expect(withTimeLimit('reset', later(1, 60), 5)).rejects.toMatchObject({
      code: 'plugin.timeout',
      message: expect.stringContaining('reset() did not end within 5 ms'),
    });
    expect(await withTimeLimit('reset', later(1, 20), 0)).toBe(1);
  });

  it('leaves no timer behind, and sets none for a plain value', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    await withTimeLimit('step', 3, 1000);
    expect(set).not.toHaveBeenCalled();
    await withTimeLimit('step', Promise.resolve(3), 1000);
    expect(clear).toHaveBeenCalledWith(set.mock.results[0]?.value);
    vi.restoreAllMocks();
  });

  it('survives an error that comes too late', async () => {
    const late = later(0, 15).then(() => Promise.reject(new Error('too late')));
    await expect(withTimeLimit('step', late, 1)).rejects.toMatchObject({ code: 'plugin.timeout' });
    await later(0, 30);
  });
});
