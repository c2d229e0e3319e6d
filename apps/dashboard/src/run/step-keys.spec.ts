import { expect, it } from 'vitest';
import { stepOfKey } from './step-keys.js';

const press = (key: string, step?: number, to = step, shiftKey = false) =>
  stepOfKey({ key, shiftKey }, { step, to, lastStep: 30 });

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
});

it('with shift moves the end of a range that the key points to', () => {
  expect([press('ArrowRight', 4, 9, true), press('ArrowLeft', 4, 9, true)]).toEqual([10, 3]);
  expect([press('ArrowRight', 4, 9), press('ArrowLeft', 4, 9)]).toEqual([5, 3]);
});
