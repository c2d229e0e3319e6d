import { expect, it } from 'vitest';
import { chooseByKey, rangeUpTo, walkByKey } from './step-keys.js';

const lastStep = 30;
const press = (key: string, at?: number) =>
  chooseByKey({ key, shiftKey: false }, { at, range: undefined, lastStep });
const grow = (key: string, from: number, to: number) =>
  chooseByKey({ key, shiftKey: true }, { at: from, range: { from, to }, lastStep });

it('goes by one or ten steps and to the ends, and stays among those that are done', () => {
  expect(
    ['ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End'].map((key) => press(key, 12)),
  ).toEqual([11, 13, 22, 2, 1, 30]);
  expect([press('ArrowLeft', 1), press('PageDown', 5), press('ArrowRight', 30), press('PageUp', 25)]).toEqual(
    [1, 1, 30, 30],
  );
});

it('begins at the newest step where none is chosen, and leaves other keys alone', () => {
  expect([press('ArrowLeft'), press('ArrowRight'), press('a', 3), press('Enter', 3)]).toEqual([
    29,
    30,
    undefined,
    undefined,
  ]);
  const nothing = { at: undefined, range: undefined, lastStep };
  expect(chooseByKey({ key: 'ArrowLeft', shiftKey: true }, nothing)).toEqual({ from: 29, to: 30 });
});

it('with shift moves the end of a range that the key points to, and never the other', () => {
  expect([grow('ArrowRight', 4, 9), grow('ArrowLeft', 4, 9)]).toEqual([
    { from: 4, to: 10 },
    { from: 3, to: 9 },
  ]);
  expect([grow('Home', 4, 9), grow('End', 4, 9), grow('PageUp', 4, 9), grow('PageDown', 4, 9)]).toEqual([
    { from: 1, to: 9 },
    { from: 4, to: 30 },
    { from: 4, to: 19 },
    { from: 1, to: 9 },
  ]);
  expect([grow('ArrowLeft', 1, 5), grow('ArrowRight', 26, 30)]).toEqual([
    { from: 1, to: 5 },
    { from: 26, to: 30 },
  ]);
});

it('chooses up to a step by a click with shift, which makes a range longer or shorter', () => {
  const range = { from: 4, to: 9 };
  expect([12, 6, 4, 2].map((step) => rangeUpTo(step, { range, lastStep }))).toEqual([
    { from: 4, to: 12 },
    { from: 4, to: 6 },
    { from: 4, to: 4 },
    { from: 2, to: 9 },
  ]);
  expect(rangeUpTo(20, { range: undefined, lastStep })).toEqual({ from: 20, to: 30 });
});

it('goes through trajectories by up, down and Enter, and not with shift', () => {
  const walk = (key: string, shiftKey = false) => walkByKey({ key, shiftKey });
  expect(['ArrowDown', 'ArrowUp', 'Enter', 'ArrowLeft', 'a'].map((key) => walk(key))).toEqual([
    1,
    -1,
    'open',
    undefined,
    undefined,
  ]);
  expect(walk('ArrowDown', true)).toBeUndefined();
});
