import { describe, expect, it } from 'vitest';
import { budgetSeconds, wallSeconds } from './budget-clock.js';

const row = (values: Record<string, number>) => ({ step: 1, time: 0, attempt: 1, values });
const busy = row({ 'time/step_seconds': 20, 'time/save_seconds': 1, 'time/cpu_seconds': 6 });

describe('the budget', () => {
  it('counts the processor’s time of one thread where that is less', () => {
    expect([wallSeconds(busy), budgetSeconds(busy, 1)]).toEqual([21, 6]);
    expect(budgetSeconds(row({ 'time/validate_seconds': 2, 'time/cpu_seconds': 3 }), 1)).toBe(2);
  });

  it('counts the wall clock for several threads, and where nothing else is known', () => {
    expect(budgetSeconds(busy, 2)).toBe(21);
    expect(budgetSeconds(busy, undefined)).toBe(21);
    expect(budgetSeconds(row({ 'time/step_seconds': 20 }), 1)).toBe(20);
  });
});
