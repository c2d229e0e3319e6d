import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callCli } from '../support/call-cli.js';
import { runCli } from '../support/run-cli.js';
import { cpuSlots, SimulatedWorker } from '../support/simulated-worker.js';
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

describe('workers', () => {
  it('are listed, and forgotten by name when they are gone', async () => {
    const { secret } = await server.json<{ secret: string }>('key', 'create', 'box', '--role', 'worker');
    const worker = new SimulatedWorker(server.url, secret, {
      name: 'box-3',
      devices: cpuSlots(1).map((slot) => ({ ...slot, utilisation: 0.5 })),
    });
    await worker.connect();
    await worker.beat();
    const { stdout } = await server.cli('worker', 'devices', 'box-3', '--since', '1h');
    expect(stdout).toMatch(/^cpu-0 {2} {47}▅ {2}busy 50\.0 % on average, 50\.0 % at most, 4096 MiB free$/m);
    expect((await server.cli('worker', 'list')).stdout).toMatch(/^worker-\w+-?\w*\s+online\s.*box-3$/m);
    const early = await server.cli('worker', 'forget', 'box-3');
    expect([early.code === 0, early.stderr]).toEqual([false, expect.stringContaining('it is connected')]);
    worker.close();
    let told = await server.cli('worker', 'forget', 'box-3');
    for (let turn = 0; told.code !== 0 && turn < 5; turn += 1)
      told = await server.cli('worker', 'forget', 'box-3');
    expect(told.stdout).toContain('box-3  forgotten');
    expect((await server.cli('worker', 'list', '--json')).stdout).toBe('');
    expect((await server.cli('worker', 'forget', 'box-3')).code).toBe(2);
  }, 60_000);
});

