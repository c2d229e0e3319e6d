import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Assignment } from '@espalier/protocol';
import {
  type BackupManifest,
  createBackup,
  restoreBackup,
  serverOptions,
  type ServerOptions,
} from '@espalier/server/plain';
import { type PostgresService, removeFolder, startPostgres, waitFor } from '@espalier/testing';
import type Sqlite from 'libsql';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/ask.js';
import { createJob } from '../support/create-job.js';
import { sha256Of, uploadHeaders } from '../support/held-attempt.js';
import { callCli } from '../support/call-cli.js';
import { type CliResult, runCli } from '../support/run-cli.js';
import { describeWith } from '../support/service.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';

const folder = mkdtempSync(join(tmpdir(), 'espalier-backup-'));
afterAll(() => removeFolder(folder));
const inFolder = (name: string): string => join(folder, name);
/** bytes of one file, each file others */
const bytesOf = (name: string): Buffer => Buffer.alloc(20_000 + name.length, name);

/** A worker that sends metrics and files as fast as they are acknowledged, and remembers what was. */
class BusyWorker {
  readonly files = new Map<string, Buffer>();
  steps = 0;
  assignment!: Assignment;
  private isOver = false;
  private work: Promise<void> = Promise.resolve();
  private readonly socket: SimulatedWorker;

  constructor(
    private readonly server: TestServer,
    readonly name: string,
  ) {
    this.socket = new SimulatedWorker(server.url, server.workerKey, { name });
  }

  async start(): Promise<void> {
    await createJob(this.server);
    await this.socket.connect();
    this.assignment = await this.socket.assigned(1);
    await this.socket.begin(this.assignment);
    this.work = this.send();
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.work;
    this.socket.close();
  }

  private async send(): Promise<void> {
    const { attemptId, token, runId } = this.assignment;
    while (!this.isOver) {
      const events = [{ sequence: this.steps + 1, event: metricsEvent(this.steps, { a: this.steps }) }];
      const answer = await this.socket.ask('events', { attemptId, token, stream: 'trainer', events });
      if (!answer.ok) throw new Error(answer.message);
      this.steps += 1;
      const path = `logs/${this.steps}.txt`;
      const body = bytesOf(`${this.name} ${this.steps}`);
      const put = await fetch(`${this.server.url}/api/v1/runs/${runId}/artifacts/${path}`, {
        method: 'PUT',
        headers: uploadHeaders(this.assignment, sha256Of(body), this.server.workerKey),
        body,
      });
      if (put.status !== 200) throw new Error(await put.text());
      this.files.set(path, body);
    }
  }
}

interface Acknowledged {
  readonly runId: string;
  readonly steps: number;
  readonly files: ReadonlyMap<string, Buffer>;
}

async function startBusyWorkers(server: TestServer): Promise<BusyWorker[]> {
  const workers = ['one', 'two', 'three'].map((name) => new BusyWorker(server, name));
  for (const worker of workers) await worker.start();
  await waitFor('files of each worker', () => workers.every(({ files }) => files.size > 8));
  return workers;
}

const acknowledgedOf = (workers: readonly BusyWorker[]): Acknowledged[] =>
  workers.map(({ assignment, steps, files }) => ({ runId: assignment.runId, steps, files: new Map(files) }));

