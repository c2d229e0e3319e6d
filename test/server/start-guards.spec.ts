import { existsSync, mkdtempSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverOptions, startServer } from '@espalier/server';
import { call } from '../support/ask.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-start-'));
});
afterEach(() => removeFolder(folder));

const settings = (given: Record<string, unknown> = {}) =>
  serverOptions.parse({ port: 0, logLevel: 'silent', data: join(folder, 'data'), ...given });

describe('first keys of a server', () => {
  it('are told by the next start when the first one found its port taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    await expect(startServer(settings({ port }))).rejects.toMatchObject({ code: 'server.cannot_listen' });
    await new Promise((resolve) => other.close(resolve));
    const server = await startServer(settings({ port }));
    const { admin, worker } = server.firstKeys ?? {};
    expect((await call(server.url, admin, 'GET', '/api/v1/keys')).status).toBe(200);
    expect((await call(server.url, worker, 'GET', '/api/v1/keys')).status).toBe(403);
    await server.close();
  });

  it('are the same at every start until somebody was told, and then gone from the folder', async () => {
    const first = await startServer(settings());
    await first.close();
    const second = await startServer(settings());
    expect(second.firstKeys).toEqual(first.firstKeys);
    second.keysTold();
    await second.close();
    expect(existsSync(join(folder, 'data/first-keys.json'))).toBe(false);
    const third = await startServer(settings());
    expect(third.firstKeys).toBeNull();
    await third.close();
  });
});

describe('one SQLite file', () => {
  it('is refused to a second server with a data folder of its own, naming the process that has it', async () => {
    const file = join(folder, 'database.sqlite');
    const first = await startServer(settings({ database: { file } }));
    symlinkSync(file, join(folder, 'other-name.sqlite'));
    for (const path of [file, join(folder, 'other-name.sqlite')])
      await expect(
        startServer(settings({ data: join(folder, 'second'), database: { file: path } })),
      ).rejects.toMatchObject({
        code: 'server.already_running',
        message: expect.stringContaining(`is held by process ${process.pid};`) as string,
      });
    await first.close();
    const second = await startServer(settings({ data: join(folder, 'second'), database: { file } }));
    await second.close();
  });
});
