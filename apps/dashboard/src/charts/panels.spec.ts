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

  it('have a line for each environment and level, by its training where it is not validated', () => {
    const names = [
      'validation/success_rate',
      'tag/lake/validation/success_rate',
      'tag/lake/rollout/success_rate',
      'tag/my_box/rollout/success_rate',
      'tag/lake/validation/success_low',
      'curriculum/success_rate_2',
    ];
    const [success] = panels;
    const lines = success === undefined ? [] : linesOf(success, names, () => false);
    expect(lines.map(({ metric, label }) => [metric, label])).toEqual([
      ['validation/success_rate', 'validation'],
      ['tag/lake/validation/success_rate', 'lake'],
      ['tag/my_box/rollout/success_rate', 'my_box, training'],
      ['curriculum/success_rate_2', 'level 2'],
    ]);
    expect(names.map(isShown)).toEqual([true, true, true, true, false, true]);
  });

  it('show how far several critics differ beside what they are worth, where there are several', () => {
    const critic = panels.find(({ id }) => id === 'explained')!;
    const of = (...names: string[]) => linesOf(critic, names, () => false).map(({ metric }) => metric);
    expect(of('critic/explained_variance', 'critic/value')).toEqual(['critic/explained_variance']);
    expect(of('critic/ensemble_std', 'critic/explained_variance')).toEqual([
      'critic/explained_variance',
      'critic/ensemble_std',
    ]);
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
