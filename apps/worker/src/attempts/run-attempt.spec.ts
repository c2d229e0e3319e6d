import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { classifyExit } from '@espalier/protocol';
import { isAlive, startOf } from '@espalier/files';
import { removeFolder, waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeAssignment } from '../../../../test/support/assignment.js';
import { workerOptions } from '../worker-options.js';
import { createArtifactStore } from '../artifacts/artifact-store.js';
import { createAttemptFolder, type AttemptFolder } from './attempt-folder.js';
import { openWorkerLog } from './worker-log.js';
import { createTrainerProcess } from './trainer-process.js';
import { type AttemptContext, runAttempt } from './run-attempt.js';

let root = '';
let folder: AttemptFolder;
const { timing } = workerOptions.parse({ key: 'x', timing: { pollMs: 20, graceMs: 100 } });
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'espalier-attempt-'));
  folder = createAttemptFolder(root, makeAssignment());
});
afterEach(() => removeFolder(root));

const planOf = (script: string) => ({
  words: ['/bin/sh', '-c', script],
  env: {},
  exitFile: folder.exitFile,
  logFile: folder.streamFile('log'),
});
/** Waits until the script has printed `ready`. */
const listens = async (): Promise<void> => {
  while (!readFileSync(folder.streamFile('log'), 'utf8').includes('ready')) await wait(10);
};
const never = new AbortController().signal;

const partsWith = (cli: string): AttemptContext => {
  const nothing = (): undefined => undefined;
  const log = { info: nothing, warn: nothing, error: nothing };
  const shared = {
    cli,
    log,
    options: {
      passEnvironment: [],
      reportTo: [],
      name: 'tall',
      data: join(root, 'data'),
      modelRoots: [join(root, 'nowhere')],
      hubOwners: [],
    },
    plugins: { validate: nothing },
    runs: join(root, 'runs'),
    forks: join(root, 'forks'),
  };
  return {
    folder,
    workerLog: openWorkerLog(folder.streamFile('worker')),
    worker: shared,
    trainer: createTrainerProcess(folder, timing),
    upload: { finish: async () => undefined },
    shipper: { readNewEvents: nothing, finalMessage: () => '', outcome: nothing },
    transfer: { timing, signal: never, isOnline: () => true },
  } as unknown as AttemptContext;
};

const finish = async (parts: AttemptContext): Promise<AttemptContext> => {
  await runAttempt(parts);
  return parts;
};

