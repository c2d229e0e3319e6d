import { describe, expect, it } from 'vitest';
import { listOpened } from './estimate-warm-start.js';

describe('listOpened', () => {
  it('opens a graph once where it is kept, and again where others took its place', () => {
    const layouts = ['a', 'b', 'a', 'b', 'c', 'a'];
    expect(listOpened(layouts, 16)).toEqual([0, 1, 4]);
    expect(listOpened(layouts, 2)).toEqual([0, 1, 4, 5]);
    expect(listOpened(layouts, 1)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(listOpened(['a', 'a'], 1)).toEqual([0]);
  });
});
