import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { io } from 'socket.io-client';
import { removeFolder } from '@espalier/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, call } from '../support/ask.js';

const main = resolve('apps/server/dist/main.js');
const cli = resolve('apps/cli/dist/main.js');

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly said: () => string;
  readonly complained: () => string;
  readonly ended: Promise<number | null>;
}

describe('the server as a process', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-process-'));
  });
  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
    removeFolder(folder);
  });

  async function start(
    env: Record<string, string> = {},
    stderr: number | 'pipe' = 'pipe',
    words: readonly string[] = [main],
    cwd = folder,
  ): Promise<Started> {
    const given = { ESPALIER__SERVER__PORT: '0', ESPALIER__SERVER__LOGLEVEL: 'warn', ...env };
    const child = spawn(process.execPath, [...words], {
      cwd,
      env: { ...process.env, ...given },
      stdio: ['ignore', 'pipe', stderr],
    });
    if (typeof stderr === 'number') closeSync(stderr);
    children.push(child);
    let out = '';
    let errors = '';
    child.stdout?.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr?.on('data', (part: Buffer) => (errors += part.toString()));
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    const url = await new Promise<string>((done, fail) => {
      child.stdout?.on('data', () => {
        const found = /espalier server:? +(\S+)\n[^]*\n/.exec(out)?.[1];
        if (found !== undefined) done(found);
      });
      void ended.then((code) => fail(new Error(`ended with ${code}: ${errors}`)));
    });
    return { child, url, said: () => out, complained: () => errors, ended };
  }
  const keyIn = (said: string, role: string) => new RegExp(`${role}\\s+(esp_\\S+)`).exec(said)?.[1];

  async function breakSocket({ url, complained }: Started): Promise<void> {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      'GET /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: Upgrade\r\nupgrade: websocket\r\n' +
        'sec-websocket-version: 13\r\nsec-websocket-key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n' +
        'sec-websocket-protocol: graphql-transport-ws\r\n\r\n',
    );
    await once(socket, 'data');
    // a frame with reserved bits
    socket.write(Buffer.from([0xf1, 0x80, 0, 0, 0, 0]));
    await expect.poll(complained, { timeout: 10_000 }).toContain('WebSocket');
    socket.destroy();
    const lines = complained().trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toContain('warn');
  }

  it('prints the first keys once, and they work', async () => {
    const first = await start();
    const key = keyIn(first.said(), 'admin');
    expect(keyIn(first.said(), 'worker')).toBeDefined();
    expect((await call(first.url, key, 'GET', '/api/v1/keys')).status).toBe(200);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    const second = await start();
    expect(second.said()).not.toContain('esp_');
    expect((await call(second.url, key, 'GET', '/api/v1/keys')).status).toBe(200);
    second.child.kill('SIGINT');
    expect(await second.ended).toBe(0);
  });

  describe('that stays', () => {
    let home: string;
    let kept: Started;
    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'espalier-process-'));
      kept = await start({}, 'pipe', [main], home);
      children.length = 0;
    });
    afterAll(() => {
      kept.child.kill('SIGKILL');
      removeFolder(home);
    });

    it('never loads onnxruntime', async () => {
      const { child, url, said } = kept;
      const key = keyIn(said(), 'admin');
      await ask(url, key, '{ version runs { nodes { id } } plugins { id } }');
      await call(url, key, 'GET', '/docs/json');
      const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8');
      expect(maps).toContain('libsql');
      expect(maps).not.toMatch(/onnxruntime/i);
    });

    it('says that its disk fails, and writes again when it does not', async () => {
      const { child, url, said } = kept;
      const limit = (bytes: string): void =>
        void execFileSync('prlimit', ['--pid', String(child.pid), `--fsize=${bytes}:unlimited`]);
      const makeKey = () =>
        call(url, keyIn(said(), 'admin'), 'POST', '/api/v1/keys', { name: 'k', role: 'viewer' });
      limit('4096');
      expect(await makeKey()).toMatchObject({
        status: 503,
        body: {
          code: 'server.database_unavailable',
          message:
            'use the database: its disk failed to read or write; check the disk and the system log, and try again',
        },
      });
      limit('unlimited');
      expect((await makeKey()).status).toBe(201);
    });

    it('writes what a broken socket causes as lines of JSON', () => breakSocket(kept));
  });

  it('finishes a request in flight, tells the sockets and ends with 0 when it is asked to stop', async () => {
    const { child, url, said, ended } = await start();
    const key = keyIn(said(), 'admin') ?? '';
    const socket = io(`${url}/workers`, {
      auth: { key: keyIn(said(), 'worker') },
      transports: ['websocket'],
      reconnection: false,
    });
    const told = new Promise((done) => socket.once('refused', done));
    await new Promise<void>((done) => socket.once('connect', done));
    const body = JSON.stringify({ query: '{ version }' });
    const half = connect(Number(new URL(url).port), '127.0.0.1');
    await once(half, 'connect');
    half.write(
      `POST /graphql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
    );
    await new Promise((done) => setTimeout(done, 200));
    child.kill('SIGTERM');
    expect(await told).toMatchObject({ code: 'server.shutting_down' });
    await new Promise((done) => setTimeout(done, 200));
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    let answer = '';
    half.on('data', (part: Buffer) => (answer += part.toString()));
    const begin = Date.now();
    half.write(body.slice(5));
    await once(half, 'close');
    // not kept alive until its deadline of 10 s
    expect(Date.now() - begin).toBeLessThan(5000);
    expect(answer).toMatch(/^HTTP\/1.1 200 [^]*"version"/);
    expect(await ended).toBe(0);
  });

  it.each([
    ['a full disk takes no standard error', () => openSync('/dev/full', 'w')],
    ['nobody reads standard output and standard error', () => 'pipe' as const],
  ])('goes on when %s', async (_, openErrors) => {
    const { child, url } = await start({ ESPALIER__SERVER__LOGLEVEL: 'debug' }, openErrors());
    child.stdout?.destroy();
    child.stderr?.destroy();
    for (let i = 0; i < 5; i++) expect((await call(url, undefined, 'GET', '/nowhere')).status).toBe(404);
    expect(child.exitCode).toBeNull();
  });

  it('does not wait for a request beyond its deadline', async () => {
    const { child, url, ended } = await start({ ESPALIER__SERVER__HTTP__SHUTDOWNSECONDS: '0.5' });
    const half = connect(Number(new URL(url).port), '127.0.0.1');
    await once(half, 'connect');
    half.on('error', () => undefined);
    half.write(
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    await new Promise((done) => setTimeout(done, 200));
    const begin = Date.now();
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(Date.now() - begin).toBeLessThan(5000);
  });

  it('started by the command line, writes what a broken socket causes as lines of JSON', async () => {
    await breakSocket(await start({}, 'pipe', [cli, 'serve']));
  });

  it('ends at once at the second signal', async () => {
    const { child, url, ended } = await start({ ESPALIER__SERVER__HTTP__SHUTDOWNSECONDS: '60' });
    const half = connect(Number(new URL(url).port), '127.0.0.1');
    await once(half, 'connect');
    half.on('error', () => undefined);
    half.write(
      'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    );
    await new Promise((done) => setTimeout(done, 200));
    child.kill('SIGTERM');
    await new Promise((done) => setTimeout(done, 300));
    expect(child.exitCode).toBeNull();
    child.kill('SIGTERM');
    expect(await ended).toBe(143);
  });

  it.each([
    [{ ESPALIER__SERVER__PORT: 'many' }, /ESPALIER__SERVER__PORT/],
    [{ ESPALIER__SERVER__POTR: '1' }, /potr.*port/],
    [{ ESPALIER__SERVER__ACCESS__ADMINKEY: 'short' }, /access\.adminKey.*32/],
    [{ ESPALIER__SERVER__DATABASE__FILE: join(main, 'x.sqlite') }, /ENOTDIR|EEXIST|open the database/],
  ])('refuses settings such as %o with a sentence', async (env, sentence) => {
    const { message } = await start(env).then(
      () => new Error('it started'),
      (error: Error) => error,
    );
    expect(message).toMatch(/^ended with [1-9]/);
    expect(message).toMatch(sentence);
    expect(message).not.toMatch(/\n\s+at /);
  });
});
