import { describe, expect, it } from 'vitest';
import { createResultQueue } from './result-queue.js';

const drain = <T>(queue: { take(): T | undefined }): T[] => {
  const all: T[] = [];
  for (let one = queue.take(); one !== undefined; one = queue.take()) all.push(one);
  return all;
};

describe('the queue of results', () => {
  it('is bounded if results can be requested again', () => {
    const queue = createResultQueue<number>(2, 'by-cursor', () => undefined);
    expect([1, 2, 3, 4].map((one) => queue.put(one))).toEqual([true, true, false, false]);
    expect(drain(queue)).toEqual([1, 2]);
    expect(queue.put(3)).toBe(true);
  });

  it('holds the newest result of each id', () => {
    const queue = createResultQueue<string>(2, 'newest', ([name]) => name);
    for (const one of ['a1', 'b1', 'a2', 'c1', 'a3']) expect(queue.put(one)).toBe(true);
    expect(drain(queue)).toEqual(['b1', 'c1', 'a3']);
  });

  it('drops the oldest results without an id', () => {
    const queue = createResultQueue<number>(2, 'newest', () => undefined);
    for (const one of [1, 2, 3]) queue.put(one);
    expect(drain(queue)).toEqual([2, 3]);
  });
});
