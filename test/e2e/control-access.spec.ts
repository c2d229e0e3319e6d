import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../support/run-cli.js';
import { startUp, type UpProcess } from '../support/start-up.js';

let server: UpProcess;
let config: string;
beforeAll(async () => {
  server = await startUp('serve');
  config = join(server.folder, 'small.yaml');
  writeFileSync(config, 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 2\n');
}, 60_000);
afterAll(() => server.close(), 60_000);

const asJson = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('keys of two projects', () => {
  it('see, make and steer only what is theirs', async () => {
    const keyOf = async (name: string, role: string): Promise<string> => {
      const made = await server.json<{ secret: string }>(
        ...['key', 'create', `${name} ${role}`, '--role', role, '--project', name],
      );
      return made.secret;
    };
    const [north, south, looker] = await Promise.all([
      keyOf('north', 'operator'),
      keyOf('south', 'operator'),
      keyOf('north', 'viewer'),
    ]);
    const made = await server.json<{ id: string }>('run', 'create', config, '--key', north);
    expect(made).toMatchObject({ project: 'north', state: 'queued', name: 'small' });
    expect((await server.cli('run', 'show', made.id, '--key', looker)).code).toBe(0);
    expect((await server.cli('run', 'show', made.id, '--key', south)).code).toBe(4);
    expect((await server.cli('run', 'pause', made.id, '--key', south)).code).toBe(4);
    expect((await server.cli('run', 'watch', made.id, '--key', south)).code).toBe(4);
    expect(asJson((await server.cli('run', 'list', '--json', '--key', south)).stdout)).toEqual([]);
    expect((await server.cli('run', 'pause', made.id, '--key', looker)).code).toBe(77);
    expect((await server.cli('run', 'create', config, '--project', 'south', '--key', north)).code).toBe(77);
    expect((await server.cli('key', 'list', '--key', north)).code).toBe(77);
    expect((await server.cli('run', 'show', made.id)).stdout).toContain('No worker is connected');
  }, 90_000);

  it('are listed without their secrets, and revoked at once', async () => {
    const { secret } = await server.json<{ secret: string }>(
      'key',
      'create',
      'short-lived',
      '--role',
      'viewer',
    );
    expect((await server.cli('run', 'list', '--key', secret)).code).toBe(0);
    const listed = await server.cli('key', 'list');
    expect(listed.stdout).toContain('short-lived');
    expect(listed.stdout).not.toContain(secret);
    expect((await server.cli('key', 'revoke', 'short-lived')).code).toBe(0);
    const after = await server.cli('run', 'list', '--key', secret);
    expect([after.code, after.stderr]).toEqual([77, expect.stringContaining('was revoked')]);
  }, 60_000);
});

describe('a command for a server', () => {
  it('says how to start one when none answers, and where a key comes from', async () => {
    const nowhere = await runCli(['run', 'list', '--server', 'http://127.0.0.1:9', '--key', 'k', '--json']);
    expect(nowhere.code).toBe(69);
    expect(asJson(nowhere.stdout)[0]).toMatchObject({
      error: { code: 'client.unreachable', message: expect.stringContaining('espalier up') as unknown },
    });
    const keyless = await runCli(['run', 'list'], {
      cwd: server.folder,
      env: { ESPALIER__SERVER__DATA: 'none' },
    });
    expect([keyless.code, keyless.stderr]).toEqual([77, expect.stringContaining('--key')]);
    const away = await runCli(['run', 'list', '--server', 'http://example.invalid'], { cwd: server.folder });
    expect([away.code, away.stderr]).toEqual([77, expect.stringContaining('ESPALIER_KEY')]);
    expect((await runCli(['run', 'list', '--server', 'ftp://x'])).code).toBe(2);
  }, 60_000);

  it('finds the key that a server in this folder has left, and its address in a variable', async () => {
    const { code, stdout } = await runCli(['run', 'list', '--json'], {
      cwd: server.folder,
      env: { ESPALIER_SERVER: server.url },
    });
    expect(code).toBe(0);
    expect(asJson(stdout).length).toBeGreaterThan(0);
  }, 60_000);
});

describe('espalier serve', () => {
  // only Linux lists what a process has loaded
  it.skipIf(!existsSync('/proc/self/maps'))('never loads the runtime', () => {
    const maps = readFileSync(`/proc/${server.pid}/maps`, 'utf8');
    expect(maps).toContain('libsql');
    expect(maps).not.toContain('onnxruntime');
  });
});
