import type { StreamBatch } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { createInbox } from './inbox.js';

const batch = (cursor: number): StreamBatch => ({
  runId: 'run-1',
  after: cursor - 1,
  cursor,
  records: [],
  metrics: { cursors: [], steps: [], times: [], attempts: [], values: {} },
});

describe('createInbox', () => {
  it('drops batches above the bound, and reports a gap once the others are taken', async () => {
    const inbox = createInbox(2);
    for (let cursor = 1; cursor <= 5; cursor += 1) inbox.put({ batch: batch(cursor) });
    expect((await inbox.take()).batch?.cursor).toBe(1);
    // nothing may arrive between the dropped batches and the new request
    inbox.put({ batch: batch(6) });
    inbox.put({ answer: { ok: true, head: 6, state: 'running' } });
    expect((await inbox.take()).batch?.cursor).toBe(2);
    expect((await inbox.take()).answer?.ok).toBe(true);
    expect(await inbox.take()).toEqual({ behind: true });
    inbox.put({ batch: batch(3) });
    expect((await inbox.take()).batch?.cursor).toBe(3);
  });
});
