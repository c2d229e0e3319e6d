import { expect, it } from 'vitest';
import { otherMetrics } from './more-metrics.js';

it('lists what no panel shows, by a part of its name', () => {
  const names = ['own/z', 'rollout/success_rate', 'energy/joules', 'rollout/label_cycle', 'tag/lake/own/a'];
  expect(otherMetrics(names)).toEqual(['energy/joules', 'own/z', 'tag/lake/own/a']);
  expect(otherMetrics(names, ' OWN')).toEqual(['own/z', 'tag/lake/own/a']);
});

it('lists what is read but drawn nowhere, and what another metric is drawn instead of', () => {
  const names = ['rollout/turns', 'validation/turns', 'total/episodes', 'rollout/policy_lag_mean'];
  expect(otherMetrics(names)).toEqual([...names].sort());
  const ofTag = 'tag/lake/rollout/success_rate';
  expect(otherMetrics([ofTag])).toEqual([]);
  expect(otherMetrics([ofTag, 'tag/lake/validation/success_rate'])).toEqual([ofTag]);
  expect(otherMetrics([ofTag, 'tag/lake/validation/success_rate'], 'lake')).toEqual([ofTag]);
  // tiles, lanes and bands draw these
  const drawn = [
    'rollout/failed_share',
    'time/save_seconds',
    'validation/success_rate',
    'validation/success_low',
  ];
  expect(otherMetrics(drawn)).toEqual([]);
});
