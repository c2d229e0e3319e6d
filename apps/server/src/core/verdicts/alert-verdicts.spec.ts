import type { HealthFinding } from '@espalier/contracts/health';
import { describe, expect, it } from 'vitest';
import { toAlertFinding } from './alert-verdicts.service.js';

const finding: HealthFinding = {
  rule: 'entropy-fall',
  level: 'warning',
  input: 'entropy',
  measure: 0.25,
  limit: 0.4,
  value: 0.3,
  baseline: 1.2,
  since: 5,
  history: [1.2, 0.3],
};

describe('the limit of a rule on its metric', () => {
  it.each([
    ['a share of the start', {}, 0.48, 'below'],
    ['the value itself', { measure: 0.3, baseline: null }, 0.4, 'below'],
    [
      'the value of a complement',
      { input: 'difference', measure: 0.25, value: 0.2, baseline: 0.8 },
      1 - 0.32,
      'above',
    ],
  ] as const)('is where %s is', (_, changed, limit, side) => {
    const { metricLimit, side: found } = toAlertFinding({ ...finding, ...changed });
    expect(metricLimit).toBeCloseTo(limit, 12);
    expect(found).toBe(side);
  });

  it('is nowhere for a sum of shortfalls, which is not a success rate', () => {
    const declined = {
      ...finding,
      rule: 'success-decline',
      input: 'success',
      measure: 4.95,
      limit: 4,
      value: 0.3,
      baseline: 0.4,
    } as const;
    expect(toAlertFinding({ ...declined, input: 'tag/near/success' }).metrics).toEqual([
      'tag/near/rollout/success_rate',
    ]);
    expect(toAlertFinding(declined)).toMatchObject({ metricLimit: null, side: 'above', limit: 4 });
  });
});
