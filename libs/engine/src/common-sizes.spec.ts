import { describe, expect, it } from 'vitest';
import { commonLayout, commonLossRows } from './common-sizes.js';
import { packMicroBatch } from './micro-batch-feeds.js';
import { planMicroBatches } from './micro-batches.js';

const heads = { query: 2, key: 1 };
const request = (length: number) => ({
  tokens: new Int32Array(length).fill(7),
  positions: Int32Array.of(length - 1),
  temperature: 1,
});

describe('one layout for all micro-batches of a call', () => {
  it('has as few blocks as the rows of a block allow', () => {
    const batchesOf = (...lengths: number[]) =>
      lengths.flatMap((length) =>
        planMicroBatches([request(length)], { tokens: 4096, rowsPerPair: 0, rowsPerMicroBatch: 96 }),
      );
    expect(commonLayout(batchesOf(60, 600, 1024), { blockRows: 1024 })).toEqual({
      prefixBlocks: 0,
      ownBlocks: 1,
      blockRows: 1024,
    });
    // the last token of a sequence predicts nothing: 3000 rows
    const batches = batchesOf(60, 3001);
    const layout = commonLayout(batches, { blockRows: 1024 });
    expect(layout.ownBlocks).toBe(4);
    for (const batch of batches) expect(packMicroBatch(batch, heads, 0, layout).layout).toEqual(layout);
  });

  it('has blocks in powers of two that the longest fits into, and every micro-batch takes it', () => {
    // nothing is shared: lengths of one, three and five blocks of 64 and 128 rows
    const batches = [60, 190, 600].flatMap((length) =>
      planMicroBatches([request(length)], { tokens: 1024, rowsPerPair: 0, rowsPerMicroBatch: 96 }),
    );
    expect(batches).toHaveLength(3);
    const layout = commonLayout(batches);
    expect(layout).toEqual({ prefixBlocks: 0, ownBlocks: 8 });
    const apart = batches.map((batch) => packMicroBatch(batch, heads).layout.ownBlocks);
    expect(apart).toEqual([1, 3, 5]);
    for (const batch of batches) {
      const { layout: taken, rowCount, paddedRows } = packMicroBatch(batch, heads, 0, layout);
      expect(taken).toEqual(layout);
      // rows of dense products stay those of the sequence, whose last token predicts nothing
      const tokens = batch.groups[0]?.items[0]?.request.tokens.length ?? Number.NaN;
      expect(rowCount - paddedRows).toBe(tokens - 1);
      expect(paddedRows).toBeLessThanOrEqual(1);
    }
  });
});

describe('coarse sizes, where opening a graph takes long', () => {
  const limits = { tokens: 4096, rowsPerPair: 0, rowsPerMicroBatch: 96 };
  const batchesOf = (...lengths: number[]) => planMicroBatches(lengths.map(request), limits);
  const layoutFor = (...lengths: number[]) =>
    commonLayout(batchesOf(...lengths), { blockRows: 256, isCoarse: true });

  it('are the same for calls of a few tokens and of a thousand, with and without a prefix', () => {
    const layout = { prefixBlocks: 1, ownBlocks: 4, blockRows: 256, keepsPrefix: true };
    expect(layoutFor(60)).toEqual(layout);
    expect(layoutFor(250, 250, 250)).toEqual(layout);
    expect(layoutFor(1025)).toEqual(layout);
    expect(layoutFor(1026)).toEqual({ ...layout, ownBlocks: 16 });
  });

  it('are taken by micro-batches that share something and that share nothing', () => {
    const shared = batchesOf(250, 250, 300);
    const alone = batchesOf(70);
    const layout = layoutFor(250, 250, 300);
    for (const batch of [...shared, ...alone]) {
      const packed = packMicroBatch(batch, heads, 0, layout);
      expect(packed.layout).toEqual(layout);
      expect(Object.keys(packed.feeds)).toContain('prefix_grid');
      expect(packed.paddedRows).toBeLessThanOrEqual(1);
    }
    expect(alone[0]?.groups[0]?.prefix).toBe(0);
    expect(shared.some(({ groups }) => groups.some(({ prefix }) => prefix > 0))).toBe(true);
  });

  it('round loss positions up to multiples', () => {
    const batches = batchesOf(...Array.from({ length: 70 }, (_, i) => 20 + i));
    expect(commonLossRows(batches, 512)).toBe(512);
    expect(commonLossRows(batches, 64)).toBe(128);
    expect(commonLossRows([], 64)).toBe(0);
  });
});

describe('planMicroBatches', () => {
  it('pads more where one more micro-batch costs more', () => {
    const requests = [40, 90, 200, 400, 800].map(request);
    const count = (rowsPerMicroBatch: number) =>
      planMicroBatches(requests, { tokens: 4096, rowsPerPair: 0.002, rowsPerMicroBatch }).length;
    expect(count(96)).toBeGreaterThan(count(2000));
    expect(count(2000)).toBe(1);
  });
});
