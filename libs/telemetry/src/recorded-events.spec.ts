import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeCheckedLine } from './checked-line.js';
import { readRecordedEvents } from './recorded-events.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lines = (rows: readonly object[]): string => rows.map(encodeCheckedLine).join('');

describe('the events of a run folder', () => {
  it('come by attempt and time, an end after the metrics of the same moment', () => {
    writeFileSync(
      join(folder, 'events.jsonl'),
      lines([
        { kind: 'run-started', time: 1, runId: 'r', attempt: 1, step: 0, steps: 3 },
        { kind: 'warning', time: 5, step: 1, code: 'a.b', message: 'm' },
        { kind: 'run-started', time: 20, runId: 'r', attempt: 2, step: 2, steps: 3 },
        { kind: 'run-ended', time: 30, step: 3, outcome: 'finished', message: 'done' },
      ]),
    );
    const row = (step: number, time: number, attempt: number) => ({
      step,
      time,
      attempt,
      values: { a: null },
    });
    writeFileSync(join(folder, 'metrics.jsonl'), lines([row(1, 4, 1), row(2, 9, 1), row(3, 30, 2)]));
    const told = [...readRecordedEvents(folder)].map(({ attempt, event }) => {
      const { kind, time } = event as { kind: string; time: number };
      return `${attempt} ${kind} ${time}`;
    });
    expect(told).toEqual([
      ...['1 run-started 1', '1 metrics 4', '1 warning 5', '1 metrics 9'],
      ...['2 run-started 20', '2 metrics 30', '2 run-ended 30'],
    ]);
  });

  it('are none of an empty folder', () => {
    expect([...readRecordedEvents(join(folder, 'nothing'))]).toEqual([]);
  });
});
