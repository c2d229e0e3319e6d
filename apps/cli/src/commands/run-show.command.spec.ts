import { describe, expect, it } from 'vitest';
import { describeSteps } from './run-show.command.js';

describe('the steps of an attempt', () => {
  it('are those that it did, and none of before it', () => {
    expect(describeSteps(22, 25)).toBe(', steps 22–25');
    expect([describeSteps(22, -1), describeSteps(22, 22)]).toEqual([
      ', no step done after 22',
      ', no step done after 22',
    ]);
    expect([describeSteps(0, -1), describeSteps(null, -1)]).toEqual([', no step done', '']);
  });
});
