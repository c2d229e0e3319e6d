import type { StreamBatch } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { readBatch } from './batch-events.js';

const record = (cursor: number, kind: string, body: Record<string, unknown>) => ({
  cursor,
  kind,
  body,
  time: 100 + cursor,
  step: 3,
  attempt: 2,
});
const batch: StreamBatch = {
  runId: 'run-1',
  after: 4,
  cursor: 11,
  metrics: {
    cursors: [6, 8],
    steps: [1, 2],
    times: [106, 108],
    attempts: [2, 2],
    values: { 'rollout/success_rate': [0.5, null], 'validation/success_rate': [null, 0.25] },
  },
  records: [
    record(5, 'run-started', { attempt: 2, steps: 9 }),
    record(7, 'log', { text: 'x' }),
    record(9, 'state', { to: 'pausing', message: 'on request', job: 'train' }),
    record(10, 'state', { to: 'finished', message: '', job: 'evaluate' }),
    record(10, 'monitor', { state: 'warning', previous: 'healthy', findings: [], message: 'a rule' }),
    record(11, 'run-ended', { outcome: 'interrupted', message: 'saved' }),
  ],
};

describe('a batch of the live stream', () => {
  it('is item as events in the order in which they happened, each row with the metrics it has', () => {
    expect(readBatch(batch)).toEqual([
      { event: { kind: 'run-started', time: 105, step: 3, runId: 'run-1', attempt: 2, steps: 9 } },
      { event: { kind: 'metrics', step: 1, time: 106, values: { 'rollout/success_rate': 0.5 } } },
      { event: { kind: 'metrics', step: 2, time: 108, values: { 'validation/success_rate': 0.25 } } },
      { say: 'pausing: on request' },
      {
        event: {
          kind: 'monitor',
          time: 110,
          step: 3,
          state: 'warning',
          previous: 'healthy',
          action: null,
          restored: null,
          changes: [],
          findings: [],
          message: 'a rule',
        },
      },
      { event: { kind: 'run-ended', time: 111, step: 3, outcome: 'interrupted', message: 'saved' } },
    ]);
  });
});
