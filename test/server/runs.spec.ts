import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import type { HealthFinding } from '@espalier/contracts/health';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { createWriter } from '../support/write-events.js';

let server: TestServer;
let foreign: string;
let viewer: string;

beforeAll(async () => {
  server = await startTestServer({ modelRoots: ['/nowhere'] });
  foreign = await server.createKey({ name: 'foreign', role: 'operator', projects: ['other'] });
  viewer = await server.createKey({ name: 'viewer', role: 'viewer' });
}, 60_000);
afterAll(async () => server.close());

interface Told {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly code?: string; readonly message?: string };
}

async function rest(method: string, path: string, body?: unknown, key = server.adminKey): Promise<Told> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch(`${server.url}/api/v1/runs${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Told['body'] };
}

async function graphql(query: string, variables: unknown = {}, key = server.adminKey) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const answer = await fetch(`${server.url}/graphql`, { method: 'POST', headers, body });
  return (await answer.json()) as {
    data: Record<string, Record<string, unknown>> | null;
    errors?: { extensions: { code: string } }[];
  };
}

const bandit = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';

async function create(more: object = {}, key = server.adminKey): Promise<string> {
  const { status, body } = await rest('POST', '', { source: bandit, ...more }, key);
  expect([status, body.message]).toEqual([201, '']);
  return String(body['id']);
}

const creation = `mutation ($input: CreateRunInput!) { createRun(input: $input) { __typename
  ... on Run { id state specHash overrides source createdBy jobs { nodes { kind state } } }
  ... on InvalidInput { code problems } } }`;
const planning = `mutation ($input: PlanRunInput!) { planRun(input: $input) { __typename
  ... on RunPlan { specHash steps sources { path source } inert { path set } estimate { threads } estimateReason } } }`;

describe('creating a run', () => {
  it('stores the resolved spec, what it came from, and queues its job', async () => {
    const input = { source: bandit, overrides: ['steps=7', 'rollout.promptsPerStep=4'], tags: ['a', 'a'] };
    const { data } = await graphql(creation, { input });
    expect(data?.['createRun']).toMatchObject({
      __typename: 'Run',
      state: 'QUEUED',
      source: bandit,
      overrides: input.overrides,
      createdBy: 'admin',
      jobs: { nodes: [{ kind: 'TRAIN', state: 'QUEUED' }] },
    });
    const { body } = await rest('GET', `/${String(data?.['createRun']?.['id'])}`);
    expect(body['spec']).toMatchObject({ steps: 7, rollout: { promptsPerStep: 4, groupSize: 16 } });
    expect(body['tags']).toEqual(['a']);
    const used = body['plugins'] as { kind: string; id: string; sha256: string }[];
    expect(used.map(({ kind, id }) => `${kind} ${id}`)).toContain('environment bandit');
    for (const { sha256 } of used) expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('asks for the devices that its models are computed on, and tells of those that would stay idle', async () => {
    const cuda = { source: bandit, overrides: ['device.provider=cuda'] };
    const onGpu = (await rest('POST', '', cuda)).body;
    expect(onGpu).toMatchObject({ needs: { kind: 'gpu', count: 1 }, warnings: 0 });
    const clash = await rest('POST', '', { ...cuda, needs: { kind: 'cpu' } });
    expect(clash).toMatchObject({ status: 400, body: { code: 'server.invalid_input' } });
    const wish = { source: bandit, needs: { kind: 'gpu' } };
    const idle = /1 GPU is reserved, but the run trains on the CPU/;
    const plan = (await rest('POST', '/plan', { ...wish, estimate: false })).body;
    expect(plan).toMatchObject({ needs: { kind: 'gpu' }, warnings: [expect.stringMatching(idle)] });
    const { id, warnings } = (await rest('POST', '', wish)).body;
    expect(warnings).toBe(1);
    const headers = { authorization: `Bearer ${server.adminKey}` };
    const told = await fetch(`${server.url}/api/v1/alerts?runId=${String(id)}`, { headers });
    const alert = { code: 'run.idle_devices', message: expect.stringMatching(idle) as string };
    expect(await told.json()).toMatchObject({ items: [alert] });
  });

  it('gives a plan the hash the run will have, and makes nothing', async () => {
    const before = (await rest('GET', '')).body['items'] as unknown[];
    const input = { source: bandit, overrides: ['algorithm.clipLow=0.1'] };
    const plan = (await graphql(planning, { input: { ...input, estimate: false } })).data?.['planRun'];
    expect(plan).toMatchObject({ __typename: 'RunPlan', steps: 3, estimate: null });
    const sources = plan?.['sources'] as { path: string; source: string }[];
    expect(Object.fromEntries(sources.map(({ path, source }) => [path, source]))).toMatchObject({
      steps: 'FILE',
      'algorithm.clipLow': 'SET',
      seed: 'DEFAULT',
    });
    expect(plan?.['inert']).toContainEqual({ path: 'algorithm.clipLow', set: true });
    expect((await rest('GET', '')).body['items']).toHaveLength(before.length);
    const made = (await graphql(creation, { input })).data?.['createRun'];
    expect(made?.['specHash']).toBe(plan?.['specHash']);
  });

  it('warns of a model folder that the server does not have, as a record and as an alert', async () => {
    const use = '/nowhere/model';
    const { body } = await rest('POST', '', { source: `${bandit}model: { path: ${use} }\n` });
    expect(body).toMatchObject({ state: 'queued', warnings: 1 });
    const headers = { authorization: `Bearer ${server.adminKey}` };
    const read = async (path: string) =>
      (await fetch(`${server.url}/api/v1/${path}`, { headers })).json() as Promise<Record<string, unknown[]>>;
    const warning = {
      code: 'model.not_found',
      message: expect.stringMatching(
        /^model "\/nowhere\/model" does not lie on the server's machine/,
      ) as string,
    };
    expect((await read(`alerts?runId=${String(body['id'])}`))['items']).toMatchObject([warning]);
    const { records } = await read(`runs/${String(body['id'])}/events?after=0`);
    expect(records).toMatchObject([{ kind: 'state' }, { kind: 'warning', attempt: 0, body: warning }]);
    const plan = await rest('POST', '/plan', {
      source: `${bandit}model: { path: ${use} }\n`,
      estimate: false,
    });
    expect(plan.body['warnings']).toEqual([warning.message]);
  });

  it('estimates what a run costs, or says why it cannot', async () => {
    const { body } = await rest('POST', '/plan', { source: bandit });
    expect(body['estimate']).toMatchObject({ parameters: expect.any(Number) as number });
    const other = await startTestServer({ plugins: { cli: '/nowhere/main.js' } });
    try {
      const headers = { authorization: `Bearer ${other.adminKey}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ source: bandit }) };
      const answer = (await (await fetch(`${other.url}/api/v1/runs/plan`, init)).json()) as object;
      expect(answer).toMatchObject({
        estimate: null,
        estimateReason: 'the command line is not installed (/nowhere/main.js)',
      });
      const created = await fetch(`${other.url}/api/v1/runs`, init);
      const { id } = (await created.json()) as { id: string };
      const failed = await fetch(`${other.url}/api/v1/runs/${id}/report`, { headers });
      expect([failed.status, await failed.json()]).toMatchObject([
        422,
        {
          code: 'report.failed',
          message: `report on ${id}: the command line is not installed (/nowhere/main.js)`,
        },
      ]);
    } finally {
      await other.close();
    }
  });

  it('tells every problem of a spec with its place and what was meant', async () => {
    const told = async (source: string): Promise<unknown> =>
      (await graphql(creation, { input: { source } })).data?.['createRun'];
    expect(await told('environment: { use: bandti }\nalgorithm: { use: grpo }\n')).toEqual({
      __typename: 'InvalidInput',
      code: 'plugin.not_found',
      problems: ['spec:1:16: no environment "bandti" is installed; did you mean bandit?'],
    });
    expect(await told(`${bandit}step: 3\nrollout: { promptsPerStep: many }\n`)).toMatchObject({
      problems: expect.arrayContaining([
        'spec:4:1: unknown key step; did you mean steps?',
        'spec:5:12: rollout.promptsPerStep is "many"; expected a whole number',
      ]) as string[],
    });
  });

  it.each([
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'b: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n'.repeat(1)}c: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c,*c,*c]`,
    ],
    ['a tag', 'steps: !!js/function "x"'],
    ['a key written twice', 'steps: 1\nsteps: 2'],
    ['too much text', `name: ${'x'.repeat(70_000)}`],
    ['depth', `a: ${'['.repeat(200)}${']'.repeat(200)}`],
    ['no mapping', '- a\n- b'],
    ['a prototype', '__proto__: { polluted: 1 }'],
    ['nothing', ''],
  ])('refuses %s', async (_name, source) => {
    const { data } = await graphql(creation, { input: { source } });
    expect(data?.['createRun']).toMatchObject({
      __typename: 'InvalidInput',
      code: expect.stringMatching(/^config\./) as string,
    });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses requests outside their ranges, and projects the key does not have', async () => {
    for (const more of [{ priority: 101 }, { tags: ['x'.repeat(65)] }, { project: 'No Such' }, { what: 1 }])
      expect(await rest('POST', '', { source: bandit, ...more })).toMatchObject({
        status: 400,
        body: { code: 'server.invalid_input' },
      });
    expect((await rest('POST', '', {})).body).toMatchObject({ code: 'server.invalid_input' });
    const denied = await rest('POST', '', { source: bandit, project: 'default' }, foreign);
    expect(denied).toMatchObject({ status: 403, body: { code: 'access.denied' } });
    expect(await rest('POST', '', { source: bandit }, viewer)).toMatchObject({ status: 403 });
    expect((await rest('POST', '', { source: bandit }, foreign)).body['project']).toBe('other');
  });
});

describe('the list of runs', () => {
  it('stays the same from page to page while runs are added', async () => {
    for (let i = 0; i < 5; i++) await create({ name: `page ${i}`, tags: ['paged'] });
    const names: unknown[] = [];
    for (let after = ''; ;) {
      const { body } = await rest('GET', `?tag=paged&first=2${after === '' ? '' : `&after=${after}`}`);
      names.push(...(body['items'] as { name: string }[]).map(({ name }) => name));
      await create({ name: 'later', tags: ['paged'] });
      const { hasNextPage, endCursor } = body['pageInfo'] as { hasNextPage: boolean; endCursor: string };
      if (!hasNextPage) break;
      after = endCursor;
    }
    expect(names).toEqual(['page 4', 'page 3', 'page 2', 'page 1', 'page 0']);
    expect(await rest('GET', '?after=xyz')).toMatchObject({
      status: 400,
      body: { code: 'server.invalid_cursor' },
    });
    expect(await rest('GET', '?first=0')).toMatchObject({
      status: 400,
      body: { code: 'server.invalid_input' },
    });
  });

  it('finds by words, tag, state and time, taking what looks like a pattern as it is', async () => {
    const id = await create({ name: 'Needle 100%', tags: ['under_score'], note: 'curious idea' });
    const found = async (query: string): Promise<string[]> =>
      ((await rest('GET', `?${query}`)).body['items'] as { id: string }[]).map((run) => run.id);
    for (const query of ['text=needle', 'text=CURIOUS%20grpo', 'text=100%25', 'tag=under_score'])
      expect([query, await found(query)]).toEqual([query, [id]]);
    for (const query of [
      'text=needle%20nonsense',
      'text=n_edle',
      'tag=under%25',
      'tag=under',
      'state=finished',
    ])
      expect([query, await found(query)]).toEqual([query, []]);
    expect(await found(`text=needle&createdBefore=2001-01-01`)).toEqual([]);
    expect(await rest('GET', '?state=nonsense')).toMatchObject({ status: 400 });
  });
});

describe('the title of a run', () => {
  it('is stored, replaced, found by its words, and recorded with who wrote it', async () => {
    const id = await create({ name: 'grpo-7' });
    expect((await rest('GET', `/${id}`)).body['title']).toBe('');
    const rename =
      'mutation ($input: EditRunInput!) { editRun(input: $input) { ...on Run { title name note } ...on Refusal { code } } }';
    const told = await graphql(rename, { input: { runId: id, title: ' Zebra baseline ', note: 'striped' } });
    const renamed = { title: 'Zebra baseline', name: 'grpo-7', note: 'striped' };
    expect(told.data?.['editRun']).toEqual(renamed);
    expect((await rest('PATCH', `/${id}`, { tags: ['t'] })).body).toMatchObject({ ...renamed, tags: ['t'] });
    const { items } = (await rest('GET', '?text=zebra')).body as { items?: unknown[] };
    expect(items).toMatchObject([{ id, title: 'Zebra baseline' }]);
    const tooLong = await graphql(rename, { input: { runId: id, title: 'x'.repeat(201) } });
    expect(tooLong.data?.['editRun']).toEqual({ code: 'server.invalid_input' });
    expect(
      (await graphql(rename, { input: { runId: id, title: 'mine' } }, foreign)).data?.['editRun'],
    ).toEqual({
      code: 'server.not_found',
    });
    expect((await rest('PATCH', `/${id}`, { title: '' })).body['title']).toBe('');
    const { records } = (await rest('GET', `/${id}/events?after=0`)).body as { records?: { body: object }[] };
    expect(records?.map(({ body }) => body)).toContainEqual({ by: 'admin', title: '' });
  });
});

describe('an edit of a run', () => {
  it('that fails changes nothing, neither the priority nor the rest', async () => {
    const id = await create({ priority: 1 });
    const append = vi.spyOn(server.app.get(RunLog), 'append').mockRejectedValueOnce(new Error('no disk'));
    expect((await rest('PATCH', `/${id}`, { priority: 5, note: 'n' })).status).toBe(500);
    append.mockRestore();
    expect((await rest('GET', `/${id}`)).body).toMatchObject({ priority: 1, note: '' });
    expect((await rest('PATCH', `/${id}`, { priority: 5 })).body).toMatchObject({ priority: 5, note: '' });
  });
});

describe('steering a run', () => {
  it('goes through its states, and says which state refuses what', async () => {
    const id = await create();
    const step = async (verb: string): Promise<unknown> =>
      (await rest('POST', `/${id}/${verb}`, {})).body['state'];
    expect(await step('pause')).toBe('paused');
    expect(await step('resume')).toBe('queued');
    expect((await rest('PATCH', `/${id}`, { priority: 5, tags: ['t'], note: 'n' })).body).toMatchObject({
      priority: 5,
      tags: ['t'],
      note: 'n',
    });
    expect(await rest('DELETE', `/${id}`)).toMatchObject({ status: 409, body: { code: 'run.wrong_state' } });
    expect(await step('cancel')).toBe('cancelled');
    const query = `mutation { pauseRun(input: { runId: "${id}" }) { __typename ... on WrongState { code state message } } }`;
    expect((await graphql(query)).data?.['pauseRun']).toMatchObject({
      __typename: 'WrongState',
      code: 'run.wrong_state',
      state: 'CANCELLED',
    });
    expect(await rest('DELETE', `/${id}`)).toMatchObject({ status: 200 });
    expect(await rest('GET', `/${id}`)).toMatchObject({ status: 404 });
  });

  it('hides runs of other projects, whatever is asked of them', async () => {
    const id = await create();
    const calls = [
      ['GET', ''],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/cancel'],
      ['POST', '/fork'],
      ['POST', '/evaluate'],
      ['PATCH', ''],
      ['DELETE', ''],
      ['GET', '/artifacts'],
      ['GET', '/artifacts/a'],
      ['GET', '/export/manifest'],
      ['GET', '/export/run.json'],
    ] as const;
    for (const [method, path] of calls) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : {};
      const told = await rest(method, `/${id}${path}`, body, foreign);
      const unknown = await rest(method, `/run-none${path}`, body, foreign);
      expect([method, path, told.status, told.body.code]).toEqual([method, path, 404, 'server.not_found']);
      expect(told.body.message?.replaceAll(id, 'run-none')).toBe(unknown.body.message);
    }
    const compare = `{ compareRuns(ids: ["${id}"]) { runs { id } } }`;
    expect((await graphql(compare, {}, foreign)).errors?.[0]?.extensions.code).toBe('server.not_found');
    expect((await rest('GET', '', undefined, foreign)).body['items']).not.toContainEqual(
      expect.objectContaining({ id }),
    );
  });
});

describe('the health of a run', () => {
  it('is told by both interfaces, with the rules that fired and what they saw', async () => {
    const writer = await createWriter(server);
    const { runId } = writer;
    const get = async (): Promise<unknown> => (await rest('GET', `/${runId}`)).body['health'];
    expect(await get()).toBeNull();
    const finding = {
      rule: 'entropy-rise' as const,
      level: 'warning' as const,
      input: 'entropy',
      measure: 3,
      limit: 2.5,
      value: 0.6,
      baseline: 0.2,
      since: 1,
      history: [0.2, 0.5, 0.7],
    } satisfies HealthFinding;
    const changed = {
      state: 'warning' as const,
      previous: 'healthy' as const,
      action: 'alert' as const,
      restored: null,
      changes: [],
      findings: [finding],
      message: 'it rises',
    };
    await writer.write([
      metricsEvent(4, { 'monitor/state': 1 }),
      { kind: 'monitor', time: 1_800_000_000_005, step: 4, ...changed },
    ]);
    expect(await get()).toBe('warning');
    const { data } = await graphql(`{ run(id: "${runId}") { health } }`);
    expect(data?.['run']).toEqual({ health: 'WARNING' });
    const records = await fetch(`${server.url}/api/v1/runs/${runId}/export/records.jsonl`, {
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(
      (await records.text()).split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as object))),
    ).toContainEqual(expect.objectContaining({ kind: 'monitor', step: 4, body: changed }));
  });
});

describe('plugins of a run', () => {
  it('that change between attempts raise an alert, and both attempts keep what they had', async () => {
    // nothing else waits here
    await server.close();
    server = await startTestServer();
    const id = await create();
    const { plugins: made } = (await rest('GET', `/${id}`)).body;
    const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'changing' });
    await worker.connect();
    const plugin = (sha256: string) => [
      { kind: 'environment' as const, id: 'bandit', version: '0.1.0', sha256 },
    ];
    try {
      for (const [count, hash] of [
        [1, 'a'.repeat(64)],
        [2, 'b'.repeat(64)],
      ] as const) {
        const assignment = await worker.assigned(count);
        expect(assignment.runId).toBe(id);
        await worker.say(assignment, {
          kind: 'process-started',
          time: Date.now(),
          pid: 1,
          host: 'h',
          devices: [],
          versions: {},
          plugins: plugin(hash),
          gitRevision: null,
        });
        if (count === 1) await worker.end(assignment, null, 'SIGKILL', 'killed');
      }
      const versions = 'plugins { kind id version sha256 }';
      const { data } = await graphql(
        `{ run(id: "${id}") { warnings ${versions} attempts { nodes { ${versions} } } } }`,
      );
      expect(data?.['run']).toMatchObject({
        warnings: 1,
        plugins: (made as { kind: string }[]).map((one) => ({ ...one, kind: one.kind.toUpperCase() })),
        attempts: {
          nodes: ['a', 'b'].map((letter) => ({
            plugins: [{ ...plugin(letter.repeat(64))[0], kind: 'ENVIRONMENT' }],
          })),
        },
      });
      const records = await fetch(`${server.url}/api/v1/runs/${id}/export/records.jsonl`, {
        headers: { authorization: `Bearer ${server.adminKey}` },
      });
      expect(await records.text()).toMatch(/"code":"plugin.changed".*bandit was 0.1.0 \(aaaaaaaaaaaa\)/);
    } finally {
      worker.close();
    }
  });
});
