import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent, Trajectory } from '@espalier/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createEventLogSink,
  createMemorySink,
  createMetricSink,
  createTeeSink,
  createTrajectorySink,
  listTrajectorySteps,
  readMetrics,
  readTrajectories,
} from './index.js';

let folder = '';
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'espalier-recorder-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const metrics = (step: number, value: number): RunEvent => ({
  kind: 'metrics',
  time: step,
  step,
  values: { 'a/b': value },
});

function trajectory(id: string, step: number): Trajectory {
  return {
    id,
    environment: 'grid',
    split: id.startsWith('v') ? 'validation' : 'train',
    step,
    group: 0,
    index: 0,
    seeds: { state: 1, noise: 2, sampling: 4294967295 },
    tokens: Int32Array.of(1, -2, 2147483647),
    logprobs: Float32Array.of(-0.1, Number.NaN, -Infinity),
    entropies: Float32Array.of(0, 1e-40, 3.4e38),
    spans: [{ kind: 'think', start: 0, end: 2, turn: 0 }],
    turns: [],
    score: { environment: 1, formatPenalty: -0, rewards: {}, perTurn: [Number.POSITIVE_INFINITY], total: 1 },
    stopReason: 'success',
    success: true,
    labels: [{ name: 'cycle', turn: 1 }],
    timings: { totalMs: 3 },
  };
}
const attempt = (id: string, step: number): RunEvent => ({
  kind: 'trajectory',
  time: 0,
  step,
  trajectory: trajectory(id, step),
  kept: true,
});

describe('createMetricSink', () => {
  it('writes a row per event with its attempt', async () => {
    const path = join(folder, 'metrics.jsonl');
    const sink = createMetricSink(path);
    sink.emit(metrics(0, 0.5));
    sink.emit({ kind: 'run-started', time: 0, runId: 'x', attempt: 2, step: 1, steps: 2 });
    sink.emit(metrics(1, Number.NaN));
    await sink.flush();
    sink.close();
    expect(readMetrics(path)).toEqual([
      { step: 0, time: 0, attempt: 1, values: { 'a/b': 0.5 } },
      { step: 1, time: 1, attempt: 2, values: { 'a/b': Number.NaN } },
    ]);
  });

  it('throws a failed write at flush, not at emit', async () => {
    const sink = createMetricSink(join(folder, 'm.jsonl'));
    sink.close();
    expect(() => sink.emit(metrics(0, 1))).not.toThrow();
    await expect(sink.flush()).rejects.toThrow('free disk space');
  });
});

describe('createTrajectorySink', () => {
  it('restores every bit of what was stored, step by step', async () => {
    const sink = createTrajectorySink(folder);
    sink.emit(attempt('t0', 0));
    sink.emit(metrics(0, 1));
    sink.emit(attempt('t1', 0));
    sink.emit(attempt('t2', 1));
    await sink.flush();
    expect(listTrajectorySteps(folder)).toEqual([0, 1]);
    expect(readTrajectories(folder, { step: 0 })).toEqual([
      { ...trajectory('t0', 0), kept: true },
      { ...trajectory('t1', 0), kept: true },
    ]);
    expect(readTrajectories(folder, { step: 7 })).toEqual([]);
  });

  it('reads the complete part of a truncated file', async () => {
    const sink = createTrajectorySink(folder);
    sink.emit(attempt('t0', 0));
    await sink.flush();
    sink.emit(attempt('t1', 0));
    await sink.flush();
    const path = join(folder, 'step-000000.jsonl.gz');
    truncateSync(path, readFileSync(path).length - 30);
    expect(readTrajectories(folder, { step: 0 }).map(({ id }) => id)).toEqual(['t0']);
  });
});

describe('createTeeSink', () => {
  it('forwards every event to every sink', async () => {
    const memory = createMemorySink();
    const path = join(folder, 'events.jsonl');
    const log = createEventLogSink(path);
    const tee = createTeeSink(memory, log);
    tee.emit({ kind: 'checkpoint', time: 5, step: 1, folder: 'c' });
    tee.emit(metrics(1, 1));
    await tee.flush();
    log.close();
    expect(memory.events).toHaveLength(2);
    expect(readFileSync(path, 'utf8')).toMatch(
      /^\{"kind":"checkpoint","time":5,"step":1,"folder":"c","crc":"[0-9a-f]{8}"\}\n$/,
    );
  });
});
