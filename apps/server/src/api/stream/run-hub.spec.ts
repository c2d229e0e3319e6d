import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunReader } from '../../core/history/records/run-reader.js';
import type { RunRecord } from '../../core/database/entities/run-record.js';
import type { RecordSpan } from './record-span.js';
import { RunHub } from './run-hub.js';

const width = 50;
const noReader = { page: () => Promise.reject(new Error('nobody is so far behind')) } as unknown as RunReader;

function row(cursor: number, metrics: number): RunRecord {
  const values = Object.fromEntries(Array.from({ length: metrics }, (_, index) => [`m${index}`, cursor]));
  return { runId: 'run', cursor, attempt: 1, kind: 'metrics', time: 0, step: cursor, body: { values } };
}

/** Spans of 60 rows each, handed on one by one. */
function fill(hub: RunHub, spans: number, metrics: number): void {
  for (let span = 0; span < spans; span += 1) {
    hub.add(Array.from({ length: 60 }, (_, index) => row(span * 60 + index + 1, metrics)));
    (hub as unknown as { flush(): void }).flush();
  }
}

describe('what a hub keeps of a run', () => {
  let hub: RunHub;
  beforeEach(() => {
    hub = new RunHub('run', noReader, 1000, 0);
  });
  afterEach(() => hub.close());

  function readOn(from: number): RecordSpan[] {
    const spans: RecordSpan[] = [];
    for (let cursor = from; cursor < hub.sent;) {
      const span = hub.after(cursor);
      if (span === undefined) throw new Error(`nothing after ${cursor}`);
      spans.push(span);
      cursor = span.cursor;
    }
    return spans;
  }

  it('is bounded by values, not by rows, so that wide rows take no more memory', () => {
    fill(hub, 90, width);
    expect(hub.after(0)).toBeUndefined();
    const kept = readOn(hub.sent - 30 * 60);
    expect(kept.reduce((sum, { size }) => sum + size, 0)).toBe(30 * 60 * (width + 4));
    expect(hub.after(hub.sent - 40 * 60)).toBeUndefined();
  });

  it('is given to one who is behind in parts that hold thousands of values, without gap', () => {
    fill(hub, 30, width);
    const spans = readOn(17);
    expect(spans.length).toBeGreaterThan(5);
    for (const { size } of spans) expect(size).toBeLessThanOrEqual(10_000);
    expect(spans.flatMap(({ records }) => records.map(({ cursor }) => cursor))).toEqual(
      Array.from({ length: 30 * 60 - 17 }, (_, index) => index + 18),
    );
    expect(hub.after(17)).toBe(spans[0]);
  });

  it('weighs texts too: long lines are neither kept nor given in large numbers', () => {
    const line = (cursor: number): RunRecord => ({
      ...row(cursor, 0),
      ...{ kind: 'log', body: { text: 'x'.repeat(20_000) } },
    });
    hub.add(Array.from({ length: 60 }, (_, index) => line(index + 1)));
    (hub as unknown as { flush(): void }).flush();
    const spans = readOn(0);
    expect(spans.every(({ records }) => records.length <= 10)).toBe(true);
    expect(spans.flatMap(({ records }) => records.map(({ cursor }) => cursor))).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    );
    hub.add(Array.from({ length: 60 }, (_, index) => line(index + 61)));
    (hub as unknown as { flush(): void }).flush();
    expect(hub.after(59)).toBeUndefined();
  });

  it('is read from history in pages that hold about a megabyte, however long the lines', async () => {
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
    const behind = new RunHub('run', reader, 1000, 999);
    const first = await behind.read(0, 200);
    const second = await behind.read(first?.cursor ?? 0, 200);
    behind.close();
    expect(asked[0]).toBe(200);
    expect(asked[1]).toBeLessThan(60);
    expect([first?.after, second?.after]).toEqual([0, first?.cursor]);
    for (const span of [first, second]) expect(span?.size).toBeLessThanOrEqual(50_000);
  });

  it('is given at once where rows are narrow', () => {
    fill(hub, 30, 1);
    expect(readOn(0)).toHaveLength(1);
  });
});
