import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fetchFailure } from './fetch-failure.js';

const failureOf = (url: string, init: RequestInit = {}, limitMs?: number): Promise<string> =>
  fetch(url, init).then(
    () => 'none',
    (error: unknown) => fetchFailure(error, limitMs),
  );

describe('fetchFailure', () => {
  it('names the address that refuses, also where a name has several', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await failureOf(`http://127.0.0.1:${port}`)).toBe(`connect ECONNREFUSED 127.0.0.1:${port}`);
    expect(await failureOf(`http://localhost:${port}`)).toMatch(/^connect ECONNREFUSED (127|::1)/);
  });

  it('says how long an answer was waited for', async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const signal = AbortSignal.timeout(20);
    expect(await failureOf(`http://127.0.0.1:${port}`, { signal }, 20)).toBe('no answer in 0.02 s');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
