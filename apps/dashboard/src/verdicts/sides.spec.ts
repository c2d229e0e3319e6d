import { describe, expect, it } from 'vitest';
import { readSides } from './sides.js';

const rangesOf = (lastStep: number, alarmStep: number | null): (readonly [number, number])[] =>
  readSides(new URLSearchParams(), 'run-1', lastStep, alarmStep).map(({ from, to }) => [from, to] as const);

describe('the sides of evidence', () => {
  it.each([
    // without an alarm: the first and the last steps, which share none
    [16, null, [0, 8], [9, 16]],
    [100, null, [0, 10], [90, 100]],
    [1, null, [0, 0], [1, 1]],
    // with one: ten steps to each side
    [100, 40, [30, 39], [40, 50]],
    [100, 4, [0, 3], [4, 14]],
  ])('of %i steps and an alarm at %s', (lastStep, alarmStep, before, after) => {
    expect(rangesOf(lastStep, alarmStep)).toEqual([before, after]);
  });
});
