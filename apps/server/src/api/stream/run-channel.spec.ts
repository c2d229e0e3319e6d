import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunReader } from '../../core/history/records/run-reader.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import type { RecordBatch } from './record-batch.js';
import { RunChannel } from './run-channel.js';

const width = 50;
const noReader = { page: () => Promise.reject(new Error('nobody is so far behind')) } as unknown as RunReader;

function row(cursor: number, metrics: number): RunRecord {
  const values = Object.fromEntries(Array.from({ length: metrics }, (_, index) => [`m${index}`, cursor]));
  return { runId: 'run', cursor, attempt: 1, kind: 'metrics', time: 0, step: cursor, body: { values } };
}

/** Spans of 60 rows each, handed on one by one. */
function fill(channel: RunChannel, batches: number, metrics: number): void {
  for (let batch = 0; batch < batches; batch += 1) {
    channel.add(Array.from({ length: 60 }, (_, index) => row(batch * 60 + index + 1, metrics)));
    (channel as unknown as { flush(): void }).flush();
  }
}

describe('the memory of a channel', () => {
  let channel: RunChannel;
  beforeEach(() => {
    channel = new RunChannel('run', noReader, 1000, 0);
  });
  afterEach(() => channel.close());

  function readOn(from: number): RecordBatch[] {
    const batches: RecordBatch[] = [];
    for (let cursor = from; cursor < channel.sent;) {
      const batch = channel.after(cursor);
      if (batch === undefined) throw new Error(`nothing after ${cursor}`);
      batches.push(batch);
      cursor = batch.cursor;
    }
    return batches;
  }

  it('is bounded by values, not by rows, so that wide rows take no more memory', () => {
    fill(channel, 90, width);
    expect(channel.after(0)).toBeUndefined();
    const kept = readOn(channel.sent - 30 * 60);
    expect(kept.reduce((sum, { size }) => sum + size, 0)).toBe(30 * 60 * (width + 4));
    expect(channel.after(channel.sent - 40 * 60)).toBeUndefined();
  });

  it('is returned to a slow follower in parts of thousands of values, without a gap', () => {
    fill(channel, 30, width);
    const batches = readOn(17);
    expect(batches.length).toBeGreaterThan(5);
    for (const { size } of batches) expect(size).toBeLessThanOrEqual(10_000);
    expect(batches.flatMap(({ records }) => records.map(({ cursor }) => cursor))).toEqual(
      Array.from({ length: 30 * 60 - 17 }, (_, index) => index + 18),
    );
    expect(channel.after(17)).toBe(batches[0]);
  });

  it('counts texts too: long lines are neither held nor returned in large numbers', () => {
    const line = (cursor: number): RunRecord => ({
      ...row(cursor, 0),
      kind: 'log',
      body: { text: 'x'.repeat(20_000) },
    });
    channel.add(Array.from({ length: 60 }, (_, index) => line(index + 1)));
    (channel as unknown as { flush(): void }).flush();
    const batches = readOn(0);
    expect(batches.every(({ records }) => records.length <= 10)).toBe(true);
    expect(batches.flatMap(({ records }) => records.map(({ cursor }) => cursor))).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    channel.add(Array.from({ length: 60 }, (_, index) => line(index + 61)));
    (channel as unknown as { flush(): void }).flush();
    expect(channel.after(59)).toBeUndefined();
  });

  it('is filled from history in pages of about a megabyte, however long the lines', async () => {
    const log = { kind: 'log', body: { text: 'x'.repeat(20_000) } };
    const asked: number[] = [];
    const reader = {
      page: (_: string, after: number, limit: number) => {
        asked.push(limit);
        const records = Array.from({ length: limit }, (_, index) => ({
          ...row(after + index + 1, 0),
          ...log,
        }));
        return Promise.resolve({ after, cursor: after + limit, head: 999, records });
      },
    } as unknown as RunReader;
    const behind = new RunChannel('run', reader, 1000, 999);
    const first = await behind.read(0, 200);
    const second = await behind.read(first?.cursor ?? 0, 200);
    behind.close();
    expect(asked[0]).toBe(200);
    expect(asked[1]).toBeLessThan(60);
    expect([first?.after, second?.after]).toEqual([0, first?.cursor]);
    for (const batch of [first, second]) expect(batch?.size).toBeLessThanOrEqual(50_000);
  });

  it('is returned at once if rows are narrow', () => {
    fill(channel, 30, 1);
    expect(readOn(0)).toHaveLength(1);
  });
});
