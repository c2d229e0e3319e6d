import { expect, it } from 'vitest';
import { describeWritten } from './write-model.js';

it('what is written goes on at the rate that it had', () => {
  expect(describeWritten(2 ** 30, 4 * 2 ** 30, 25_000)).toBe('1.0 GiB of 4.0 GiB, 1 min 15 s left');
  expect(describeWritten(2 ** 30, 2 ** 30, 25_000)).toBe('1.0 GiB of 1.0 GiB, 0 s left');
});
