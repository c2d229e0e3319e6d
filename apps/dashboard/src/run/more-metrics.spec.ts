import { expect, it } from 'vitest';
import { otherMetrics } from './more-metrics.js';

it('lists what no panel shows, by a part of its name', () => {
  const names = ['own/z', 'rollout/success_rate', 'energy/joules', 'rollout/label_cycle', 'tag/lake/own/a'];
  expect(otherMetrics(names)).toEqual(['energy/joules', 'own/z', 'tag/lake/own/a']);
  expect(otherMetrics(names, ' OWN')).toEqual(['own/z', 'tag/lake/own/a']);
});
