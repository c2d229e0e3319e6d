import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sweepPeriodically } from './sweep-periodically.js';

describe('a regular sweep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('logs an error and goes on, and waits for one that takes long', async () => {
    const logged: string[] = [];
    let count = 0;
    let finish = (): void => undefined;
    const sweep = async (): Promise<void> => {
      count += 1;
      if (count === 1) throw new Error('no space left');
      await new Promise<void>((resolve) => (finish = resolve));
    };
    const stop = sweepPeriodically(sweep, { error: (message: string) => void logged.push(message) }, 2);
    await vi.advanceTimersByTimeAsync(119_999);
    expect(count).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([count, logged]).toEqual([1, ['Error: no space left']]);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(count).toBe(2);
    finish();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(count).toBe(3);
    stop();
    finish();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(count).toBe(3);
  });
});
