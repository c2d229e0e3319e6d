import { describe, expect, it } from 'vitest';
import { calibrateMachine } from './calibrate.js';

describe('calibrateMachine', () => {
  it('gives rates that a computer can have', async () => {
    const found = await calibrateMachine({ rows: 64, width: 64, feedForward: 128, threads: 1 });
    for (const rates of [found.wall, found.processor]) {
      expect(rates.flop).toBeGreaterThan(1e7);
      expect(rates.flop).toBeLessThan(1e13);
      expect(rates.bytes).toBeGreaterThan(1e6);
      expect(rates.node).toBeGreaterThan(0);
      expect(rates.node).toBeLessThan(0.1);
    }
  });
});
