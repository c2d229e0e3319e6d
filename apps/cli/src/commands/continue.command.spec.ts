import type { StoredTrajectory } from '@espalier/recorder';
import type { ContinuedTrajectory } from '@espalier/trainer/continue';
import { describe, expect, it } from 'vitest';
import { linesOf, parseTurns } from './continue.command.js';

const turn = (index: number, rate: number | null, [low, high]: readonly [number, number]) => ({
  turn: index,
  episodes: rate === null ? 0 : 8,
  failed: rate === null ? 8 : 0,
  successRate: rate,
  successLow: low,
  successHigh: high,
  rewardMean: rate,
});

describe('the turns to continue from', () => {
  it('count from 1, as people read them', () => {
    expect(parseTurns('1,3')).toEqual([0, 2]);
    expect(() => parseTurns('0,2')).toThrow(
      '--turns 0,2: expected turns with commas, such as 1,3,6; the first',
    );
  });
});

describe('what continuations say', () => {
  it('numbers turns from 1, and calls the reward a mean', () => {
    const continued = [turn(0, 0.75, [0.6, 0.9]), turn(1, 0.25, [0.1, 0.4]), turn(2, null, [0, 0])];
    const played = { id: 'train/1/0/0', success: false, turns: [{ actions: [{ text: 'Up' }] }] };
    const lines = linesOf(
      'runs/a',
      { continued, temperature: 1 } as unknown as ContinuedTrajectory,
      played as unknown as StoredTrajectory,
    );
    expect(lines.slice(1)).toEqual([
      'turn 1: success 75.0 % [60.0, 90.0] in 8 episodes, mean reward 0.75; it took Up',
      'turn 2: success 25.0 % [10.0, 40.0] in 8 episodes, mean reward 0.25; it took no action',
      'turn 3: no episode completed, 8 failed; it took no action',
      'success fell at turn 1: from 75.0 % to 25.0 % after it',
    ]);
  });
});
