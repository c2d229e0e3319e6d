import { expect, it } from 'vitest';
import { memoryOf } from './fit-prediction.js';

it('limits micro-batches on a GPU by device.memoryMb alone', () => {
  expect(memoryOf({ provider: 'cuda' })).toBeUndefined();
  expect(memoryOf({ provider: 'cuda', memoryMb: 2 })).toBe(2 ** 21);
  expect(memoryOf({ provider: 'cpu' })).toBeGreaterThan(2 ** 26);
});
