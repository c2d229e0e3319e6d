import { expect, it } from 'vitest';
import { earnedAt, framesOf } from './frames.js';

const turns = [
  { index: 0, reward: -0.1 },
  { index: 1, reward: 1 },
];

it('shows state, reply and actions of each turn, then the end', () => {
  expect(framesOf(turns).map(({ turn, part }) => `${turn} ${part}`)).toEqual([
    '0 state',
    '0 reply',
    '0 actions',
    '1 state',
    '1 reply',
    '1 actions',
    '1 end',
  ]);
  expect(framesOf([])).toEqual([]);
});

it('counts the reward of a turn once its actions are shown', () => {
  expect(framesOf(turns).map((frame) => earnedAt(turns, frame))).toEqual([0, 0, -0.1, -0.1, -0.1, 0.9, 0.9]);
});