describe('runAttempt', () => {
  it('finishes with a log and an outbox that are larger than any string', async () => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'console.log("begun");');
    const log = folder.streamFile('log');
    const outbox = folder.streamFile('trainer');
    for (const file of [log, outbox]) {
      writeFileSync(file, '');
      truncateSync(file, 600 * 2 ** 20);
    }
    writeFileSync(outbox, '{}\n{"torn', { flag: 'a' });
    const parts = partsWith(cli);
    await runAttempt(parts);
    expect(parts.workerLog.events.at(-1)).toMatchObject({ kind: 'process-ended', code: 0 });
    expect([log, outbox].map((file) => statSync(file).size - 600 * 2 ** 20)).toEqual([6, 3]);
  });

  it.each([
    ['elsewhere', () => join(root, 'elsewhere')],
    ['that another project trained here', () => join(root, 'data/runs/other')],
  ])('never starts from a model folder %s, and does not reveal whether it exists', async (_what, place) => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'process.exit(0);');
    const spec = { model: { path: place() } };
    const told: unknown[] = [];
    for (const exists of [false, true]) {
      if (exists) mkdirSync(place(), { recursive: true });
      folder = createAttemptFolder(root, makeAssignment({ spec }));
      const { workerLog } = await finish(partsWith(cli));
      const end = workerLog.events.at(-1);
      expect(end).toMatchObject({ kind: 'process-ended', code: 4 });
      told.push(end?.kind === 'process-ended' && end.message);
      rmSync(folder.path, { recursive: true });
    }
    expect(told[0]).toBe(told[1]);
    expect(told[0]).toContain('setting modelRoots of that worker');
  });

  it('never opens the base of an adapter elsewhere, whether the run or the adapter names it', async () => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'process.exit(0);');
    const adapter = join(root, 'nowhere/run/checkpoints/step-000001');
    const secret = join(root, 'secret');
    for (const place of [join(adapter, 'policy'), secret]) mkdirSync(place, { recursive: true });
    writeFileSync(join(adapter, 'spec.json'), JSON.stringify({ lora: {}, model: { path: secret } }));
    const named = { path: join(adapter, 'policy'), base: { path: secret } };
    for (const model of [{ path: adapter }, { path: join(adapter, 'policy') }, named]) {
      folder = createAttemptFolder(root, makeAssignment({ spec: { model } }));
      const { workerLog } = await finish(partsWith(cli));
      expect(workerLog.events.at(-1)).toMatchObject({ kind: 'process-ended', code: 4 });
      expect(workerLog.events.at(0)).toMatchObject({
        code: 'model.not_allowed',
        message: expect.stringContaining(`the model "${secret}" is below no model root`) as string,
      });
      rmSync(folder.path, { recursive: true });
    }
  });

  it.each(['checkpoints/step-000001', 'checkpoints/step-000001.old', 'checkpoints/step-000001/policy'])(
    'never opens a base elsewhere that only the spec in %s of a run names',
    async (place) => {
      const run = join(root, 'nowhere/run');
      const [allowed, secret] = ['nowhere/model', 'secret'].map((name) => join(root, name));
      for (const folder of [join(run, place), join(root, 'nowhere/model'), join(root, 'secret')])
        mkdirSync(folder, { recursive: true });
      const specOf = (path: string | undefined) => JSON.stringify({ lora: {}, model: { path } });
      writeFileSync(join(run, 'spec.json'), specOf(allowed));
      writeFileSync(join(run, place, 'spec.json'), specOf(secret));
      folder = createAttemptFolder(root, makeAssignment({ spec: { model: { path: run } } }));
      const { workerLog } = await finish(partsWith(join(root, 'cli.mjs')));
      expect(workerLog.events.at(0)).toMatchObject({
        code: 'model.not_allowed',
        message: expect.stringContaining(`the model "${String(secret)}" is below no model root`) as string,
      });
      expect(workerLog.events.at(-1)).toMatchObject({ kind: 'process-ended', code: 4 });
    },
  );

  it('never evaluates an adapter on a base elsewhere', async () => {
    const checkpoint = 'checkpoints/step-000001';
    const files = { [`${checkpoint}/policy/adapter_config.json`]: '{}' };
    const list = (_runId: string, prefix: string) =>
      Object.entries(files)
        .filter(([path]) => path.startsWith(prefix))
        .map(([path, text]) => ({ path, bytes: text.length, sha256: '' }));
    const evaluate = { path: checkpoint, step: 1, episodes: 1, split: 'test' as const };
    const spec = { model: { path: join(root, 'secret') } };
    mkdirSync(join(root, 'secret'));
    folder = createAttemptFolder(root, makeAssignment({ kind: 'evaluate', evaluate, spec }));
    const parts = partsWith(join(root, 'cli.mjs'));
    const store = {
      list: async (runId: string, prefix: string) => list(runId, prefix),
      fetch: async (_runId: string, _file: unknown, target: string) => writeFileSync(target, '{}'),
    };
    const { workerLog } = await finish({
      ...parts,
      worker: { ...parts.worker, store } as unknown as AttemptContext['worker'],
    });
    expect(workerLog.events.at(0)).toMatchObject({ code: 'model.not_allowed' });
    expect(workerLog.events.at(-1)).toMatchObject({ kind: 'process-ended', code: 4 });
  });

  it.each([
    ['cancel', 'the rest of a file', (parts: AttemptContext) => parts.trainer.request('cancel')],
    ['kill', 'the rest of a file', (parts: AttemptContext) => parts.trainer.request('kill')],
    [
      'drain',
      'the rest of a file',
      (parts: AttemptContext) => parts.trainer.drain(Date.now() + 60_000, true),
    ],
    ['pause', 'a server that is away', (parts: AttemptContext) => parts.trainer.request('pause')],
  ])('stops on a request to %s while it waits for %s', async (asked, what, ask) => {
    const files = [{ path: 'checkpoints/step-000001/manifest.json', bytes: 2, sha256: 'x' }];
    const page = { items: files, pageInfo: { hasNextPage: false, endCursor: null } };
    let begun = 0;
    const server = createServer(({ url = '', socket }, response) => {
      begun += 1;
      if (what === 'a server that is away') socket.destroy();
      else if (url.includes('?')) response.end(JSON.stringify(page));
      else response.write('{');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const store = createArtifactStore(() => `http://127.0.0.1:${port}`, 'k');
    const evaluate = { path: 'checkpoints/step-000001', step: 1, episodes: 1, split: 'test' as const };
    folder = createAttemptFolder(root, makeAssignment({ kind: 'evaluate', evaluate }));
    const parts = partsWith(join(root, 'cli.mjs'));
    const transfer = { ...parts.transfer, isOnline: () => false };
    const ended = finish({ ...parts, transfer, worker: { ...parts.worker, store } });
    await waitFor('it waits', () => begun === 2);
    ask(parts);
    const message = expect.stringMatching(/\nstopped on request before it started$/) as string;
    expect((await ended).workerLog.events).toMatchObject([
      { kind: 'process-ended', code: 75, asked, message },
    ]);
    server.closeAllConnections();
    server.close();
  });

  it.each([
    [['else'], 4],
    [['owner'], 0],
    [['*'], 0],
  ])('starts from a model of the hub if its owner is one of %j', async (hubOwners, code) => {
    folder = createAttemptFolder(
      root,
      makeAssignment({ spec: { model: { hub: 'owner/tiny', revision: 'main' } } }),
    );
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'process.exit(0);');
    const parts = partsWith(cli);
    const { workerLog } = await finish({
      ...parts,
      worker: { ...parts.worker, options: { ...parts.worker.options, hubOwners } },
    });
    expect(workerLog.events.at(-1)).toMatchObject({ kind: 'process-ended', code });
    if (code === 0) return;
    const message = 'downloads no models of "owner"; add the owner to its setting hubOwners';
    expect(workerLog.events.at(0)).toMatchObject({
      kind: 'warning',
      code: 'hub.not_allowed',
      message: expect.stringContaining(message) as string,
    });
  });

  it('never starts without the model folder of the spec, and names the host that needs it', async () => {
    const use = join(root, 'nowhere', 'model');
    folder = createAttemptFolder(root, makeAssignment({ spec: { model: { path: use } } }));
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'process.exit(0);');
    const { workerLog } = await finish(partsWith(cli));
    const message = `start run run: its model "${use}" is not a folder on the host ${hostname()} (worker tall); copy`;
    expect(workerLog.events).toMatchObject([
      { kind: 'warning', code: 'model.not_found', message: expect.stringContaining(message) as string },
      { kind: 'process-ended', code: 4, message: expect.stringContaining(message) as string },
    ]);
    expect(classifyExit(4, null)).toBe('refused');
    mkdirSync(use, { recursive: true });
    rmSync(folder.path, { recursive: true });
    folder = createAttemptFolder(root, makeAssignment({ spec: { model: { path: use } } }));
    expect((await finish(partsWith(cli))).workerLog.events.at(-1)).toMatchObject({ code: 0 });
  });

  it('adopts a process whose start could not be recorded, and reports its end only after it has ended', async () => {
    const cli = join(root, 'cli.mjs');
    writeFileSync(cli, 'setTimeout(() => process.exit(0), 1200);');
    const parts = partsWith(cli);
    const { workerLog, trainer } = parts;
    // a folder in its place: nothing can be appended
    mkdirSync(folder.streamFile('worker'));
    const working = runAttempt(parts);
    while (!trainer.wasStarted()) await wait(10);
    await wait(200);
    expect(isAlive(folder.state().living ?? { pid: 0, started: null })).toBe(true);
    expect(folder.state().phase).toBe('running');
    rmSync(folder.streamFile('worker'), { recursive: true });
    await working;
    expect(workerLog.events).toMatchObject([{ kind: 'process-started' }, { kind: 'process-ended', code: 0 }]);
  });
});

