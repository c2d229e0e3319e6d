import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { listTrajectorySteps, readMetrics } from '@espalier/recorder';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '@espalier/client';
import { importRun } from '../../apps/cli/src/remote/import-run.js';
import { readImportFolder } from '../../apps/cli/src/remote/import-folder.js';
import { breakOffAt } from '../support/break-off.js';
import { sha256Of as sha256 } from '../support/held-attempt.js';
import { callCli } from '../support/call-cli.js';
import { makeSprout, sproutSpec } from '../support/sprout.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { describeExport } from './describe-export.js';

let root: string;
let server: TestServer;
/** folder of a run that was stopped and resumed, so it has two attempts */
let folder: string;
let runId: string;

async function get(path: string, key = server.adminKey): Promise<Response> {
  return fetch(`${server.url}/api/v1/runs/${path}`, { headers: { authorization: `Bearer ${key}` } });
}

async function post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${server.adminKey}`, 'content-type': 'application/json' };
  const answer = await fetch(`${server.url}/api/v1/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'espalier-import-'));
  const model = await makeSprout(join(root, 'model'));
  folder = join(root, 'run');
  const spec = join(root, 'run.yaml');
  writeFileSync(spec, JSON.stringify(sproutSpec(model, { steps: 4 })));
  const first = await callCli(['train', spec, '--out', folder]);
  expect(first.stderr).toBe('');
  const more = await callCli(['train', spec, '--out', folder, '--resume', '--set', 'steps=6']);
  expect([more.code, more.stderr]).toEqual([0, '']);
  server = await startTestServer();
}, 120_000);

afterAll(async () => {
  await server.close();
  removeFolder(root);
});

interface Told {
  readonly runId: string;
  readonly outcome: string;
  readonly state: string;
  readonly name: string;
  readonly isChanged: boolean;
}

/** The command, in a process of its own. */
async function runImport(words: readonly string[], url = server.url): Promise<Told> {
  const { code, stdout, stderr } = await callCli([
    'run',
    'import',
    ...words,
    '--server',
    url,
    '--key',
    server.adminKey,
    '--json',
  ]);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Told;
}

async function runs(): Promise<{ id: string; state: string; name: string }[]> {
  const headers = { authorization: `Bearer ${server.adminKey}` };
  const answer = await fetch(`${server.url}/api/v1/runs`, { headers });
  return ((await answer.json()) as { items: never[] }).items;
}

