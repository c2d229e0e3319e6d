import { createClient } from '@espalier/client';
import type { Assignment } from '@espalier/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { Attempt } from '../../apps/server/src/core/database/entities/attempt.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { ask } from '../support/ask.js';
import { type HeldAttempt, sha256Of, startHeldAttempt, uploadHeaders } from '../support/held-attempt.js';
import type { TestServer } from '../support/start-server.js';

let server: TestServer;
let held: HeldAttempt;
let assignment: Assignment;

interface ListPage {
  readonly nodes: readonly Record<string, string>[];
  readonly pageInfo: { readonly endCursor: string | null; readonly hasNextPage: boolean };
}

async function readPage(query: string, after: string | null): Promise<ListPage> {
  const told = await ask(server.url, server.adminKey, query, { id: assignment.runId, after });
  expect(told.body.errors).toBeUndefined();
  return (told.body.data as unknown as { run: { list: ListPage } }).run.list;
}

/** Reads a list of the run in pages of two; gives the chosen field of every item, page by page. */
async function walk(list: string, field: string, more = ''): Promise<string[][]> {
  const query = `query ($id: ID!, $after: String) { run(id: $id) { list: ${list}(first: 2, after: $after${more}) { nodes { ${field} } pageInfo { endCursor hasNextPage } } } }`;
  const pages: string[][] = [];
  for (let after: string | null = null; ;) {
    const { nodes, pageInfo } = await readPage(query, after);
    pages.push(nodes.map((item) => item[field] ?? ''));
    if (!pageInfo.hasNextPage) return pages;
    expect(pages.length).toBeLessThan(200);
    after = pageInfo.endCursor;
  }
}

async function put(path: string): Promise<void> {
  const headers = uploadHeaders(assignment, sha256Of(path), server.workerKey);
  const url = `${server.url}/api/v1/runs/${assignment.runId}/artifacts/${path}`;
  expect((await fetch(url, { method: 'PUT', headers, body: path })).status).toBe(200);
}

beforeAll(async () => {
  held = await startHeldAttempt();
  ({ server, assignment } = held);
}, 60_000);
afterAll(() => held.close());

describe('lists of a run', () => {
  it('give each artifact exactly once, in pages of two, of all folders or of one', async () => {
    const paths = ['logs/a.txt', 'logs/b.txt', 'logs/c.txt', 'logs/d.txt', 'logs/e.txt'];
    for (const path of [...paths].reverse()) await put(path);
    expect(await walk('artifacts', 'path')).toEqual([paths.slice(0, 2), paths.slice(2, 4), paths.slice(4)]);
    await put('checkpoints/step-000001/manifest.json');
    expect(await walk('artifacts', 'path', ', prefix: "logs/"')).toEqual([
      paths.slice(0, 2),
      paths.slice(2, 4),
      paths.slice(4),
    ]);
    expect(await walk('artifacts', 'path', ', prefix: "none/"')).toEqual([[]]);
  });

  it('give each checkpoint once: its files summed, whole with its manifest, which none can be forked without', async () => {
    await put('checkpoints/step-000002/weights.bin');
    const client = createClient({ url: server.url, key: server.adminKey });
    const folder = 'checkpoints/step-000001';
    const whole = { step: 1, path: folder, files: 1, bytes: `${folder}/manifest.json`.length };
    const partial = { step: 2, files: 1, isComplete: false, canFork: false };
    expect(await client.runs.checkpoints(assignment.runId)).toMatchObject([
      { ...whole, isComplete: true, canFork: true },
      partial,
    ]);
    await put('checkpoints/step-000001/weights.bin');
    const [first] = await walk('checkpoints', 'path');
    expect(first).toEqual([folder, 'checkpoints/step-000002']);
    const told = await client.rest(`/api/v1/runs/${assignment.runId}/checkpoints?first=1`);
    const { items, pageInfo } = (await told.json()) as { items: object[]; pageInfo: { endCursor: string } };
    expect(items).toMatchObject([
      { step: 1, files: 2, createdAt: expect.stringMatching(/^20.*Z$/) as string },
    ]);
    const rest = await client.rest(
      `/api/v1/runs/${assignment.runId}/checkpoints?after=${pageInfo.endCursor}`,
    );
    expect(await rest.json()).toMatchObject({ items: [partial], pageInfo: { hasNextPage: false } });
  });

  it('give each job, attempt and fork exactly once, oldest first; the client reads them all', async () => {
    const { manager } = server.app.get(DataSource);
    const run = await manager.findOneByOrFail(Run, { id: assignment.runId });
    const job = await manager.findOneByOrFail(Job, { runId: run.id });
    const attempt = await manager.findOneByOrFail(Attempt, { runId: run.id });
    const ids = Array.from({ length: 104 }, (_, i) => `z-${String(i).padStart(3, '0')}`);
    const jobs = ids.map((id): Job => ({ ...job, id, state: 'finished', workerId: null }));
    const attempts = ids.map((id): Attempt => ({ ...attempt, id, jobId: id, state: 'ended' }));
    const forks = ids.slice(0, 5).map((id): Run => ({ ...run, id, parentRunId: run.id, state: 'finished' }));
    // in the line of the server's own writes: SQLite has one connection
    await server.app.get(RunLog, { strict: false }).write('test', async (line) => {
      await line.save(Job, jobs);
      await line.save(Attempt, attempts);
      await line.save(Run, forks);
    });
    expect((await walk('jobs', 'id')).flat()).toEqual([job.id, ...ids]);
    expect((await walk('attempts', 'id')).flat()).toEqual([attempt.id, ...ids]);
    expect(await walk('children', 'id')).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4, 5)]);
    const client = createClient({ url: server.url, key: server.adminKey });
    const shown = await client.runs.get(run.id);
    expect(shown.jobs.map(({ id }) => id)).toEqual([job.id, ...ids]);
    expect(shown.attempts.map(({ id }) => id)).toEqual([attempt.id, ...ids]);
  });

  it('refuse a cursor of another list and a page that is too large', async () => {
    const refused = async (args: string) => {
      const query = `{ run(id: "${assignment.runId}") { artifacts(${args}) { nodes { path } } } }`;
      return (await ask(server.url, server.adminKey, query)).body.errors?.[0]?.extensions.code;
    };
    expect(await refused('after: "nonsense"')).toBe('server.invalid_cursor');
    expect(await refused('first: 501')).toBe('server.invalid_input');
  });
});
