import type { RunSpec } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import { isValidationDue } from './schedule.js';
import type { TrainerState } from './trainer-state.js';

const due = (steps: number, validation: Partial<RunSpec['validation']>, skippedInARow = 0): number[] =>
  Array.from({ length: steps + 1 }, (_, step) => step).filter((step) =>
    isValidationDue(
      {
        steps,
        update: { maxSkipped: 3 },
        validation: { every: 2, atStart: false, atEnd: false, ...validation },
      } as RunSpec,
      { step, validatedStep: -1, skippedInARow } as TrainerState,
    ),
  );

describe('isValidationDue', () => {
  it('validates every so many iterations, the last among them', () => {
    expect(due(6, {})).toEqual([2, 4, 6]);
    expect(due(7, {})).toEqual([2, 4, 6]);
    expect(due(3, { every: 0 })).toEqual([]);
    expect(due(3, { every: 4 })).toEqual([]);
  });

  it('validates at both ends where that is asked for', () => {
    expect(due(5, { atStart: true })).toEqual([0, 2, 4]);
    expect(due(5, { atEnd: true })).toEqual([2, 4, 5]);
    expect(due(4, { atEnd: true })).toEqual([2, 4]);
  });

  it('ends where the signal is lost', () => {
    expect(due(4, { every: 0, atEnd: true }, 3)).toEqual([1, 2, 3, 4]);
    expect(due(4, {}, 3)).toEqual([2, 4]);
  });

  it('validates no step twice', () => {
    const validation = { every: 2, atStart: true, atEnd: true };
    const spec = { steps: 4, update: { maxSkipped: 0 }, validation } as RunSpec;
    for (const step of [0, 2, 4])
      expect(isValidationDue(spec, { step, validatedStep: step } as TrainerState), String(step)).toBe(false);
  });
});
