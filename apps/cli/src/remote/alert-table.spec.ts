import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { type Alert, alertTable } from './alert-table.js';

const now = Date.parse('2026-11-27T12:00:00Z');
const alert: Alert = {
  id: 'alert-01jd3x4e7k-8w2n5t0qzv',
  runId: 'run-1',
  severity: 'warning',
  code: 'monitor.warning',
  message: 'entropy-fall: entropy is 0.41, was 1.17',
  step: 8,
  time: '2026-11-27T11:00:00Z',
  acknowledgedAt: null,
  acknowledgedBy: null,
  project: 'default',
  rules: ['entropy-fall'],
  assigneeId: null,
  assignee: null,
};
const plain = pc.createColors(false);
const lines = (alerts: readonly Alert[], width?: number): string[] =>
  alertTable(alerts, new Map([['run-1', 'lake']]), now, plain, width);

describe('alertTable', () => {
  it('names the run, and who looks after the alert', () => {
    expect(lines([alert, { ...alert, runId: 'run-2', step: null, assignee: 'ann' }])).toEqual([
      'ALERT                        RUN    STEP  AGE        ASSIGNEE  FOUND',
      'alert-01jd3x4e7k-8w2n5t0qzv  lake   8     1 h 0 min  –         warning: entropy-fall: entropy is 0.41, was 1.17',
      'alert-01jd3x4e7k-8w2n5t0qzv  run-2        1 h 0 min  ann       warning: entropy-fall: entropy is 0.41, was 1.17',
    ]);
  });

  it('cuts messages to the terminal, but never to nothing', () => {
    const [, wide = ''] = lines([alert], 90);
    expect([wide.length, wide.at(-1)]).toEqual([90, '…']);
    const [, narrow = ''] = lines([alert], 20);
    expect(narrow).toContain('warning: entropy-fall: …');
  });

  it('shows nothing that a terminal would obey', () => {
    const [, line = ''] = lines([{ ...alert, message: 'a\u001b[2Jb', assignee: '\u202eann' }]);
    expect(line).not.toMatch(/[\u001b\u202e]/);
  });

  it('paints by severity, and dims what was acknowledged', () => {
    const colors = pc.createColors(true);
    const painted = (one: Partial<Alert>): string =>
      alertTable([{ ...alert, ...one }], new Map(), now, colors)[1] ?? '';
    expect(painted({})).toMatch(/^\u001b\[33m/);
    expect(painted({ severity: 'error' })).toMatch(/^\u001b\[31m/);
    expect(painted({ severity: 'error', acknowledgedAt: alert.time })).toMatch(/^\u001b\[2m/);
  });
});
