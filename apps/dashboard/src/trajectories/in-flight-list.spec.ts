import type { InFlightSummary } from '../data/types.js';
import { describe, expect, it } from 'vitest';
import { chooseEpisode, countPhases, nonePlayed, withChanges } from './in-flight-list.js';

const episode = (id: string, more: Partial<InFlightSummary> = {}): InFlightSummary => ({
  id,
  step: Number(id.split('/')[1]),
  turn: 0,
  phase: 'sampling',
  preview: '',
  reward: 0,
  ended: null,
  ...more,
});

describe('the episodes that are played', () => {
  it('stay where they began, and go with their step', () => {
    const first = withChanges(nonePlayed, [episode('train/1/0/1'), episode('train/1/0/0')]);
    const second = withChanges(first, [episode('train/1/0/2'), episode('train/1/0/1', { turn: 3 })]);
    expect([...second.episodes.values()].map(({ id, turn }) => [id, turn])).toEqual([
      ['train/1/0/1', 3],
      ['train/1/0/0', 0],
      ['train/1/0/2', 0],
    ]);
    // what the step before still tells is its end
    const next = withChanges(second, [episode('train/2/0/0'), episode('train/1/0/0', { ended: 'success' })]);
    expect([next.step, [...next.episodes.keys()]]).toEqual([2, ['train/2/0/0']]);
    const late = withChanges(next, [episode('train/1/0/1', { ended: 'success' })]);
    expect([late.step, late.episodes.size]).toEqual([2, 1]);
    // a run that was rolled back plays a step again
    expect(withChanges(next, [episode('train/1/0/0')]).step).toBe(1);
  });

  it('are counted by what they are at', () => {
    const over = episode('train/1/0/0', { ended: 'failure', phase: 'over' });
    const acting = episode('train/1/0/1', { phase: 'acting' });
    const between = episode('train/1/0/2', { phase: 'over' });
    expect(countPhases([over, acting, between, episode('train/1/0/3')])).toEqual({
      write: 2,
      act: 1,
      ended: 1,
    });
  });

  it('are read at the same place in the next step', () => {
    const played = withChanges(nonePlayed, [episode('train/2/0/0'), episode('train/2/1/3')]);
    expect(chooseEpisode(played, 'train/1/1/3')).toBe('train/2/1/3');
    expect(chooseEpisode(played, 'train/2/1/3')).toBe('train/2/1/3');
    expect(chooseEpisode(played, 'train/1/7/7')).toBe('train/2/0/0');
    expect(chooseEpisode(played, undefined)).toBe('train/2/0/0');
    expect(chooseEpisode(nonePlayed, undefined)).toBeUndefined();
  });
});