describe('the process of an attempt', () => {
  it('gets a request that cannot be saved, and only once', async () => {
    const trainer = createTrainerProcess(folder, timing);
    await trainer.start(planOf('trap "echo told; exit 75" INT; echo ready; while :; do sleep 0.05; done'));
    await listens();
    mkdirSync(join(folder.path, `state.json.${process.pid}.tmp`));
    expect(() => trainer.request('pause')).toThrow(/EISDIR/);
    expect(() => trainer.request('pause')).toThrow(/EISDIR/);
    expect([trainer.requested(), folder.state().requested]).toEqual(['pause', undefined]);
    expect(await trainer.waitForEnd(never)).toEqual({ code: 75, signal: null });
  });

  it('is killed with its descendants in other groups, but without processes of others', async () => {
    const log = folder.streamFile('log');
    writeFileSync(log, '');
    const reader = spawn('tail', ['-f', log], { stdio: 'ignore', detached: true });
    const other = { pid: reader.pid ?? 0, started: startOf(reader.pid ?? 0) };
    const trainer = createTrainerProcess(folder, timing);
    await trainer.start({
      ...planOf('setsid sleep 60 & echo "$!"; echo ready; exec sleep 60'),
      env: { PATH: process.env['PATH'] ?? '' },
    });
    await listens();
    const [own] = readFileSync(log, 'utf8').split('\n').map(Number);
    const left = { pid: own ?? 0, started: startOf(own ?? 0) };
    expect(isAlive(left)).toBe(true);
    trainer.request('kill');
    await trainer.waitForEnd(never);
    while (isAlive(left)) await wait(10);
    await wait(50);
    expect(isAlive(other)).toBe(true);
    reader.kill('SIGKILL');
  });

  it('is reported as slow once if it does not pause, and keeps running', async () => {
    let told = 0;
    const trainer = createTrainerProcess(folder, timing, () => (told += 1));
    await trainer.start(planOf('trap "" INT; echo ready; sleep 0.8'));
    await listens();
    trainer.request('pause');
    expect(await trainer.waitForEnd(never)).toEqual({ code: 0, signal: null });
    expect(told).toBe(1);
  });
});
