import { describe, expect, it } from 'vitest';
import {
  applyBrushes,
  dimensionsOf,
  labelOf,
  readBrushes,
  readSelection,
  tellingSettings,
  writeBrushes,
} from './selection.js';

const read = (text: string) => readSelection(new URLSearchParams(text));
const metric = (runId: string, last: number | null) => ({ runId, last, max: 1, min: 0, tailMean: null });
const compared = {
  runs: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
  differences: [
    { path: 'name', values: ['x', 'y', 'z'] },
    { path: 'optimizer.learningRate', values: [1e-3, 1e-4, null] },
    { path: 'algorithm.use', values: ['grpo', 'ppo', 'ppo'] },
    { path: 'filter', values: [true, 'top', 3] },
  ],
  metrics: [{ name: 'reward', runs: [metric('a', 0.5), metric('c', null)] }],
};

describe('what is compared', () => {
  it('is nothing until runs or a filter are named; runs win', () => {
    expect(read('').filter).toBeUndefined();
    expect(read('all=1').filter).toEqual({});
    expect(read('tag=sweep&state=failed').filter).toEqual({
      tag: 'sweep',
      states: ['failed'],
    });
    expect(read('runs=a,b&tag=sweep')).toMatchObject({ ids: ['a', 'b'], filter: { ids: ['a', 'b'] } });
    expect(read('by=algorithm.use,seed&axis=tokens&band=range&from=3&to=x')).toMatchObject({
      by: ['algorithm.use', 'seed'],
      axis: 'tokens',
      band: 'range',
      from: 3,
      to: undefined,
    });
    expect(read('axis=years&stat=toString')).toMatchObject({ axis: 'step', statistic: 'last' });
  });

  it('keeps brushes in the address, and what is none out', () => {
    const brushes = { 'optimizer.learningRate': [1e-4, 1e-3], 'algorithm.use': ['ppo'] } as const;
    expect(readBrushes(writeBrushes(brushes) ?? null)).toEqual(brushes);
    expect(readBrushes('{"a":[1],"b":[],"c":[1,"x"],"d":7,"e":[1,2]}')).toEqual({ e: [1, 2] });
    expect([readBrushes('{'), readBrushes('[1]'), readBrushes('null'), writeBrushes({})]).toEqual([
      {},
      {},
      {},
      undefined,
    ]);
  });

  it('has settings that differ and outcomes as dimensions; what is absent stays absent', () => {
    expect(dimensionsOf(compared, 'last', ['reward'])).toEqual([
      { name: 'optimizer.learningRate', kind: 'setting', values: [1e-3, 1e-4, null], isNumeric: true },
      { name: 'algorithm.use', kind: 'setting', values: ['grpo', 'ppo', 'ppo'], isNumeric: false },
      { name: 'filter', kind: 'setting', values: ['true', 'top', '3'], isNumeric: false },
      { name: 'reward', kind: 'outcome', values: [0.5, null, null], isNumeric: true },
    ]);
  });

  it('is narrowed by brushes; a run without the value is outside', () => {
    const dimensions = dimensionsOf(compared, 'last', []);
    const kept = (brushes: Parameters<typeof applyBrushes>[1]) => applyBrushes(dimensions, brushes, 3);
    expect(kept({ 'optimizer.learningRate': [0, 1] })).toEqual([true, true, false]);
    expect(kept({ 'algorithm.use': ['ppo'], 'optimizer.learningRate': [0, 1] })).toEqual([
      false,
      true,
      false,
    ]);
    expect(kept({ reward: [0.5, 0.5] })).toEqual([true, false, false]);
    expect(kept({ gone: [0, 1] })).toEqual([true, true, true]);
  });

  it('has one axis for settings that change together', () => {
    const setting = (name: string, values: (number | string)[]) =>
      ({ name, kind: 'setting', values, isNumeric: true }) as const;
    const telling = tellingSettings([
      setting('algorithm.clip', [1, 2, 2]),
      setting('algorithm.use', ['a', 'b', 'b']),
      setting('rate', [1, 1, 2]),
      setting('seed', [1, 2, 3]),
    ]);
    expect(telling.map(({ name }) => name)).toEqual(['algorithm.use', 'rate']);
  });

  it('names a group after what it shares', () => {
    const group = { values: ['ppo', null], runIds: ['a', 'b'], seeds: [1, 2] };
    expect(labelOf(group, ['algorithm.use', 'x.y'], String)).toBe('ppo, y not set · 2 runs');
    expect(labelOf({ ...group, runIds: ['a'] }, undefined, (id) => `run ${id}`)).toBe('run a');
  });
});
