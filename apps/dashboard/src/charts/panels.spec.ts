import { describe, expect, it } from 'vitest';
import { isShown, linesOf, panels } from './panels.js';

describe('panels', () => {
  it('are at most sixteen, with a name each', () => {
    expect(panels.length).toBeLessThanOrEqual(16);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('have the lines that a run reports, wildcards filled in, without parts that are always 0', () => {
    const groups = panels.find(({ id }) => id === 'groups');
    const names = [
      'select/kept_groups',
      'select/dropped/low_variance',
      'select/dropped/zero_variance',
      'select/groups',
    ];
    const lines =
      groups === undefined ? [] : linesOf(groups, names, (name) => name.endsWith('zero_variance'));
    expect(lines.map(({ label }) => label)).toEqual(['kept', 'low variance']);
  });

  it('ask for the metrics that they show, no others', () => {
    expect([
      isShown('rollout/success_rate'),
      isShown('rollout/label_cycle'),
      isShown('validation/success_low'),
      isShown('rollout/reward_high'),
    ]).toEqual([true, true, true, true]);
    expect(isShown('memory/peak_bytes')).toBe(false);
  });
});
