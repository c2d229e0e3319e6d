import { describe, expect, it } from 'vitest';
import { similarNames, validateMetricNames } from './validate-metric-names.js';

const names = [
  'rollout/success_rate',
  'validation/success_rate',
  'rollout/reward_mean',
  'policy/approx_kl',
  'time/step_seconds',
];

describe('metrics that no run has', () => {
  it('are told with the nearest names first', () => {
    expect(similarNames('rollout/succes_rate', names)[0]).toBe('rollout/success_rate');
    expect(similarNames('success_rate', names).slice(0, 2).sort()).toEqual(names.slice(0, 2));
    expect(similarNames('policy/aprox-kl', names)[0]).toBe('policy/approx_kl');
    expect(similarNames('kl', ['policy/approx_kl'])).toEqual(['policy/approx_kl']);
  });

  it('are refused, each of them', () => {
    const refuse = () => validateMetricNames(['rollout/reward_mean', 'rollout/reward', 'x'], new Set(names));
    expect(refuse).toThrow(/"rollout\/reward" \(near it: rollout\/reward_mean.*"x"/);
    expect(() => validateMetricNames(['rollout/reward_mean'], new Set(names))).not.toThrow();
  });

  it('are nothing to refuse where there are no metrics yet', () => {
    expect(() => validateMetricNames(['x'], new Set())).not.toThrow();
  });
});
