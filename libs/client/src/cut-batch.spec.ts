import type { StreamBatch } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { cutBatch } from './cut-batch.js';

const record = (cursor: number) => ({ cursor, kind: 'log', time: 1, step: -1, attempt: 1, body: {} });
const batch: StreamBatch = {
  runId: 'run-1',
  after: 10,
  cursor: 14,
  metrics: {
    cursors: [11, 13],
    steps: [0, 1],
    times: [5, 6],
    attempts: [1, 1],
    values: { loss: [0.5, null] },
  },
  records: [record(12), record(14)],
};

describe('cutBatch', () => {
  it('returns a batch that starts at the cursor of the follower unchanged', () => {
    expect(cutBatch(batch, 10)).toBe(batch);
  });

  it('returns nothing of a batch that is known', () => {
    expect(cutBatch(batch, 14)).toBeUndefined();
  });

  it('detects a gap', () => {
    expect(cutBatch(batch, 9)).toBe('gap');
  });

  it('keeps which of the rows that are left are not finite', () => {
    const notFinite = { loss: [1], reward: [0] };
    const cut = cutBatch({ ...batch, metrics: { ...batch.metrics, notFinite } }, 12);
    expect(cut).toMatchObject({ metrics: { cursors: [13], notFinite: { loss: [0] } } });
    expect(cut).not.toHaveProperty('metrics.notFinite.reward');
  });

  it('removes known records from every column', () => {
    expect(cutBatch(batch, 12)).toEqual({
      runId: 'run-1',
      after: 12,
      cursor: 14,
      metrics: { cursors: [13], steps: [1], times: [6], attempts: [1], values: { loss: [null] } },
      records: [record(14)],
    });
    expect(cutBatch(batch, 13)).toMatchObject({
      metrics: { cursors: [], values: { loss: [] } },
      records: [record(14)],
    });
  });
});
