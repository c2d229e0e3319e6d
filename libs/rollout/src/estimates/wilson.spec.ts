import { describe, expect, it } from 'vitest';
import { wilsonInterval } from './wilson.js';

describe('wilsonInterval', () => {
  it('equals published values', () => {
    const { low, high } = wilsonInterval(8, 10);
    expect(low).toBeCloseTo(0.490162, 5);
    expect(high).toBeCloseTo(0.943318, 5);
    expect(wilsonInterval(0, 10).high).toBeCloseTo(0.277533, 5);
  });

  it('stays within 0 and 1 at the ends', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
    expect(wilsonInterval(0, 512).low).toBe(0);
    expect(wilsonInterval(512, 512).high).toBe(1);
  });
});
