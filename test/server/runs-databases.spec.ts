import { parquetReadObjects } from 'hyparquet';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckpointRetention } from '../../apps/server/src/core/runs/checkpoint-retention.service.js';
import { findProgram, type PostgresService, startPostgres } from '@espalier/testing';
import { sha256Of as sha256, uploadHeaders } from '../support/held-attempt.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const databases = [
  'sqlite',
  ...(findProgram('postgres') === undefined && !process.env['CI'] ? [] : ['postgres']),
];

describe.each(databases)('runs on %s', (kind) => {
  let postgres: PostgresService | undefined;
  let server: TestServer;

  beforeAll(async () => {
    if (kind === 'postgres') postgres = await startPostgres();
    const database = postgres === undefined ? {} : { database: { kind: 'postgres', url: postgres.url } };
    server = await startTestServer({ ...database, artifacts: { keepCheckpoints: 2 } });
  }, 120_000);
  afterAll(async () => {
    await server.close();
    await postgres?.stop();
  });

  async function call(method: string, path: string, body?: unknown) {
    const headers = {
      authorization: `Bearer ${server.adminKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${server.url}/api/v1/runs${path}`, init);
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }

  const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
  const spec = {
    name: 'made elsewhere',
    steps: 3,
    seed: 1,
    environment: { use: 'bandit' },
    algorithm: { use: 'grpo' },
    model: { use: 'seedling' },
  };

  it('are made, found by words, tags and states in pages, steered and deleted', async () => {
    for (const name of ['Ape one', 'ape two', 'bee'])
      await call('POST', '', { source, name, tags: ['a_b', name] });
    const names = async (query: string): Promise<unknown> => {
      const { body } = await call('GET', `?${query}`);
      return (body['items'] as { name: string }[]).map((run) => run.name);
    };
    expect(await names('text=APE%20bandit')).toEqual(['ape two', 'Ape one']);
    expect(await names('tag=a_b&first=2&state=queued')).toEqual(['bee', 'ape two']);
    expect(await names('tag=aXb')).toEqual([]);
    expect(await names('tag=A_B')).toEqual([]);
    const { body } = await call('GET', '?text=bee');
    const [{ id }] = body['items'] as [{ id: string }];
    expect((await call('POST', `/${id}/pause`)).body).toMatchObject({ state: 'paused' });
    expect((await call('PATCH', `/${id}`, { note: 'wasp' })).body).toMatchObject({ note: 'wasp' });
    expect(await names('text=wasp')).toEqual(['bee']);
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
    expect(await names('text=wasp')).toEqual([]);
  });

  it('are imported, keep the newest checkpoints, are exported and leave nothing when deleted', async () => {
    const begun = await call('POST', '/import', { spec, tags: ['i'] });
    const { runId, attemptId, token } = begun.body as { runId: string; attemptId: string; token: number };
    const row = {
      id: 'train/0/0/0',
      environment: 'bandit',
      split: 'train',
      group: 0,
      index: 0,
      stateSeed: 3,
      reward: 0.5,
      environmentReward: null,
      success: true,
      stopReason: 'success',
      labels: ['cycle', 'dead-end'],
      turns: 1,
      tokens: 5,
      sampledTokens: 2,
      kept: true,
      error: null,
      text: 'phoenix, "dragon"\n= 1',
    };
    const events = [
      { kind: 'run-started', time: 1, step: 0, steps: 3, attempt: 1 },
      { kind: 'trajectory', time: 2, step: 0, row },
      { kind: 'metrics', time: 3, step: 1, values: { 'a/b': 0.1, 'c/d': null } },
      { kind: 'metrics', time: 4, step: 2, values: { 'a/b': 1 / 3 } },
    ].map((event, index) => ({ sequence: index + 1, event }));
    expect(await call('POST', `/${runId}/import/events`, { attempt: 1, events })).toMatchObject({
      status: 200,
      body: { acked: 4, attemptId, token },
    });
    const lines: string[] = [];
    for (const step of ['000001', '000002', '000003'])
      for (const name of ['manifest.json', 'policy/model.bin']) {
        const bytes = `${step} ${name}`;
        lines.push(`${sha256(bytes)}  checkpoints/step-${step}/${name}\n`);
        const headers = uploadHeaders({ attemptId, token }, sha256(bytes), server.adminKey);
        const path = `artifacts/checkpoints/step-${step}/${name}`;
        const url = `${server.url}/api/v1/runs/${runId}/${path}`;
        expect((await fetch(url, { method: 'PUT', headers, body: bytes })).status).toBe(200);
      }
    const files = { count: 6, bytes: 3 * (20 + 23), sha256: sha256(lines.join('')) };
    const end = { state: 'finished', events: [4], files };
    expect((await call('POST', `/${runId}/import/end`, end)).body).toMatchObject({ state: 'finished' });
    // the end itself sets that going
    await server.app.get(CheckpointRetention).apply(runId);
    const { items } = (await call('GET', `/${runId}/artifacts?path=checkpoints/`)).body as {
      items: { path: string }[];
    };
    expect(items.map(({ path }) => path.slice(12, 23))).toEqual(
      ['2', '2', '3', '3'].map((step) => `step-00000${step}`),
    );
    const file = await fetch(`${server.url}/api/v1/runs/${runId}/export/trajectories.parquet`, {
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    const [told] = await parquetReadObjects({ file: await file.arrayBuffer() });
    expect(told).toMatchObject({ ...row, environmentReward: null, error: null, labels: 'cycle dead-end' });
    const manifest = (await call('GET', `/${runId}/export/manifest?format=csv`)).body as { files: object[] };
    expect(manifest.files).toMatchObject([{}, { rows: 2 }, { rows: 1 }, {}]);
    expect(manifest).toMatchObject({ expired: 0 });
    await server.app
      .get(DataSource)
      .query(`DELETE FROM run_record WHERE "runId" = '${runId}' AND cursor IN (1, 2, 3)`);
    const { body: later } = await call('GET', `/${runId}/export/manifest?format=csv`);
    expect(later).toMatchObject({ expired: 3, from: { records: 4, metrics: 4, trajectories: 3 } });
    const compared = await call('GET', `/compare?id=${runId}&metric=a/b`);
    expect(compared.body['metrics']).toMatchObject([
      { name: 'a/b', runs: [{ count: 2, last: 1 / 3, max: 1 / 3, maxStep: 2 }] },
    ]);
    expect((await call('DELETE', `/${runId}`)).status).toBe(200);
    for (const table of ['run_record', 'trajectory', 'artifact', 'attempt', 'job', 'metric_block']) {
      const left = await server.app
        .get(DataSource)
        .query<unknown[]>(`SELECT * FROM ${table} WHERE "runId" = '${runId}'`);
      expect([table, left]).toEqual([table, []]);
    }
  });

  it('of the same seed are one group without a difference; its spread counts both', async () => {
    const writers = [await createWriter(server), await createWriter(server)] as const;
    for (const [index, writer] of writers.entries())
      await writer.write([metricsEvent(1, { a: index === 0 ? 1 : 3 })]);
    const [one, other] = writers.map(({ runId }) => runId);
    const { status, body } = await call('GET', `/compare?id=${one}&id=${other}&metric=a`);
    expect([status, body]).toMatchObject([
      200,
      {
        differences: [],
        groups: [{ runIds: [one, other], seeds: [0, 0] }],
        metrics: [{ name: 'a', groups: [{ group: 0, last: { count: 2, mean: 2, std: Math.SQRT2 } }] }],
      },
    ]);
  });
});