describe('keys of two projects', () => {
  it('see, make and steer only what is theirs', async () => {
    const keyOf = async (name: string, role: string): Promise<string> => {
      const made = await server.json<{ secret: string }>(
        'key',
        'create',
        `${name} ${role}`,
        '--role',
        role,
        '--project',
        name,
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
    const nowhere = await callCli(['run', 'list', '--server', 'http://127.0.0.1:9', '--key', 'k', '--json']);
    expect(nowhere.code).toBe(69);
    expect(asJson(nowhere.stdout)[0]).toMatchObject({
      error: { code: 'client.unreachable', message: expect.stringContaining('espalier up') as unknown },
    });
    const keyless = await callCli(['run', 'list'], {
      cwd: server.folder,
      env: { ESPALIER__SERVER__DATA: 'none' },
    });
    expect([keyless.code, keyless.stderr]).toEqual([77, expect.stringContaining('--key')]);
    const away = await callCli(['run', 'list', '--server', 'http://example.invalid'], { cwd: server.folder });
    expect([away.code, away.stderr]).toEqual([77, expect.stringContaining('ESPALIER_KEY')]);
    expect((await callCli(['run', 'list', '--server', 'ftp://x'])).code).toBe(2);
  }, 60_000);

  it('sends a key to its own server only', async () => {
    const elsewhere = ['run', 'list', '--server', 'http://127.0.0.1:9'];
    const saved = await callCli(elsewhere, { cwd: server.folder });
    expect([saved.code, saved.stderr]).toEqual([
      77,
      expect.stringContaining(`is the key to ${server.url} and is sent nowhere else`),
    ]);
    const env = { ESPALIER_SERVER: server.url, ESPALIER_KEY: server.key };
    const known = await callCli(elsewhere, { cwd: server.folder, env });
    expect([known.code, known.stderr]).toEqual([
      77,
      expect.stringContaining(`ESPALIER_SERVER, ${server.url}`),
    ]);
    const worker = await runCli(['worker', '--server', 'http://127.0.0.1:9'], { cwd: server.folder });
    expect([worker.code, worker.stderr]).toEqual([
      77,
      expect.stringContaining('data/worker.key is the key to'),
    ]);
    expect((await callCli([...elsewhere, '--key', 'k'], { cwd: server.folder, env })).code).toBe(69);
  }, 60_000);

  it('finds the key that a server in this folder has left, and its address in a variable', async () => {
    const { code, stdout } = await callCli(['run', 'list', '--json'], {
      cwd: server.folder,
      env: { ESPALIER_SERVER: server.url },
    });
    expect(code).toBe(0);
    expect(asJson(stdout).length).toBeGreaterThan(0);
  }, 60_000);
});

describe('a configuration that a server refuses', () => {
  it('is told with its name, every problem at once, and the code of the server', async () => {
    const file = join(server.folder, 'wrong.yaml');
    writeFileSync(file, 'environment: { use: bandid }\nalgorithm: { use: grpo }\nstepz: 2\n');
    const { code, stdout } = await server.cli('run', 'create', file, '--json');
    const [{ error }] = asJson(stdout) as [{ error: { code: string; message: string; details: object } }];
    expect([code, error.code]).toEqual([3, 'config.unknown_key']);
    expect(error.message).toBe(
      `${file}:3:1: unknown key stepz; did you mean steps?\n${file}:1:16: no environment "bandid" is installed; did you mean bandit?`,
    );
    expect(error.details).toMatchObject({ problems: error.message.split('\n') });
    const dry = await server.cli('run', 'create', file, '--dry-run');
    expect([dry.code, dry.stderr.startsWith(`error config.unknown_key: ${file}:3:1:`)]).toEqual([3, true]);
  }, 60_000);
});

describe('a run that cannot begin', () => {
  it('says why it waits, and before it is made what it would be', async () => {
    const labels = ['--gpus', '2', '--tag', 'big', '--priority', '7'];
    const dry = await server.cli('run', 'create', config, '--dry-run', ...labels);
    expect(dry.stdout).toMatch(/ {2}tags: big\n {2}priority: 7\n {2}needs: 2 GPUs of one worker\n/);
    const idle = '  needs: 2 GPUs are reserved, but the run trains on the CPU';
    expect(dry.stdout).toContain(idle);
    const nowhere = join(server.folder, 'nowhere');
    const words = ['--name', 'waits', '--set', `model={path: ${nowhere}}`, ...labels];
    const made = await server.cli('run', 'create', config, ...words);
    expect([made.code, made.stdout]).toEqual([0, expect.stringMatching(/^ {2}it waits: .*worker/m)]);
    expect(made.stdout).toContain(idle);
    expect(made.stdout).toContain(`\n  model "${nowhere}" does not lie on the server's machine`);
    const stop = await server.cli('run', 'cancel', 'waits', '--wait');
    expect([stop.code, stop.stdout]).toEqual([0, expect.stringMatching(/ {2}waits {2}cancelled\n$/)]);
    const resume = runCli(['run', 'resume', 'waits', '--wait', '--server', server.url, '--key', server.key], {
      onError: (stderr, kill) => void (/queued: .*\n$/.test(stderr) && kill('SIGINT')),
    });
    expect(await resume).toMatchObject({
      code: 75,
      stderr: expect.stringContaining('no longer waiting') as string,
    });
    expect((await server.json<{ state: string }>('run', 'show', 'waits')).state).toBe('queued');
  }, 90_000);
});

describe('espalier serve', () => {
  it('calls what was given by the name it was given under', async () => {
    const { code, stderr } = await runCli(['serve', '--port', '99999'], { cwd: server.folder });
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /config\.wrong_type: --port: port is 99999; expected at most 65535\nhint .*docs\/reference\/settings\.md/,
      ),
    ]);
  });

  it('says that somebody listens on its port', async () => {
    const { port } = new URL(server.url);
    const other = ['serve', '--port', port, '--data', join(server.folder, 'other')];
    const { code, stderr } = await runCli(other, { cwd: server.folder });
    expect([code, stderr]).toEqual([
      75,
      expect.stringMatching(
        /server\.cannot_listen: listen on 127\.0\.0\.1:\d+: another process listens there; .*--port/,
      ),
    ]);
  }, 30_000);

  // only Linux lists what a process has loaded
  it.skipIf(!existsSync('/proc/self/maps'))('never loads the runtime', () => {
    const maps = readFileSync(`/proc/${server.pid}/maps`, 'utf8');
    expect(maps).toContain('libsql');
    expect(maps).not.toContain('onnxruntime');
  });
});
