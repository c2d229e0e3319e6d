import type { CallMessage } from '@espalier/protocol/chat';
import { describe, expect, it } from 'vitest';
import { ModelCalls } from './model-calls.js';
import type { WorkerLink, WorkerPool } from './worker-pool.js';

const called = { workerId: 'w', attemptId: 'a', token: 1 };

/** Calls of one worker, and what it got. */
function createCalls(answer: object = { ok: true, value: null }) {
  const got: CallMessage[] = [];
  const call = (message: CallMessage) => Promise.resolve((got.push(message), answer));
  const link = { call } as unknown as WorkerLink;
  const pool = { worker: (id: string) => (id === 'w' ? { link } : undefined) } as unknown as WorkerPool;
  return { calls: new ModelCalls(pool), got, link };
}
const piece = (text: string) => ({ text, tokens: [] });

describe('a call of a chat', () => {
  it('gives what its worker sends, in order, and takes nothing of another attempt or after the end', async () => {
    const { calls, got } = createCalls();
    const reply = calls.call(called, { seed: 1 }, 'chat');
    const first = reply.next();
    await Promise.resolve();
    const own = { attemptId: 'a', token: 1, callId: got[0]?.callId ?? '' };
    expect(got[0]?.body).toEqual({ seed: 1 });
    expect(calls.deliver('w', { ...own, token: 2, ...piece('old') })).toEqual({ isWanted: false });
    expect(calls.deliver('other', { ...own, ...piece('foreign') })).toEqual({ isWanted: false });
    expect(calls.deliver('w', { ...own, ...piece('a') })).toEqual({ isWanted: true });
    calls.deliver('w', { ...own, ...piece('b'), end: 'stop' });
    expect([(await first).value, (await reply.next()).value]).toEqual([
      piece('a'),
      { ...piece('b'), end: 'stop' },
    ]);
    expect((await reply.next()).done).toBe(true);
    expect(calls.deliver('w', { ...own, ...piece('late') })).toEqual({ isWanted: false });
  });

  it('wants no more when whoever asked has gone', async () => {
    const { calls, got } = createCalls();
    const gone = new AbortController();
    const next = calls.call(called, {}, 'chat', gone.signal).next();
    await Promise.resolve();
    gone.abort();
    expect((await next).done).toBe(true);
    const own = { attemptId: 'a', token: 1, callId: got[0]?.callId ?? '' };
    expect(calls.deliver('w', { ...own, ...piece('late') })).toEqual({ isWanted: false });
  });

  it.each([
    ['endpoint.prompt_too_long', 'endpoint.prompt_too_long'],
    ['access.denied', 'chat.failed'],
    ['made.up', 'chat.failed'],
  ])('fails as its process says: %s is %s', async (said, code) => {
    const { calls, got } = createCalls();
    const next = calls.call(called, {}, 'chat').next();
    await Promise.resolve();
    const own = { attemptId: 'a', token: 1, callId: got[0]?.callId ?? '' };
    calls.deliver('w', { ...own, ...piece(''), error: { code: said, message: 'too long' } });
    await expect(next).rejects.toMatchObject({ code });
    await expect(next).rejects.toThrow('chat: too long');
  });

  it('is unavailable where its worker refuses, does not answer, is away or goes', async () => {
    const refusing = createCalls({ ok: false, code: 'worker.fenced', message: 'it runs no such chat' });
    await expect(refusing.calls.call(called, {}, 'chat').next()).rejects.toThrow('it runs no such chat');
    const { calls, link } = createCalls();
    await expect(calls.call({ ...called, workerId: 'x' }, {}, 'chat').next()).rejects.toMatchObject({
      code: 'chat.unavailable',
    });
    const next = calls.call(called, {}, 'chat').next();
    await Promise.resolve();
    calls.lose('w', {} as WorkerLink);
    calls.lose('w', link);
    await expect(next).rejects.toThrow('connection to its worker was lost');
  });
});
