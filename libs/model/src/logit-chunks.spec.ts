import { expect, it } from 'vitest';
import { chunkRows, roundLogitRows } from './logit-chunks.js';

it.each([
  [49_152, 512],
  [131_072, 512],
  [151_936, 256],
  [262_144, 256],
])('a vocabulary of %d has chunks of %d rows', (vocabularySize, rows) => {
  expect(chunkRows(vocabularySize)).toBe(rows);
  expect(4 * rows * vocabularySize).toBeLessThanOrEqual(2 ** 28);
});

it('rounds up to whole chunks, or to 64 rows below one', () => {
  expect([1, 64, 65, 256, 257, 600].map((count) => roundLogitRows(count, 151_936))).toEqual([
    64, 64, 128, 256, 512, 768,
  ]);
  expect(roundLogitRows(300, 49_152)).toBe(320);
});