/** Starts a server on restored data and looks for everything. */
async function expectAll(options: ServerOptions, key: string, expected: readonly Acknowledged[]) {
  const server = await startTestServer({ ...options, port: 0 });
  try {
    for (const { runId, steps, files } of expected) {
      const { body } = await call(server.url, key, 'GET', `/api/v1/runs/${runId}/metrics?name=a&points=5000`);
      const [series] = body['items'] as [{ values: number[] }];
      expect(series.values.slice(0, steps)).toEqual(Array.from({ length: steps }, (_, step) => step));
      for (const [path, bytes] of files) {
        const answer = await fetch(`${server.url}/api/v1/runs/${runId}/artifacts/${path}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        expect([path, answer.status]).toEqual([path, 200]);
        expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
      }
    }
  } finally {
    await server.close();
  }
}

const manifestOf = (backup: string): BackupManifest =>
  JSON.parse(readFileSync(join(backup, 'backup.json'), 'utf8')) as BackupManifest;
const errorOf = ({ stdout }: CliResult): unknown => (JSON.parse(stdout) as { error: unknown }).error;
const optionsFor = (data: string, more: object = {}): ServerOptions =>
  serverOptions.parse({ port: 0, logLevel: 'silent', data, ...more });

describe('a backup on SQLite', () => {
  const backup = inFolder('whole');
  let server: TestServer;
  let workers: BusyWorker[];
  beforeAll(async () => {
    server = await startTestServer({ leaseSeconds: 3600 });
    workers = await startBusyWorkers(server);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.stop();
    await server.close();
  });

  it('taken while workers send has what was acknowledged before, byte for byte', async () => {
    writeFileSync(join(server.options.data, 'admin.key'), `${server.adminKey}\n`, { mode: 0o600 });
    const before = acknowledgedOf(workers);
    const made = await callCli(['backup', '--data', server.options.data, '--out', backup, '--json']);
    expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('database …') as string });
    expect(workers.map(({ steps }) => steps)).not.toEqual(before.map(({ steps }) => steps));
    const { files, counts } = manifestOf(backup);
    expect(JSON.parse(made.stdout)).toMatchObject({ backup, counts, missing: [], database: 'sqlite' });
    expect(counts).toMatchObject({ runs: 3, jobs: 3 });
    expect(counts.artifacts).toBeGreaterThanOrEqual(before.reduce((sum, one) => sum + one.files.size, 0));
    for (const file of files)
      expect(file.sha256, file.path).toBe(sha256Of(readFileSync(join(backup, file.path))));

    const data = inFolder('restored');
    const restored = await callCli(['restore', backup, '--data', data]);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('3 runs, 3 jobs') as string });
    expect(readdirSync(data).sort()).toEqual([
      'admin.key',
      'artifacts',
      'database.sqlite',
      'first-keys.json',
    ]);
    await expectAll(optionsFor(data), server.adminKey, before);
  });

  it('that is stopped or killed leaves nothing that can be restored', async () => {
    const out = inFolder('stopped');
    const words = ['backup', '--data', server.options.data, '--out', out, '--json'];
    const stopped = await runCli(words, { onError: (_, kill) => kill('SIGINT') });
    expect(stopped.code).toBe(75);
    expect(errorOf(stopped)).toMatchObject({ code: 'cli.interrupted' });
    expect(existsSync(out)).toBe(false);

    const killed = await runCli(words, { onError: (_, kill) => kill('SIGKILL') });
    expect(killed.code).toBeNull();
    expect(readdirSync(out)).toEqual(['.incomplete']);
    const refused = await callCli(['restore', out, '--data', inFolder('from-killed'), '--json']);
    expect(refused.code).toBe(4);
    expect(errorOf(refused)).toMatchObject({ code: 'backup.not_found' });
    expect(existsSync(inFolder('from-killed'))).toBe(false);
  });

  it('is neither written nor restored over anything', async () => {
    for (const words of [
      ['backup', '--data', server.options.data, '--out', backup],
      ['restore', backup, '--data', backup],
    ]) {
      const refused = await callCli([...words, '--json']);
      expect(refused.code).toBe(3);
      expect(errorOf(refused)).toMatchObject({ code: 'backup.target_not_empty' });
    }
    expect(manifestOf(backup).counts.runs).toBe(3);
  });

  it('of a folder without a database is refused', async () => {
    const refused = await callCli(['backup', '--data', inFolder('none'), '--out', inFolder('out'), '--json']);
    expect(refused.code).toBe(4);
    expect(errorOf(refused)).toMatchObject({ code: 'backup.not_found' });
    expect([existsSync(inFolder('none')), existsSync(inFolder('out'))]).toEqual([false, false]);
  });

  it.each(['database.sqlite', 'an artifact', 'backup.json', 'a missing file', 'a link out of it'])(
    'that is damaged is refused: %s',
    async (what) => {
      const copy = mkdtempSync(join(folder, 'damaged-'));
      cpSync(backup, copy, { recursive: true });
      const artifact = manifestOf(backup).files.find(({ path }) => path.startsWith('artifacts/'))?.path ?? '';
      if (what === 'backup.json') writeFileSync(join(copy, what), '{"format":1');
      else if (what === 'a missing file') rmSync(join(copy, artifact));
      else if (what === 'a link out of it') {
        const manifest = manifestOf(copy);
        const files = manifest.files.map((file) => ({ ...file, path: `../whole/${file.path}` }));
        writeFileSync(join(copy, 'backup.json'), JSON.stringify({ ...manifest, files }));
      } else {
        const path = join(copy, what === 'an artifact' ? artifact : what);
        const bytes = readFileSync(path);
        bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      }
      const data = `${copy}-data`;
      const refused = restoreBackup(optionsFor(data), copy);
      await expect(refused).rejects.toMatchObject({ code: 'backup.corrupt' });
      expect(existsSync(data)).toBe(false);
    },
  );

  it('is refused under settings that would not find it', async () => {
    const postgres = { kind: 'postgres', url: 'postgres://user@127.0.0.1:1/none' };
    const bucket = { artifacts: { store: { driver: 's3', bucket: 'b' } } };
    for (const more of [{ database: postgres }, bucket, { database: { file: '/elsewhere/x' } }]) {
      const refused = restoreBackup(optionsFor(inFolder('never'), more), backup);
      await expect(refused).rejects.toMatchObject({ code: 'backup.mismatch' });
    }
    expect(existsSync(inFolder('never'))).toBe(false);
  });
});

describe('a backup of artifacts that go away', () => {
  let server: TestServer;
  let worker: BusyWorker;
  beforeAll(async () => {
    server = await startTestServer({ leaseSeconds: 3600 });
    worker = new BusyWorker(server, 'w');
    await worker.start();
    await waitFor('files of the worker', () => worker.files.size > 30);
    await worker.stop();
  });
  afterAll(() => server.close());
  const objectOf = (key: string): string => join(server.options.data, 'artifacts', 'objects', key);

  it('has neither row nor bytes of what was deleted while it was copied', async () => {
    const require = createRequire(new URL('../../apps/server/src/index.ts', import.meta.url));
    const database = new (require('libsql') as typeof Sqlite)(join(server.options.data, 'database.sqlite'));
    const keys = database
      .prepare('SELECT key FROM artifact ORDER BY id DESC LIMIT 5')
      .all()
      .map((row) => (row as { key: string }).key);
    let isDeleted = false;
    const manifest = await createBackup(server.options, inFolder('shrinking'), {
      onProgress({ stage }) {
        if (stage !== 'artifacts' || isDeleted) return;
        isDeleted = true;
        for (const key of keys) {
          database.prepare('DELETE FROM artifact WHERE key = ?').run(key);
          rmSync(objectOf(key));
        }
      },
    });
    database.close();
    expect(isDeleted).toBe(true);
    expect(manifest.missing).toEqual([]);
    expect(manifest.counts.artifacts).toBe(worker.files.size - 5);
    const paths = manifest.files.map(({ path }) => path);
    expect(keys.filter((key) => paths.includes(`artifacts/objects/${key}`))).toEqual([]);
    const copy = new (require('libsql') as typeof Sqlite)(join(inFolder('shrinking'), 'database.sqlite'));
    expect(copy.prepare('SELECT COUNT(*) AS count FROM artifact').get()).toMatchObject({
      count: worker.files.size - 5,
    });
    copy.close();
  });

  it('names what the store has lost or damaged, and ends with 5', async () => {
    const [lost, damaged] = [...worker.files.values()].map(
      (bytes) => `runs/${worker.assignment.runId}/${sha256Of(bytes)}`,
    ) as [string, string];
    rmSync(objectOf(lost));
    writeFileSync(objectOf(damaged), 'other bytes');
    const out = inFolder('lossy');
    const made = await callCli(['backup', '--data', server.options.data, '--out', out]);
    expect(made.code).toBe(5);
    expect(made.stderr).toContain(lost);
    expect(manifestOf(out).missing.map(({ key }) => key)).toEqual([lost, damaged].sort());
    const restored = await callCli(['restore', out, '--data', inFolder('lossy-data')]);
    expect(restored.code).toBe(0);
  });
});

describeWith(['postgres'], 'a backup on PostgreSQL', () => {
  let postgres: PostgresService;
  let server: TestServer;
  let workers: BusyWorker[];
  beforeAll(async () => {
    postgres = await startPostgres();
    server = await startTestServer({
      leaseSeconds: 3600,
      database: { kind: 'postgres', url: postgres.url },
    });
    workers = await startBusyWorkers(server);
  });
  afterAll(async () => {
    for (const worker of workers) await worker.stop();
    await server.close();
    await postgres.stop();
  });
  const variables = (url: string): Record<string, string> => ({
    ESPALIER__SERVER__DATABASE__KIND: 'postgres',
    ESPALIER__SERVER__DATABASE__URL: url,
  });

  it('is restored to an empty database, and to no other', async () => {
    const before = acknowledgedOf(workers);
    const out = inFolder('dump');
    const words = ['backup', '--data', server.options.data, '--out', out, '--json'];
    const made = await callCli(words, { env: variables(postgres.url) });
    expect(made).toMatchObject({ code: 0 });
    expect(JSON.parse(made.stdout)).toMatchObject({ database: 'postgres', counts: { runs: 3 }, missing: [] });

    const data = inFolder('postgres-data');
    const restore = ['restore', out, '--data', data, '--json'];
    const refused = await callCli(restore, { env: variables(postgres.url) });
    expect(refused.code).toBe(3);
    expect(errorOf(refused)).toMatchObject({ code: 'backup.target_not_empty' });
    expect(existsSync(data)).toBe(false);

    const source = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    await source.query('CREATE DATABASE restored');
    await source.destroy();
    const url = postgres.url.replace(/[^/]*$/, 'restored');
    expect(await callCli(restore, { env: variables(url) })).toMatchObject({ code: 0 });
    await expectAll(optionsFor(data, { database: { kind: 'postgres', url } }), server.adminKey, before);
  }, 180_000);

  it('without pg_dump says which command makes the dump, and keeps the password to itself', async () => {
    const url = postgres.url.replace('espalier@', 'espalier:secret@');
    const words = ['backup', '--data', server.options.data, '--out', inFolder('no-program'), '--json'];
    const refused = await callCli(words, { env: { ...variables(url), PATH: folder } });
    expect(refused.code).toBe(3);
    expect(errorOf(refused)).toMatchObject({
      code: 'backup.no_program',
      message: expect.stringMatching(/pg_dump .*--format=custom/) as string,
    });
    expect(refused.stdout + refused.stderr).not.toContain('secret');
    expect(existsSync(inFolder('no-program'))).toBe(false);
  });
});
