import { expect, it } from 'vitest';
import { memoryOf } from './fit-prediction.js';

it('limits micro-batches on a GPU by device.memoryMb alone', () => {
  expect(memoryOf({ sampling: 'float32', precision: 'float32', provider: 'cuda' })).toBeUndefined();
  expect(memoryOf({ sampling: 'float32', precision: 'float32', provider: 'cuda', memoryMb: 2 })).toBe(
    2 ** 21,
  );
  expect(memoryOf({ sampling: 'float32', precision: 'float32', provider: 'cpu' })).toBeGreaterThan(2 ** 26);
});
