import { metricNameRule } from '@espalier/contracts';
import { createMemorySink } from '@espalier/recorder';
import { expect, it } from 'vitest';
import { emitMetrics, type RunContext } from './run-context.js';

function createContext() {
  const sink = createMemorySink();
  const state = { step: 1 };
  const run = {
    sink,
    state,
    now: () => 5,
    reportedCpuSeconds: 0,
    metricNames: new Set(),
    hasDroppedMetrics: false,
  };
  return { sink, run: run as unknown as RunContext };
}

it('a metric per token is dropped beyond the bound, with one warning', () => {
  const { sink, run } = createContext();
  for (let part = 0; part < 4; part += 1) {
    const names = Array.from({ length: 1000 }, (_, index) => [`token/${part * 1000 + index}`, 1]);
    emitMetrics(run, { 'reward/mean': part, ...(Object.fromEntries(names) as object) });
  }
  const rows = sink.events.filter(({ kind }) => kind === 'metrics');
  const values = rows.map((row) => (row as { values: Record<string, number> }).values);
  expect(new Set(values.flatMap((row) => Object.keys(row))).size).toBe(metricNameRule.maxCount);
  expect(values.map((row) => row['reward/mean'])).toEqual([0, 1, 2, 3]);
  expect(sink.events.filter(({ kind }) => kind === 'warning')).toMatchObject([{ code: 'metrics.dropped' }]);
});

it('drops an invalid metric name with a warning and keeps the rest of the row', () => {
  const { sink, run } = createContext();
  emitMetrics(run, { 'a\0b': 1, good: 2 });
  expect(sink.events).toMatchObject([
    { kind: 'warning', code: 'metrics.dropped', message: expect.stringContaining('"a\\u0000b"') as string },
    { kind: 'metrics', values: { good: 2 } },
  ]);
  expect(Object.keys((sink.events[1] as { values: object }).values)).not.toContain('a\0b');
});
