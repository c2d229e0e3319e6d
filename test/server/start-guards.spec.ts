import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import Database from 'libsql';
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
    second.markKeysReported();
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
        message: expect.stringContaining(`is held by process ${process.pid} on `) as string,
      });
    await first.close();
    const second = await startServer(settings({ data: join(folder, 'second'), database: { file } }));
    await second.close();
  });
});

describe('a database that was used', () => {
  const data = (): string => join(folder, 'data');
  const file = (): string => join(data(), serverOptions.parse({}).database.file);
  const lost = (finding: RegExp) => ({
    code: 'server.database_lost',
    message: expect.stringMatching(finding) as string,
  });
  /** What a killed server leaves: nothing was moved from the log into the file yet. */
  async function leaveAsKilled(): Promise<void> {
    const server = await startServer(settings());
    mkdirSync(join(folder, 'copy'));
    for (const name of readdirSync(data()))
      if (name.startsWith(basename(file()))) copyFileSync(join(data(), name), join(folder, 'copy', name));
    await server.close();
    for (const name of readdirSync(join(folder, 'copy')))
      copyFileSync(join(folder, 'copy', name), join(data(), name));
    rmSync(`${file()}.lock`, { force: true });
  }

  it('goes on after a kill, with everything in its write-ahead log', async () => {
    await leaveAsKilled();
    expect(statSync(`${file()}-wal`).size).toBeGreaterThan(0);
    await (await startServer(settings())).close();
  });

  it('is refused when its write-ahead log is damaged, instead of beginning anew', async () => {
    await leaveAsKilled();
    writeFileSync(join(data(), 'admin.key'), 'the old key\n');
    writeFileSync(`${file()}-wal`, Buffer.alloc(statSync(`${file()}-wal`).size, 7));
    await expect(startServer(settings())).rejects.toMatchObject(lost(/; restore the file from a backup/));
    expect(readFileSync(join(data(), 'admin.key'), 'utf8')).toBe('the old key\n');
  });

  it.each([
    ['gone', () => ['', '-wal', '-shm'].forEach((end) => rmSync(file() + end, { force: true }))],
    ['empty', () => (rmSync(`${file()}-wal`), writeFileSync(file(), ''))],
  ])(
    'is refused when its file is %s, and begins anew when its traces are moved away',
    async (_what, damage) => {
      await (await startServer(settings())).close();
      damage();
      await expect(startServer(settings())).rejects.toMatchObject(lost(/; restore the file from a backup/));
      rmSync(data(), { recursive: true });
      await (await startServer(settings())).close();
    },
  );

  it('is refused when pages of its file are damaged', async () => {
    await (await startServer(settings())).close();
    const database = new Database(file());
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const bytes = readFileSync(file());
    expect(bytes.length).toBeGreaterThan(100_000);
    writeFileSync(file(), bytes.fill(7, 8192));
    await expect(startServer(settings())).rejects.toMatchObject(lost(/malformed|is damaged/));
  });

  it('is missed by a folder that has its admin key, whatever the database', async () => {
    mkdirSync(data());
    writeFileSync(join(data(), 'admin.key'), 'the old key\n');
    await expect(startServer(settings())).rejects.toMatchObject(lost(/admin\.key is there/));
  });
});
