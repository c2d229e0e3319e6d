import { expect, it } from 'vitest';
import { chunkRows, roundLogitRows } from './logit-chunks.js';

it.each([
  [49_152, 256],
  [131_072, 256],
  [151_936, 256],
  [262_144, 256],
])('a vocabulary of %d has chunks of %d rows', (vocabularySize, rows) => {
  expect(chunkRows(vocabularySize)).toBe(rows);
  expect(4 * rows * vocabularySize).toBeLessThanOrEqual(2 ** 28);
});

it('rounds up to whole chunks, or to 64 rows where there are few', () => {
  expect([1, 64, 65, 256, 257, 600].map((count) => roundLogitRows(count, 151_936))).toEqual([
    64, 64, 128, 256, 512, 768,
  ]);
  expect([300, 512, 513].map((count) => roundLogitRows(count, 49_152))).toEqual([320, 512, 1024]);
});
