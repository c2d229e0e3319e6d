import type { LossSpec, Trajectory } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { buildMiniBatch, type TrainingExample, listLossPositions, pick, weighTokens } from './batch.js';

const spans = [
  { kind: 'template', start: 0, end: 3, turn: 0 },
  { kind: 'observation', start: 3, end: 5, turn: 0 },
  { kind: 'think', start: 5, end: 7, turn: 0 },
  { kind: 'answer', start: 7, end: 10, turn: 0 },
  { kind: 'control', start: 10, end: 11, turn: 0 },
  { kind: 'observation', start: 11, end: 13, turn: 1 },
  { kind: 'answer', start: 13, end: 14, turn: 1 },
] as const;
const trajectory = {
  spans,
  tokens: Int32Array.from({ length: 14 }, (_, t) => 100 + t),
} as unknown as Trajectory;
const all = { think: true, answer: true, control: true };
const loss: LossSpec = { id: 'test', params: {}, columns: ['advantages'], build: undefined };

const example = (count: number): TrainingExample => {
  const positions = Int32Array.from({ length: count }, (_, index) => index + 1);
  return { trajectory, positions, columns: { advantages: new Float32Array(count).fill(2) } };
};

describe('listLossPositions', () => {
  it('lists sampled positions and nothing else', () => {
    expect([...listLossPositions(trajectory, all)]).toEqual([5, 6, 7, 8, 9, 10, 13]);
  });

  it('obeys the setting of each span kind', () => {
    expect([...listLossPositions(trajectory, { ...all, think: false })]).toEqual([7, 8, 9, 10, 13]);
    expect([...listLossPositions(trajectory, { ...all, answer: false, control: false })]).toEqual([5, 6]);
  });
});

describe('weighTokens', () => {
  const weightsOf = (aggregation: 'token-mean' | 'sequence-mean-token-mean' | 'sequence-mean-token-sum') =>
    weighTokens([example(1), example(4), example(3)], { lossAggregation: aggregation }).map((own) => [
      ...own,
    ]);

  it('weighs tokens over the whole mini-batch', () => {
    expect(weightsOf('token-mean')[1]).toEqual([0.125, 0.125, 0.125, 0.125]);
    expect(weightsOf('sequence-mean-token-mean').map((own) => own[0])).toEqual(
      [1 / 3, 1 / 12, 1 / 9].map(Math.fround),
    );
    expect(weightsOf('sequence-mean-token-sum').map((own) => own[0])).toEqual(
      [1 / 3, 1 / 3, 1 / 3].map(Math.fround),
    );
  });
});

describe('buildMiniBatch', () => {
  it('asks at the temperature of sampling and hands over only the columns of the loss', () => {
    const withMore = {
      ...example(2),
      columns: { advantages: new Float32Array(2), returns: new Float32Array(2) },
    };
    const weights = [Float32Array.of(0.25, 0.75)];
    const [datum] = buildMiniBatch([withMore], loss, { temperature: 0.7, weights });
    expect([...(datum?.weights ?? [])]).toEqual([0.25, 0.75]);
    expect(datum?.temperature).toBe(0.7);
    expect(Object.keys(datum?.columns ?? {})).toEqual(['advantages']);
  });
});

describe('pick', () => {
  it('marks positions outside the array as no number', () => {
    expect([...pick([1, 2, 3], Int32Array.of(2, 5))]).toEqual([3, Number.NaN]);
  });
});
