import { add, Graph } from '@espalier/graph';
import { describe, expect, it } from 'vitest';
import { createTensor } from './runtime-tensor.js';
import { createSession, type Session } from './session.js';
import { SessionCache } from './session-cache.js';

function create(): Promise<Session> {
  const graph = new Graph();
  graph.output('y', add(graph.input('x', 'float32', [1]), 1));
  return createSession(graph, { threads: 1 });
}

const feeds = { x: createTensor('float32', [1]) };

describe('SessionCache', () => {
  it('creates a session once per key', async () => {
    const cache = new SessionCache();
    const [a, b] = await Promise.all([cache.get('a', create), cache.get('a', create)]);
    expect(a).toBe(b);
    await cache.clear();
  });

  it('disposes the least recently used session when there are too many', async () => {
    const cache = new SessionCache(2);
    const a = await cache.get('a', create);
    const b = await cache.get('b', create);
    await cache.get('a', create);
    await cache.get('c', create);
    await expect(b.run(feeds)).rejects.toThrow('disposed');
    expect((await a.run(feeds))['y']?.values[0]).toBe(1);
    await cache.clear();
  });

  it('disposes all sessions on clear', async () => {
    const cache = new SessionCache();
    const a = await cache.get('a', create);
    await cache.clear();
    expect(cache.size).toBe(0);
    await expect(a.run(feeds)).rejects.toThrow('disposed');
  });

  it('forgets a session that could not be created', async () => {
    const cache = new SessionCache();
    await expect(cache.get('a', () => Promise.reject(new Error('no memory')))).rejects.toThrow('no memory');
    expect(await cache.get('a', create)).toBeDefined();
    await cache.clear();
  });
});
