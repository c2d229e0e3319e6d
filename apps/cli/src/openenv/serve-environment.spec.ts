/** @file `env serve` over real HTTP and WebSockets: episodes, what it refuses, and how many at once. */
import { discoverPlugins } from '@espalier/plugin-host';
import { createStream } from '@espalier/random';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openEnvironment } from '../local/open-environment.js';
import { serveEnvironment, type ServedEnvironment } from './serve-environment.js';

interface Reply {
  readonly type: string;
  readonly data: {
    readonly code?: string;
    readonly message?: string;
    readonly observation?: Record<string, unknown>;
    readonly reward?: number | null;
    readonly done?: boolean;
    readonly step_count?: number;
    readonly episode_id?: string | null;
  };
}

let served: ServedEnvironment;
let guarded: ServedEnvironment;
beforeAll(async () => {
  const registry = await discoverPlugins({ root: fileURLToPath(new URL('../../../..', import.meta.url)) });
  const lake = openEnvironment('frozen-lake', {}, registry);
  const options = { host: '127.0.0.1', port: 0, sessions: 2, idleMs: 400 };
  served = await serveEnvironment(lake, { ...options, idleMs: 30_000 });
  guarded = await serveEnvironment(lake, { ...options, key: 'secret' });
});
afterAll(() => Promise.all([served.close(), guarded.close()]));

/** A client that sends one message and waits for the answer. */
async function connect(url: string, key?: string) {
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/ws`,
    key ? { headers: { authorization: `Bearer ${key}` } } : {},
  );
  const replies: Reply[] = [];
  const waiting: ((reply: Reply) => void)[] = [];
  socket.on('message', (bytes: Buffer) => {
    const reply = JSON.parse(bytes.toString()) as Reply;
    const next = waiting.shift();
    if (next === undefined) replies.push(reply);
    else next(reply);
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const read = (): Promise<Reply> => {
    const [reply] = replies.splice(0, 1);
    return reply === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(reply);
  };
  const ask = (message: unknown): Promise<Reply> => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    return read();
  };
  const end = () => new Promise<void>((resolve) => socket.once('close', () => resolve()).close());
  return { socket, ask, read, end };
}

describe('an environment that is served', () => {
  it('plays episodes that seeds determine, its noise too', async () => {
    const play = async (data: object): Promise<unknown[]> => {
      const { ask, end } = await connect(served.url);
      const seen: unknown[] = [await ask({ type: 'reset', data })];
      for (const action of ['Right', 'Down', 'Right', 'Down', 'Down', 'Right']) {
        const reply = await ask({ type: 'step', data: { action } });
        seen.push(reply);
        if (reply.data.done === true) break;
      }
      await end();
      return seen;
    };
    const first = await play({ seed: 5 });
    expect(first[0]).toMatchObject({ type: 'observation', data: { reward: null, done: false } });
    expect(await play({ seed: 5 })).toEqual(first);
    // the noise decides what the ice does, not where one begins
    const others = [];
    for (const noise_seed of [11, 12, 13]) others.push(await play({ seed: 5, noise_seed }));
    expect(new Set(others.map(([reset]) => JSON.stringify(reset)))).toEqual(
      new Set([JSON.stringify(first[0])]),
    );
    expect(new Set(others.map((episode) => JSON.stringify(episode))).size).toBeGreaterThan(1);
  });

  it('tells its state, and that an episode has to begin and has ended', async () => {
    const { ask, end } = await connect(served.url);
    expect(await ask({ type: 'step', data: { action: 'Up' } })).toMatchObject({
      type: 'error',
      data: { code: 'EXECUTION_ERROR', message: 'step: no episode has begun; send reset first' },
    });
    await ask({ type: 'reset', data: { seed: 1, episode_id: 'mine' } });
    await ask({ type: 'step', data: { action: 'Up' } });
    expect(await ask({ type: 'state' })).toEqual({
      type: 'state',
      data: { episode_id: 'mine', step_count: 1 },
    });
    const luck = createStream(1);
    let reply = await ask({ type: 'step', data: { action: 'Down' } });
    for (let tries = 0; tries < 300 && reply.data.done === false; tries += 1)
      reply = await ask({ type: 'step', data: { action: luck.pick(['Down', 'Right', 'Up', 'Left']) } });
    expect(reply.data.done).toBe(true);
    expect(await ask({ type: 'step', data: { action: 'Up' } })).toMatchObject({
      data: { code: 'EXECUTION_ERROR', message: 'step: the episode has ended; send reset' },
    });
    await end();
  });

  it.each([
    ['{', 'INVALID_JSON'],
    ['7', 'UNKNOWN_TYPE'],
    [{ type: 'dance' }, 'UNKNOWN_TYPE'],
    [{ type: 'step' }, 'VALIDATION_ERROR'],
    [{ type: 'step', data: { action: 3 } }, 'VALIDATION_ERROR'],
    [{ type: 'step', data: { action: 'Up', power: 9 } }, 'VALIDATION_ERROR'],
    [{ type: 'reset', data: { seed: -1 } }, 'VALIDATION_ERROR'],
    [{ type: 'reset', data: { seed: 2 ** 32 } }, 'VALIDATION_ERROR'],
    [{ type: 'state', more: 1 }, 'VALIDATION_ERROR'],
  ])('answers %j with %s and keeps the session', async (message, code) => {
    const { ask, end } = await connect(served.url);
    expect(await ask(message)).toMatchObject({ type: 'error', data: { code } });
    expect(await ask({ type: 'reset', data: {} })).toMatchObject({ type: 'observation' });
    await end();
  });

  it('refuses one session too many, and takes it when another has ended', async () => {
    const [one, two] = [await connect(served.url), await connect(served.url)];
    const three = await connect(served.url);
    expect(await three.read()).toMatchObject({
      data: { code: 'CAPACITY_REACHED', active_sessions: 2, max_sessions: 2 },
    });
    await one.end();
    await expect.poll(served.sessions).toBe(1);
    const four = await connect(served.url);
    expect(await four.ask({ type: 'reset', data: {} })).toMatchObject({ type: 'observation' });
    await Promise.all([two.end(), four.end()]);
    await expect.poll(served.sessions).toBe(0);
  });

  it('closes a session that says nothing', async () => {
    const { read } = await connect(guarded.url, 'secret');
    expect(await read()).toMatchObject({ data: { code: 'SESSION_ERROR' } });
    await expect.poll(guarded.sessions).toBe(0);
  });

  it('asks for its key, except for its health', async () => {
    const status = async (path: string, key?: string) =>
      (await fetch(`${guarded.url}${path}`, key ? { headers: { authorization: `Bearer ${key}` } } : {}))
        .status;
    expect(await status('/health')).toBe(200);
    expect([
      await status('/schema'),
      await status('/schema', 'wrong'),
      await status('/schema', 'secret'),
    ]).toEqual([401, 401, 200]);
    await expect(connect(guarded.url, 'wrong')).rejects.toThrow('401');
  });

  it('describes itself, and says where episodes are played', async () => {
    const get = async (path: string) =>
      (await fetch(`${served.url}${path}`)).json() as Promise<Record<string, unknown>>;
    expect(await get('/metadata')).toMatchObject({ name: 'frozen-lake' });
    expect(await get('/schema')).toMatchObject({ action: { required: ['action'] } });
    const refused = await fetch(`${served.url}/reset`, { method: 'POST', body: '{}' });
    expect([refused.status, await refused.json()]).toEqual([
      404,
      { detail: expect.stringContaining('over the WebSocket /ws') as string },
    ]);
  });
});
