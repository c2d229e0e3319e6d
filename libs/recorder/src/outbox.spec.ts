import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from '@espalier/contracts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOutboxSink } from './index.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-outbox-'));
  path = join(folder, 'outbox.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const written = (): Record<string, unknown>[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const phase = (name: 'collect' | 'update' | 'save', done: number): RunEvent => ({
  kind: 'phase',
  time: 0,
  step: 1,
  phase: name,
  done,
  total: 100,
});

describe('createOutboxSink', () => {
  it('limits phase events to four per second and prefers changes of phase', () => {
    let time = 0;
    const sink = createOutboxSink(path, { now: () => time });
    for (; time < 1000; time += 10) sink.emit(phase('collect', time / 10));
    expect(written().map(({ done }) => done)).toEqual([0, 50]);
    sink.emit(phase('update', 0));
    sink.emit(phase('save', 0));
    sink.emit(phase('collect', 0));
    sink.close();
    expect(written().map(({ phase: name }) => name)).toEqual([
      'collect',
      'collect',
      'update',
      'save',
      'collect',
    ]);
  });

  it('writes non-finite numbers as null, and no null characters', () => {
    const sink = createOutboxSink(path);
    sink.emit({ kind: 'metrics', time: 0, step: 1, values: { a: Number.NaN, b: 1, c: -Infinity } });
    sink.emit({ kind: 'warning', time: 0, step: 1, code: 'x', message: `a\0${'b'.repeat(30_000)}` });
    sink.close();
    const [metrics, warning] = written();
    expect(metrics?.['values']).toEqual({ a: null, b: 1, c: null });
    expect(warning?.['message']).toBe(`a\u{fffd}${'b'.repeat(19_998)}`);
  });

  it('starts a new line after an incomplete one', () => {
    appendFileSync(path, '{"kind":"metr');
    const sink = createOutboxSink(path);
    sink.emit(phase('save', 1));
    sink.close();
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  });

  it('throws a failed write at flush, not at emit', async () => {
    const sink = createOutboxSink(join(folder, 'missing', 'outbox.jsonl'));
    expect(() => sink.emit(phase('save', 1))).not.toThrow();
    await expect(sink.flush()).rejects.toThrow('free disk space');
  });

  it('has a line for each turn in flight with short texts, and none after it was closed', () => {
    const sink = createOutboxSink(path);
    const turn = {
      time: 1,
      step: 1,
      id: 'train/1/0/0',
      environment: 'lake',
      turn: 0,
      phase: 'acting',
      observation: 'o'.repeat(3000),
      render: null,
      image: 'i'.repeat(20_000),
      response: 'left\0',
      actions: ['a'.repeat(300)],
      reward: 0,
      totalReward: 0,
      ended: null,
    } as const;
    sink.follow?.([turn, { ...turn, turn: 1, image: 'small' }]);
    sink.close();
    sink.follow?.([turn]);
    const [first, second, ...rest] = written();
    expect(first).toEqual({
      ...turn,
      kind: 'turn',
      observation: 'o'.repeat(2000),
      image: null,
      response: 'left\u{fffd}',
      actions: ['a'.repeat(200)],
    });
    expect([second?.['turn'], second?.['image'], rest]).toEqual([1, 'small', []]);
  });
});
