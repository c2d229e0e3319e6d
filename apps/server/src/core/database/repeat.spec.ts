import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { repeat } from './repeat.js';

describe('repeated work', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('goes on after an error, waits for a call that takes long, and ends when that is over', async () => {
    const logged: string[] = [];
    let count = 0;
    let finish = (): void => undefined;
    const work = async (): Promise<void> => {
      count += 1;
      if (count === 1) throw new Error('no space left');
      await new Promise<void>((resolve) => (finish = resolve));
    };
    const stop = repeat(work, 120_000, (error) => void logged.push(String(error)));
    await vi.advanceTimersByTimeAsync(119_999);
    expect(count).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([count, logged]).toEqual([1, ['Error: no space left']]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(count).toBe(2);
    finish();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(count).toBe(3);
    let isOver = false;
    const ended = stop().then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(600_000);
    expect([count, isOver]).toEqual([3, false]);
    finish();
    await ended;
    expect(count).toBe(3);
  });
});