describe('an import', () => {
  it('whose process is killed among the events, then within a file, goes on when it is asked for again', async () => {
    const words = ['run', 'import', folder, '--tag', 'imported', '--key', server.adminKey];
    for (const place of ['the second batch of events', 'the body of the fifth file'] as const) {
      const count = place.startsWith('the second')
        ? { path: '/import/events', nth: 2 }
        : { path: '/artifacts/', nth: 5 };
      await breakOffAt(server.url, count, words);
      const [run, ...others] = await runs();
      expect([place, run?.state, others]).toEqual([place, 'importing', []]);
    }
    const done = await runImport([folder, '--tag', 'imported']);
    expect(done).toMatchObject({ outcome: 'continued', state: 'finished', name: 'tiny' });
    ({ runId } = done);
    const run = (await (await get(runId)).json()) as Record<string, unknown>;
    expect(run).toMatchObject({ host: hostname(), versions: { node: process.versions.node } });
    expect(run['gitRevision'] ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}/);
    expect(run['plugins']).toContainEqual({
      kind: 'environment',
      id: 'bandit',
      version: expect.any(String),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const stored = (await (await get(`${runId}/artifacts?first=100`)).json()) as {
      items: { path: string }[];
    };
    expect(stored.items.map(({ path }) => path).sort()).toEqual(
      readImportFolder(folder)
        .files.map(({ path }) => path)
        .sort(),
    );
  }, 60_000);

  it('of a run that is there already is noticed and changes nothing', async () => {
    const again = await runImport([folder]);
    expect(again).toMatchObject({ outcome: 'known', runId, state: 'finished', isChanged: false });
    expect(await runs()).toHaveLength(1);
    const more = await runImport([folder, '--again', '--name', 'second']);
    expect(more).toMatchObject({ outcome: 'imported', name: 'second', state: 'finished' });
    expect(more.runId).not.toBe(runId);
    const gone = await fetch(`${server.url}/api/v1/runs/${more.runId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(gone.status).toBe(200);
  }, 60_000);

  it('is not ended while something is missing, and can be deleted', async () => {
    const spec = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as object;
    const fingerprint = 'ab'.repeat(32);
    const begun = await post('runs/import', { spec, name: 'half', fingerprint });
    expect(begun).toMatchObject({ status: 201, body: { state: 'importing', isNew: true, acked: 0 } });
    const id = String(begun.body['runId']);
    const files = { count: 1, bytes: 3, sha256: sha256(Buffer.from('x')) };
    const end = { state: 'finished', events: [2], files };
    const early = await post(`runs/${id}/import/end`, end);
    expect(early).toMatchObject({ status: 409, body: { code: 'run.incomplete_import' } });
    expect(early.body['message']).toMatch(
      /events of its attempts are 0, announced were 2; the number of files is 0/,
    );
    expect(await post(`runs/${id}/fork`, {})).toMatchObject({
      status: 409,
      body: { code: 'run.not_possible' },
    });
    const changed = await post('runs/import', { spec, fingerprint, content: 'cd'.repeat(32) });
    expect(changed).toMatchObject({ status: 409, body: { code: 'run.not_possible' } });
    expect(await post('runs/import', { spec, fingerprint })).toMatchObject({
      status: 200,
      body: { runId: id, isNew: false, name: 'half' },
    });
    const gone = await fetch(`${server.url}/api/v1/runs/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(gone.status).toBe(200);
  });

  it('takes no events that do not follow, none of an attempt that has been replaced, and none after its end', async () => {
    const event = { kind: 'warning', time: 1, step: 0, code: 'a.b', message: 'm' };
    const send = (id: string, attempt: number, sequence: number) =>
      post(`runs/${id}/import/events`, { attempt, events: [{ sequence, event }] });
    const spec = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as object;
    const id = String((await post('runs/import', { spec })).body['runId']);
    expect((await send(id, 1, 1)).body).toMatchObject({ acked: 1 });
    expect((await send(id, 2, 1)).body).toMatchObject({ acked: 1 });
    expect(await send(id, 1, 2)).toMatchObject({ status: 409, body: { code: 'worker.fenced' } });
    expect(await send(id, 2, 9)).toMatchObject({ status: 409, body: { code: 'event.gap' } });
    expect(await send(id, 9, 1)).toMatchObject({ status: 409, body: { code: 'run.not_possible' } });
    const files = { count: 0, bytes: 0, sha256: sha256(Buffer.from('')) };
    const end = { state: 'cancelled', message: 'enough', events: [1, 1], files, endedAt: 1000 };
    expect((await post(`runs/${id}/import/end`, end)).body).toMatchObject({
      state: 'cancelled',
      message: 'enough',
      endedAt: '1970-01-01T00:00:01.000Z',
    });
    expect((await post(`runs/${id}/import/end`, end)).status).toBe(200);
    expect(await send(id, 2, 2)).toMatchObject({ status: 409, body: { code: 'run.wrong_state' } });
    const late = await fetch(`${server.url}/api/v1/runs/${id}/artifacts/late.txt`, {
      method: 'PUT',
      body: 'late',
      headers: {
        authorization: `Bearer ${server.adminKey}`,
        'content-type': 'application/octet-stream',
        'x-espalier-sha256': sha256(Buffer.from('late')),
      },
    });
    expect(await late.json()).toMatchObject({ code: 'run.wrong_state' });
  });
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
    const { items } = (await (await get(`${runId}/artifacts?first=100`)).json()) as {
      items: { path: string; sha256: string; step: number; kind: string }[];
    };
    for (const { path, sha256: stored } of items)
      expect([path, sha256(readFileSync(join(folder, path)))]).toEqual([path, stored]);
    const paths = items.map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([
        'spec.json',
        'metrics.jsonl',
        'events.jsonl',
        'checkpoints/step-000006/manifest.json',
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
      parentRunId: runId,
      parentStep: 6,
      forkPath: 'checkpoints/step-000006',
      state: 'queued',
      name: 'on',
      steps: 9,
      imported: false,
    });
    const missing = await post(`runs/${runId}/fork`, { step: 3 });
    expect(missing).toMatchObject({ status: 409, body: { code: 'run.not_possible' } });
    expect(missing.body['message']).toMatch(/step 3 .*stored are steps 2, 4, 6/);
    const evaluation = await post(`runs/${runId}/evaluate`, { episodes: 8, split: 'validation' });
    expect(evaluation.body).toMatchObject({ kind: 'evaluate', state: 'queued', runId });
    const busy = await fetch(`${server.url}/api/v1/runs/${runId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(busy.status).toBe(409);
  });
});

describeExport(() => ({ server, folder, runId }));

describe('a comparison', () => {
  it('refuses metrics that no run has, with the names near them', async () => {
    const answer = await get(`compare?id=${runId}&metric=rollout/reward_mean&metric=rollout/succes_rate`);
    expect(answer.status).toBe(400);
    const { code, message } = (await answer.json()) as { code: string; message: string };
    expect([code, message]).toEqual([
      'server.invalid_input',
      expect.stringMatching(/"rollout\/succes_rate" \(near it: rollout\/success_rate/) as string,
    ]);
  });

  it('tells what differs and the metrics of runs that share all but the seed', async () => {
    const headers = { authorization: `Bearer ${server.adminKey}`, 'content-type': 'application/json' };
    const client = createClient({ url: server.url, key: server.adminKey });
    const twin = await importRun(client, folder, { again: true });
    const query = `{ compareRuns(ids: ["${runId}", "${twin.runId}"], last: 3) {
      differences { path } groups { runIds seeds }
      metrics { name runs { runId count last max min tailMean } groups { last { count mean std } } } } }`;
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query }),
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
