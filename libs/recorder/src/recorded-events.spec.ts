import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Trajectory } from '@espalier/contracts';
import { afterAll, describe, expect, it } from 'vitest';
import { encodeCheckedLine } from '@espalier/files';
import { createTrajectorySink } from './trajectory-log.js';
import { readRecordedEvents } from './recorded-events.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-recorded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const trajectoryOf = (split: Trajectory['split'], step: number): Trajectory => ({
  id: `${split}/${step}/0/0`,
  environment: 'grid',
  split,
  step,
  group: 0,
  index: 0,
  seeds: { state: 1, noise: 2, sampling: 3 },
  tokens: new Int32Array(),
  logprobs: new Float32Array(),
  entropies: new Float32Array(),
  spans: [],
  turns: [],
  score: { environment: 0, formatPenalty: 0, rewards: {}, perTurn: [], total: 0 },
  stopReason: 'success',
  success: true,
  labels: [],
  timings: { totalMs: 1 },
});

const lines = (rows: readonly object[]): string => rows.map(encodeCheckedLine).join('');

describe('the events of a run folder', () => {
  it('are ordered by attempt and time, with an end after metrics of the same time', () => {
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
      '1 run-started 1',
      '1 metrics 4',
      '1 warning 5',
      '1 metrics 9',
      '2 run-started 20',
      '2 metrics 30',
      '2 run-ended 30',
    ]);
  });

  it('put training trajectories before the first metrics of a step, and validation ones before the last', async () => {
    const run = join(folder, 'trained');
    const sink = createTrajectorySink(join(run, 'trajectories'));
    for (const [split, step] of [
      ['train', 1],
      ['validation', 1],
      ['train', 2],
    ] as const)
      sink.emit({ kind: 'trajectory', time: 1, step, trajectory: trajectoryOf(split, step), kept: true });
    await sink.flush();
    const started = { kind: 'run-started', time: 1, runId: 'r', attempt: 1, step: 0, steps: 2 };
    writeFileSync(join(run, 'events.jsonl'), lines([started]));
    const row = (step: number, time: number) => ({ step, time, attempt: 1, values: { a: 1 } });
    writeFileSync(join(run, 'metrics.jsonl'), lines([row(1, 2), row(1, 3), row(2, 4)]));
    const told = [...readRecordedEvents(run)].map(({ event }) => {
      const { kind, step, row } = event as { kind: string; step: number; row?: { id: string } };
      return row?.id ?? `${kind} ${step}`;
    });
    expect(told).toEqual([
      'run-started 0',
      'train/1/0/0',
      'metrics 1',
      'validation/1/0/0',
      'metrics 1',
      'train/2/0/0',
      'metrics 2',
    ]);
  });

  it('are empty for an empty folder', () => {
    expect([...readRecordedEvents(join(folder, 'nothing'))]).toEqual([]);
  });
});
