import { findFall } from '@espalier/protocol/continued';
import { describe, expect, it } from 'vitest';
import { compareWithPlan, countStops, findPlanTurn, whyNoPlan } from './turning.js';

const plans = (...lengths: (number | null)[]) =>
  lengths.map((length) => ({
    plan: length === null ? null : Array.from({ length }, (_, n) => `a${n}`),
  }));

describe('the turn at which the way to success was lost', () => {
  it('is the first whose plan grows or vanishes after it', () => {
    expect(findPlanTurn(plans(4, 3, 5, 4, 6))).toEqual({ turn: 1, before: 3, after: 5 });
    expect(findPlanTurn(plans(4, 2, 0, 0))).toEqual({ turn: 1, before: 2, after: undefined });
  });

  it('is none where plans shrink or stay, are absent, or there never was a way', () => {
    expect(findPlanTurn(plans(4, 4, 3, 1))).toBeUndefined();
    expect(findPlanTurn(plans(null, 3, null, 5))).toBeUndefined();
    expect(findPlanTurn(plans(0, 0))).toBeUndefined();
    expect(findPlanTurn([])).toBeUndefined();
    expect(whyNoPlan(plans(null, null))).toContain('rollout.plans is off');
    expect(whyNoPlan(plans(null, 1))).toBeUndefined();
  });
});

describe('the model beside the oracle', () => {
  const of = (plan: string[] | null, ...actions: string[]) =>
    compareWithPlan({ plan, actions: actions.map((text) => ({ text })) as never });

  it('took the same actions, some of them, or others', () => {
    expect(of(['Up', 'Up'], 'Up', 'Up')).toBe('the same');
    expect(of(['Up', 'Left'], 'Up', 'Right')).toBe('the same for 1 of 2 actions');
    expect(of(['Up'], 'Down')).toBe('another action');
    expect(of(['Up'])).toBe('the model took no action');
    expect(of([], 'Up')).toBe('no way to success was left');
    expect(of(null, 'Up')).toBe('not recorded');
  });
});

describe('the turn at which continuations lose success', () => {
  const rate = (turn: number, low: number | null, high: number | null) => ({
    turn,
    successRate: low === null || high === null ? null : (low + high) / 2,
    successLow: low,
    successHigh: high,
  });

  it('is the one before an interval that lies wholly below', () => {
    expect(findFall([rate(0, 0.4, 0.6), rate(1, 0.5, 0.7), rate(4, 0.1, 0.4)])).toEqual({
      turn: 1,
      from: 0.6,
      to: 0.25,
    });
    expect(findFall([rate(0, 0.4, 0.6), rate(1, 0.2, 0.4)])).toBeUndefined();
    expect(findFall([rate(0, null, null), rate(1, 0.2, 0.4), rate(2, null, null)])).toBeUndefined();
  });
});

it('outcomes are counted by what ended them', () => {
  const end = (stopReason: string) => ({ stopReason, success: stopReason === 'success' });
  expect(countStops(['turns', 'success', 'turns'].map(end))).toEqual([
    ['turns', 2],
    ['success', 1],
  ]);
});
