import type { Run, RunDetails } from '@espalier/client';
import pc from 'picocolors';
import { describe, expect, it } from 'vitest';
import { type Paced, presentAttempt, runTable, timeLeft } from './run-table.js';

const now = Date.parse('2026-01-01T01:00:00Z');
const run = {
  id: 'run-1',
  name: 'bandit',
  title: '',
  state: 'running',
  step: 10,
  steps: 40,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: '2026-01-01T00:50:00Z',
  latest: { 'rollout/success_rate': 0.5 },
} as unknown as Run;
const attempt: Paced = {
  state: 'running',
  jobId: 'job-1',
  startedAt: '2026-01-01T00:50:00Z',
  startStep: 0,
};

describe('the table of runs', () => {
  it('gives a line each with step, newest success, age and the time left at this pace', () => {
    const [head, line] = runTable([run], now, pc.createColors(false), new Map([['run-1', attempt]]));
    expect(head).toMatch(/^RUN +NAME +STATE +STEP +SUCCESS +AGE +LEFT$/);
    expect(line).toMatch(/^run-1 +bandit +running +10\/40 +50\.0 % +1 h 0 min +~30 min 0 s$/);
  });

  it('prefers success of validation, and shows neither before there is any', () => {
    const validated = { ...run, latest: { ...run.latest, 'validation/success_rate': 0.25 } };
    const fresh = { ...run, state: 'queued', step: null, latest: {} } as Run;
    const [, first, second] = runTable([validated, fresh], now, pc.createColors(false));
    expect(first).toContain('25.0 %');
    expect(second).toMatch(/queued +0\/40 +– +1 h 0 min$/);
  });

  it('says nothing of the time left while that would be a guess', () => {
    expect(timeLeft({ ...run, step: 2 }, attempt, now)).toBe('');
    expect(timeLeft({ ...run, state: 'paused' }, attempt, now)).toBe('');
    expect(timeLeft({ ...run, step: 40 }, attempt, now)).toBe('');
    expect(timeLeft(run, undefined, now)).toBe('');
    expect(timeLeft(run, { ...attempt, startStep: null }, now)).toBe('');
    expect(timeLeft(run, { ...attempt, startStep: 8 }, now)).toBe('');
  });

  it('reads the pace from the present attempt alone, whatever pauses and losses came before it', () => {
    const again: Paced = { ...attempt, startedAt: '2026-01-01T00:59:00Z', startStep: 4 };
    expect(timeLeft(run, again, now)).toBe('~5 min 0 s');
    const jobs = [
      { id: 'job-1', kind: 'train' },
      { id: 'job-2', kind: 'evaluate' },
    ];
    const attempts = [{ ...attempt, state: 'lost' }, again, { ...attempt, jobId: 'job-2' }];
    expect(presentAttempt({ jobs, attempts } as unknown as RunDetails)).toBe(again);
  });

  it('keeps names from steering the terminal', () => {
    const [, line] = runTable([{ ...run, name: 'a\u001b[2Jb' }], now, pc.createColors(false));
    expect(line).toContain('a [2Jb');
  });
});
