import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { ask, call, codesOf, type Told } from '../support/ask.js';
import { type HeldAttempt, startHeldAttempt } from '../support/held-attempt.js';
import type { TestServer } from '../support/start-server.js';

interface ListedRun {
  readonly id: string;
  readonly spec: unknown;
  readonly source: string | null;
  readonly parent: { readonly source: string | null } | null;
}

const source = (index: number): string => `# ${index}\n${'x'.repeat(60_000)}`;
const ids = Array.from({ length: 60 }, (_, index) => `z-${String(index).padStart(2, '0')}`);
const everything =
  'environment episodes metrics outcomes { stateSeed success total stopReason turns actions formatShare }';
const resultOf = (index: number) => ({
  model: 'checkpoints/step-000001',
  environment: 'bandit',
  episodes: index,
  failed: 0,
  successRate: 0,
  successLow: 0,
  successHigh: 0,
  metrics: {},
  outcomes: [],
});
let held: HeldAttempt;
let server: TestServer;
let read: string[] = [];

beforeAll(async () => {
  held = await startHeldAttempt();
  ({ server } = held);
  const database = server.app.get(DataSource);
  const { runId } = held.assignment;
  const run = await database.manager.findOneByOrFail(Run, { id: runId });
  const job = await database.manager.findOneByOrFail(Job, { runId });
  const runs = ids.map((id, index): Run => ({
    ...run,
    id,
    spec: { index },
    source: source(index),
    state: 'finished',
    parentRunId: index === 0 ? null : 'z-00',
  }));
  const jobs = ids.map((id, index): Job => ({
    ...job,
    id,
    runId: id,
    kind: 'evaluate',
    state: 'finished',
    workerId: null,
    result: resultOf(index),
  }));
  await server.app.get(RunLog, { strict: false }).write('test', async (line) => {
    await line.save(Run, runs);
    await line.save(Job, jobs);
  });
  const createQueryRunner = database.driver.createQueryRunner.bind(database.driver);
  database.driver.createQueryRunner = (mode) => {
    const runner = createQueryRunner(mode);
    const query = runner.query.bind(runner) as (text: string, ...rest: unknown[]) => Promise<unknown>;
    runner.query = ((text: string, ...rest: unknown[]) => {
      read.push(text);
      return query(text, ...rest);
    }) as typeof runner.query;
    return runner;
  };
}, 60_000);
afterAll(() => held.close());

async function told(query: string): Promise<Told['body']> {
  read = [];
  return (await ask(server.url, server.adminKey, query)).body;
}

describe('lists of rows that may be long', () => {
  it('read specs, sources and results only where somebody asks for them', async () => {
    const light = await told(
      '{ runs(first: 500) { nodes { id latest jobs(first: 5) { nodes { id } } parent { id } } } jobs(first: 500) { nodes { id } } }',
    );
    expect(light.errors).toBeUndefined();
    await call(server.url, server.adminKey, 'GET', '/api/v1/runs?first=500');
    await call(server.url, server.adminKey, 'GET', '/api/v1/jobs?first=500');
    expect(read.filter((text) => text.includes('FROM "run"')).length).toBeGreaterThan(2);
    expect(
      read.filter((text) => /"(run|row)"\."(spec|source|search)"|"(job|row)"\."result"/.test(text)),
    ).toEqual([]);
  });

  it('give them as each row has them by itself', async () => {
    const body = await told('{ runs(first: 20) { nodes { id spec source parent { source } } } }');
    const { nodes } = body.data?.['runs'] as { nodes: ListedRun[] };
    expect(nodes).toHaveLength(20);
    for (const item of nodes.filter(({ id }) => ids.includes(id))) {
      const index = ids.indexOf(item.id);
      expect([item.spec, item.source]).toEqual([{ index }, source(index)]);
      expect(item.parent?.source).toBe(index === 0 ? undefined : source(0));
    }
    const jobs = await told(
      '{ jobs(first: 100) { nodes { id result { environment episodes outcomes { turns } } } } }',
    );
    const found = (jobs.data?.['jobs'] as { nodes: { id: string; result: unknown }[] }).nodes;
    expect(found).toHaveLength(61);
    for (const { id, result } of found)
      expect(result).toEqual(
        ids.includes(id) ? { environment: 'bandit', episodes: ids.indexOf(id), outcomes: [] } : null,
      );
    const one = await told('{ run(id: "z-07") { spec source } job(id: "z-07") { result { episodes } } }');
    expect(one.data).toMatchObject({
      run: { spec: { index: 7 }, source: source(7) },
      job: { result: { episodes: 7 } },
    });
  });

  it('leave them out over REST, where each row has them by itself', async () => {
    const list = await call(server.url, server.adminKey, 'GET', '/api/v1/runs?first=500');
    expect(JSON.stringify(list.body).length).toBeLessThan(200_000);
    for (const item of list.body['items'] as object[])
      for (const name of ['spec', 'source']) expect(item).not.toHaveProperty(name);
    const run = await call(server.url, server.adminKey, 'GET', '/api/v1/runs/z-07');
    expect(run.body).toMatchObject({ spec: { index: 7 }, source: source(7) });
    const job = await call(server.url, server.adminKey, 'GET', '/api/v1/jobs/z-07');
    expect(job.body).toMatchObject({ result: { episodes: 7 } });
  });

  it('cost by what they may hold, so that an operation gives some megabytes of them at most', async () => {
    const list = (first: number, field: string, roots = 1) =>
      `{ ${Array.from({ length: roots }, (_, i) => `a${i}: runs(first: ${first}) { nodes { ${field} } }`).join(' ')} }`;
    for (const dear of [
      list(100, 'source'),
      list(100, 'spec'),
      list(10, 'parent { source }', 10),
      list(500, 'latest', 3),
      list(500, 'jobs(first: 1) { nodes { id } }', 4),
      `{ jobs(first: 200) { nodes { result { ${everything} } } } }`,
    ])
      expect([dear, ...codesOf({ body: await told(dear) } as Told)]).toEqual([dear, 'graphql.too_costly']);
    for (const allowed of [
      list(70, 'source'),
      list(500, 'latest'),
      `{ jobs(first: 100) { nodes { result { ${everything} } } } }`,
    ])
      expect((await told(allowed)).errors).toBeUndefined();
  });
});
