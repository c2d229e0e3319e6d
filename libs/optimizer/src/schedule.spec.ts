import { runSpecSchema } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { learningRateAt } from './schedule.js';

const optimizer = (schedule: object) => runSpecSchema.shape.optimizer.parse({ learningRate: 8, schedule });
const rates = (steps: number, schedule: object) =>
  Array.from({ length: steps }, (_, step) => learningRateAt(step, steps, optimizer(schedule)));

describe('learningRateAt', () => {
  it('is constant without a schedule, even past the planned end', () => {
    expect(rates(3, {})).toEqual([8, 8, 8]);
    expect(learningRateAt(10, 3, optimizer({}))).toBe(8);
  });

  it('grows linearly during warm-up and is full at the step after it', () => {
    expect(rates(5, { warmupSteps: 3 })).toEqual([2, 4, 6, 8, 8]);
  });

  it('decays linearly towards the final ratio', () => {
    expect(rates(4, { kind: 'linear' })).toEqual([8, 6, 4, 2]);
    expect(rates(4, { kind: 'linear', finalRatio: 0.5 })).toEqual([8, 7, 6, 5]);
    expect(rates(6, { kind: 'linear', warmupSteps: 1, finalRatio: 0.5 })).toEqual([4, 8, 7.2, 6.4, 5.6, 4.8]);
  });

  it('decays along half a cosine', () => {
    // (1 + cos(pi / 3)) / 2 = 3/4 and (1 + cos(2 pi / 3)) / 2 = 1/4
    const [first, second, third] = rates(3, { kind: 'cosine' });
    expect(first).toBe(8);
    expect(second).toBeCloseTo(6, 12);
    expect(third).toBeCloseTo(2, 12);
    expect(learningRateAt(2, 4, optimizer({ kind: 'cosine', finalRatio: 0.5 }))).toBeCloseTo(6, 12);
  });

  it('stays at the final ratio past the planned end', () => {
    expect(learningRateAt(9, 4, optimizer({ kind: 'linear', finalRatio: 0.25 }))).toBe(2);
    expect(learningRateAt(9, 4, optimizer({ kind: 'cosine' }))).toBe(0);
  });

  it('only warms up when warm-up is longer than the run', () => {
    expect(rates(2, { kind: 'cosine', warmupSteps: 3 })).toEqual([2, 4]);
  });

  it('rejects a step that is not an integer ≥ 0', () => {
    expect(() => learningRateAt(-1, 4, optimizer({}))).toThrow('learning rate: step is -1');
  });
});
