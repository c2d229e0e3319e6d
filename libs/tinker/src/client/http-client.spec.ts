import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpRequest } from './http-client.js';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function start(listener: RequestListener, path = '') {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = createHttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  closing.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const send = (more: Partial<HttpRequest> = {}) =>
    client.send('/ask', {
      method: 'POST',
      headers: { 'x-own': 'yes' },
      body: 'question',
      limitMs: 10_000,
      maxAnswerBytes: 1000,
      signal: undefined,
      ...more,
    });
  return { client, send };
}

describe('the HTTP client of remote engines', () => {
  it('sends a body with its length, below the path of its base, and keeps the connection', async () => {
    const seen: unknown[] = [];
    const ports = new Set<unknown>();
    const { send } = await start((request, response) => {
      ports.add(request.socket.remotePort);
      const { 'content-length': length, 'x-own': own } = request.headers;
      seen.push([request.method, request.url, length, own]);
      request.resume().on('end', () => response.writeHead(202, { 'x-answer': 'a' }).end('answer'));
    }, '/below');
    for (let count = 0; count < 3; count += 1) {
      const { status, headers, bytes } = await send();
      expect([status, headers['x-answer'], String(bytes)]).toEqual([202, 'a', 'answer']);
    }
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['POST', '/below/ask', '8', 'yes']));
    expect(ports.size).toBe(1);
  });

  it('refuses an answer that is too long', async () => {
    const { send } = await start((_, response) => response.end(Buffer.alloc(1001)));
    await expect(send()).rejects.toMatchObject({ code: 'engine.bad_answer' });
  });

  it('fails when an answer breaks off, is late or is not wanted any more', async () => {
    const { client, send } = await start((request, response) => {
      if (request.method === 'GET') return;
      response.writeHead(200, { 'content-length': 10 }).write('half');
      setImmediate(() => request.socket.destroy());
    });
    await expect(send()).rejects.toThrow(/aborted|closed|hang up/);
    const silent = { method: 'GET', body: undefined } as const;
    await expect(send({ ...silent, limitMs: 30 })).rejects.toMatchObject({ name: 'TimeoutError' });
    const abort = new AbortController();
    const waiting = send({ ...silent, signal: abort.signal });
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    const held = send(silent);
    client.close();
    await expect(held).rejects.toThrow();
  });

  it('does not follow a redirect', async () => {
    const { send } = await start((_, response) => response.writeHead(302, { location: '/away' }).end());
    expect((await send()).status).toBe(302);
  });
});
