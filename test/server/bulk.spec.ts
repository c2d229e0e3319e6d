import { createClient } from '@espalier/client';
import { expect, it } from 'vitest';
import { ask, call } from '../support/ask.js';
import { createJob } from '../support/create-job.js';
import { describeOnEach } from '../support/each-database.js';

describeOnEach('one action on several runs', (server) => {
  const clientOf = (key = server().adminKey) => createClient({ url: server().url, key });
  const make = async (count: number, project = 'default'): Promise<string[]> => {
    const ids = [];
    for (let i = 0; i < count; i += 1) ids.push((await createJob(server(), { project })).runId);
    return ids;
  };

  it('is done to each or refused by itself, in the order of the request', async () => {
    const { runs } = clientOf();
    const [first = '', second = '', third = ''] = await make(3);
    await runs.cancel(second);
    const paused = await runs.bulk({ action: 'pause', runIds: [first, second, 'run-none', third, first] });
    expect(paused).toMatchObject([
      { runId: first, run: { state: 'paused' }, refusal: null },
      { runId: second, run: null, refusal: { code: 'run.wrong_state' } },
      { runId: 'run-none', run: null, refusal: { code: 'server.not_found' } },
      { runId: third, run: { state: 'paused' }, refusal: null },
    ]);
    expect(await runs.bulk({ action: 'resume', runIds: [first, third] })).toMatchObject([
      { run: { state: 'queued' } },
      { run: { state: 'queued' } },
    ]);
    const cancelled = await runs.bulk({ action: 'cancel', runIds: [first, third], now: true });
    expect(cancelled.map(({ run }) => run?.state)).toEqual(['cancelled', 'cancelled']);
    const deleted = await runs.bulk({ action: 'delete', runIds: [first, second] });
    expect(deleted.map(({ run }) => run?.id)).toEqual([first, second]);
    const left = await runs.list({ ids: [first, second, third] });
    expect(left.items.map(({ id }) => id)).toEqual([third]);
  });

  it('adds and removes tags, leaving the others', async () => {
    const { runs } = clientOf();
    const [first = '', second = ''] = await make(2);
    await runs.edit(first, { tags: ['keep', 'drop'] });
    const input = { action: 'tag' as const, runIds: [first, second], addTags: ['new'], removeTags: ['drop'] };
    const { body } = await call(server().url, server().adminKey, 'POST', '/api/v1/runs/bulk', input);
    expect(body['items']).toMatchObject([
      { runId: first, run: { tags: ['keep', 'new'] }, refusal: null },
      { runId: second, run: { tags: ['new'] }, refusal: null },
    ]);
  });

  it('touches no run of another project, and needs the role that one run needs', async () => {
    const [hidden = ''] = await make(1, 'hidden');
    const [own = ''] = await make(1, 'own');
    const key = await server().createKey({ name: 'own', role: 'operator', projects: ['own'] });
    const results = await clientOf(key).runs.bulk({ action: 'cancel', runIds: [hidden, own] });
    expect(results).toMatchObject([
      { refusal: { code: 'server.not_found' } },
      { run: { state: 'cancelled' } },
    ]);
    expect((await clientOf().runs.get(hidden)).state).toBe('queued');
    const viewer = await server().createKey({ name: 'viewer', role: 'viewer' });
    await expect(clientOf(viewer).runs.bulk({ action: 'cancel', runIds: [hidden] })).rejects.toMatchObject({
      details: { code: 'access.denied' },
    });
  });

  it('is refused as a whole when the request is wrong, and costs as much as its runs', async () => {
    const mutation = `mutation ($input: BulkRunsInput!) { bulkRuns(input: $input) {
      ... on BulkRuns { results { runId } } ... on Refusal { code } } }`;
    const tell = (runIds: string[]) =>
      ask(server().url, server().adminKey, mutation, { input: { action: 'PAUSE', runIds } });
    const invalid = { bulkRuns: { code: 'server.invalid_input' } };
    expect((await tell([])).body.data).toEqual(invalid);
    const many = Array.from({ length: 101 }, (_, i) => `run-${i}`);
    expect((await tell(many)).body.data).toEqual(invalid);
    const before = (await clientOf().me()).limits.requestsPerMinute.used;
    expect((await tell(many.slice(0, 50))).body.errors).toBeUndefined();
    const after = (await clientOf().me()).limits.requestsPerMinute.used;
    // 50 runs, and the question itself
    expect(after - before).toBe(51);
  });
});
