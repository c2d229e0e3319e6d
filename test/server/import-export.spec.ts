import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTrajectorySteps, readMetrics, readTrajectories } from '@espalier/telemetry';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRun } from '../../apps/cli/src/import-run.js';
import { runCli } from '../support/run-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let root: string;
let server: TestServer;
/** folder of a run that was stopped and resumed, so it has two attempts */
let folder: string;
let runId: string;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function get(path: string, key = server.adminKey): Promise<Response> {
  return fetch(`${server.url}/api/v1/runs/${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${server.adminKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/api/v1/${path}`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body) },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

interface Manifest {
  readonly until: number;
  readonly files: readonly { name: string; bytes: number; sha256: string; rows?: number }[];
  readonly artifacts: readonly { name: string; sha256: string }[];
}

async function exported(name: string, until: number): Promise<Buffer> {
  const answer = await get(`${runId}/export/${name}?until=${until}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  return Buffer.from(await answer.arrayBuffer());
}

const asBuffer = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-import-'));
  const model = await makeSprout(join(root, 'model'));
  folder = join(root, 'run');
  const spec = join(root, 'run.yaml');
  writeFileSync(spec, JSON.stringify(sproutSpec(model, { steps: 4 })));
  const first = await runCli(['train', spec, '--out', folder]);
  expect(first.stderr).toBe('');
  const more = await runCli(['train', spec, '--out', folder, '--resume', '--set', 'steps=6']);
  expect([more.code, more.stderr]).toEqual([0, '']);
  server = await startTestServer();
  const done = await importRun(folder, { server: server.url, key: server.adminKey, tags: ['imported'] });
  ({ runId } = done);
}, 120_000);

afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true, force: true });
});

describe('a run that is imported', () => {
  it('stands as it ended, with its spec, its newest numbers and both attempts', async () => {
    const run = (await (await get(runId)).json()) as Record<string, unknown>;
    const last = readMetrics(join(folder, 'metrics.jsonl')).at(-1);
    expect(run).toMatchObject({
      imported: true,
      state: 'finished',
      step: last?.step,
      steps: 6,
      tags: ['imported'],
    });
    expect(run['spec']).toEqual(JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')));
    expect(run['latest']).toMatchObject(
      Object.fromEntries(
        Object.entries(last?.values ?? {}).map(([name, value]) => [
          name,
          Number.isFinite(value) ? value : null,
        ]),
      ),
    );
  });

  it('has every file of its folder that counts, byte for byte', async () => {
    const { items } = (await (await get(`${runId}/artifacts`)).json()) as {
      items: { path: string; sha256: string; step: number; kind: string }[];
    };
    for (const { path, sha256: stored } of items)
      expect([path, sha256(readFileSync(join(folder, path)))]).toEqual([path, stored]);
    const paths = items.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        ...['spec.json', 'metrics.jsonl', 'events.jsonl', 'checkpoints/step-000006/manifest.json'],
        ...listTrajectorySteps(join(folder, 'trajectories')).map(
          (step) => `trajectories/step-${String(step).padStart(6, '0')}.jsonl.gz`,
        ),
      ]),
    );
    const one = items.find(({ path }) => path === 'checkpoints/step-000006/manifest.json');
    expect(one).toMatchObject({ kind: 'checkpoint', step: 6 });
  });

  it('cannot be resumed, and can be forked and evaluated from its checkpoints', async () => {
    expect(await post(`runs/${runId}/resume`, {})).toMatchObject({
      status: 409,
      body: { code: 'run.not_possible' },
    });
    const fork = await post(`runs/${runId}/fork`, { step: 6, overrides: ['steps=9'], name: 'on' });
    expect(fork.body).toMatchObject({
      ...{ parentRunId: runId, parentStep: 6, forkPath: 'checkpoints/step-000006', state: 'queued' },
      ...{ name: 'on', steps: 9, imported: false },
    });
    const missing = await post(`runs/${runId}/fork`, { step: 3 });
    expect(missing).toMatchObject({ status: 409, body: { code: 'run.not_possible' } });
    expect(missing.body['message']).toMatch(/step 3 .*stored are steps 4, 6/);
    const evaluation = await post(`runs/${runId}/evaluate`, { episodes: 8, split: 'validation' });
    expect(evaluation.body).toMatchObject({ kind: 'evaluate', state: 'queued', runId });
    const busy = await fetch(`${server.url}/api/v1/runs/${runId}`, {
      ...{ method: 'DELETE', headers: { authorization: `Bearer ${server.adminKey}` } },
    });
    expect(busy.status).toBe(409);
  });

  it('takes no events that do not follow, and none of an attempt that has been replaced', async () => {
    const event = { kind: 'warning', time: 1, step: 0, code: 'a.b', message: 'm' };
    const late = await post(`runs/${runId}/import/events`, {
      attempt: 1,
      events: [{ sequence: 1e6, event }],
    });
    expect(late).toMatchObject({ status: 409, body: { code: 'worker.fenced' } });
    const gap = await post(`runs/${runId}/import/events`, { attempt: 2, events: [{ sequence: 1e6, event }] });
    expect(gap).toMatchObject({ status: 409, body: { code: 'event.gap' } });
    const skipped = await post(`runs/${runId}/import/events`, {
      attempt: 9,
      events: [{ sequence: 1, event }],
    });
    expect(skipped).toMatchObject({ status: 409, body: { code: 'run.not_possible' } });
  });
});

describe('an export', () => {
  it.each(['jsonl', 'csv', 'parquet'] as const)(
    'as %s has the bytes that its manifest tells',
    async (format) => {
      const manifest = (await (await get(`${runId}/export/manifest?format=${format}`)).json()) as Manifest;
      expect(manifest.files.map(({ name }) => name)).toEqual([
        ...['run.json', `metrics.${format}`, `trajectories.${format}`, `records.${format}`],
      ]);
      for (const file of manifest.files) {
        const bytes = await exported(file.name, manifest.until);
        expect([file.name, bytes.length, sha256(bytes)]).toEqual([file.name, file.bytes, file.sha256]);
      }
      expect(manifest.artifacts).toHaveLength(listTrajectorySteps(join(folder, 'trajectories')).length);
    },
  );

  it('has every metric of every row with all its bits, in every format', async () => {
    const { until } = (await (await get(`${runId}/export/manifest?what=metrics`)).json()) as Manifest;
    const source = readMetrics(join(folder, 'metrics.jsonl'));
    const expected = source.map(({ step, attempt, time, values }) => {
      const finite = Object.entries(values).filter(([, value]) => Number.isFinite(value));
      return { step, attempt, time, ...Object.fromEntries(finite) };
    });
    const drop = (row: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(
        Object.entries(row)
          .filter(
            ([name, value]) => name !== 'cursor' && value !== null && value !== undefined && value !== '',
          )
          .map(([name, value]) => [name, Number(value)]),
      );
    const lines = (await exported('metrics.jsonl', until)).toString().trim().split('\n');
    expect(lines.map((line) => drop(JSON.parse(line) as Record<string, unknown>))).toEqual(expected);
    const [header = '', ...rows] = (await exported('metrics.csv', until)).toString().trim().split('\r\n');
    const names = header.split(',');
    const table = rows.map((row) => Object.fromEntries(row.split(',').map((cell, i) => [names[i], cell])));
    expect(table.map(drop)).toEqual(expected);
    const parquet = await parquetReadObjects({ file: asBuffer(await exported('metrics.parquet', until)) });
    expect(parquet.map(drop)).toEqual(expected);
  });

  it('has every trajectory of the folder, with its text', async () => {
    const trajectories = join(folder, 'trajectories');
    const expected = listTrajectorySteps(trajectories)
      .flatMap((step) => readTrajectories(trajectories, { step }))
      .map(({ id, score, success, kept }) => ({ id, reward: score.total, success, kept }));
    const rows = await parquetReadObjects({ file: asBuffer(await exported('trajectories.parquet', 1e9)) });
    const told = rows.map(({ id, reward, success, kept }) => ({ id: String(id), reward, success, kept }));
    const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);
    expect(told.sort(byId)).toEqual(expected.sort(byId));
    expect(
      rows.map(({ text }) => text).filter((text) => typeof text !== 'string' || text.length === 0),
    ).toEqual([]);
  });

  it('up to a cursor stays the same while the run goes on, and names what it does not know', async () => {
    const before = await exported('records.csv', 5);
    expect(before.toString().split('\r\n')).toHaveLength(7);
    expect((await get(`${runId}/export/nothing.csv`)).status).toBe(404);
    expect((await get(`${runId}/export/manifest?format=xlsx`)).status).toBe(400);
    const stranger = await server.createKey({ name: 's', role: 'viewer', projects: ['other'] });
    expect((await get(`${runId}/export/manifest`, stranger)).status).toBe(404);
    expect((await get(`${runId}/export/run.json`, stranger)).status).toBe(404);
  });
});

describe('a comparison', () => {
  it('tells what differs and the metrics of runs that share all but the seed', async () => {
    const headers = { authorization: `Bearer ${server.adminKey}`, 'content-type': 'application/json' };
    const twin = await importRun(folder, { server: server.url, key: server.adminKey });
    const query = `{ compareRuns(ids: ["${runId}", "${twin.runId}"], last: 3) {
      differences { path } groups { runIds seeds }
      metrics { name runs { runId count last max min tailMean } groups { last { count mean std } } } } }`;
    const answer = await fetch(`${server.url}/graphql`, {
      ...{ method: 'POST', headers, body: JSON.stringify({ query }) },
    });
    const told = (await answer.json()) as { data: { compareRuns: Record<string, never[]> } };
    const { differences, groups, metrics } = told.data.compareRuns;
    expect(differences).toEqual([]);
    expect(groups).toEqual([{ runIds: [runId, twin.runId], seeds: [0, 0] }]);
    const values = readMetrics(join(folder, 'metrics.jsonl')).flatMap(({ values: row }) =>
      Number.isFinite(row['rollout/reward_mean']) ? [row['rollout/reward_mean'] as number] : [],
    );
    const found = (metrics as unknown as { name: string }[]).find(
      ({ name }) => name === 'rollout/reward_mean',
    );
    expect(found).toMatchObject({
      runs: [
        { count: values.length, last: values.at(-1), max: Math.max(...values), min: Math.min(...values) },
        {},
      ],
      groups: [{ last: { count: 2, mean: values.at(-1), std: 0 } }],
    });
  });
});
