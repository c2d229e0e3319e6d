import { createClient } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { parse } from 'graphql';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { ask, call, codesOf } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

describeOnEach('trajectories of several runs', (server) => {
  /** Searches, page by page; gives `<writer> <index>` of each. */
  const search = async (
    writers: readonly EventWriter[],
    filter: object,
    order?: string,
    key = server().adminKey,
  ): Promise<string[]> => {
    const found: string[] = [];
    for (let after: string | null = null; ;) {
      const query = `query ($filter: TrajectorySearch, $after: String) {
        trajectories(filter: $filter, first: 2, after: $after ${order === undefined ? '' : `, orderBy: ${order}`}) {
          nodes { runId index } totalCount pageInfo { endCursor hasNextPage } } }`;
      const { body } = await ask(server().url, key, query, { filter, after });
      expect(body.errors).toBeUndefined();
      const { nodes, totalCount, pageInfo } = body.data?.['trajectories'] as {
        nodes: { runId: string; index: number }[];
        totalCount: number;
        pageInfo: { endCursor: string; hasNextPage: boolean };
      };
      found.push(
        ...nodes.map(({ runId, index }) => `${writers.findIndex((one) => one.runId === runId)} ${index}`),
      );
      if (!pageInfo.hasNextPage) {
        expect(totalCount).toBe(found.length);
        return found;
      }
      after = pageInfo.endCursor;
    }
  };
  const tag = (runId: string, tags: string[]) =>
    server().app.get(DataSource).getRepository(Run).update({ id: runId }, { tags });

  it('are one list, by step, reward or time, of the runs named, of a project or with a tag', async () => {
    const first = await createWriter(server(), 'searched');
    const second = await createWriter(server(), 'searched');
    const third = await createWriter(server(), 'searched-too');
    const writers = [first, second, third];
    await first.write([trajectoryEvent(1, 0, { reward: 3 }), trajectoryEvent(3, 1, { reward: -1 })]);
    await second.write([trajectoryEvent(2, 2, { reward: null }), trajectoryEvent(2, 3, { reward: 2 })]);
    await third.write([trajectoryEvent(1, 4, { reward: 1 })]);
    await first.write([trajectoryEvent(2, 5, { reward: 0 })]);
    await tag(second.runId, ['100%', 'ours']);
    await tag(third.runId, ['100 times', 'ours']);
    const runIds = writers.map(({ runId }) => runId);
    expect(await search(writers, { runIds })).toEqual(['0 0', '2 4', '1 2', '1 3', '0 5', '0 1']);
    expect(await search(writers, { runIds }, '{ field: REWARD, direction: DESC }')).toEqual([
      '0 0',
      '1 3',
      '2 4',
      '0 5',
      '0 1',
    ]);
    expect(await search(writers, { runIds }, '{ field: STORED, direction: DESC }')).toEqual([
      '0 5',
      '2 4',
      '1 3',
      '1 2',
      '0 1',
      '0 0',
    ]);
    expect(await search(writers, { project: 'searched', success: false })).toEqual(['1 3', '0 5', '0 1']);
    expect(await search(writers, { tag: '100%' })).toEqual(['1 2', '1 3']);
    expect(await search(writers, { tag: 'Ours' })).toEqual([]);
    expect(await search(writers, { tag: 'ours', project: 'searched-too' })).toEqual(['2 4']);
    expect(await search(writers, { runIds: [first.runId, third.runId], toStep: 1 })).toEqual(['0 0', '2 4']);
    expect(await search(writers, { runIds: [] })).toEqual([]);
    expect(await search(writers, { tag: 'of no run' })).toEqual([]);
    expect(await search(writers, { tag: 'of no run', text: '-box' })).toEqual([]);
    expect(await search(writers, { runIds: [], text: '-box' })).toEqual([]);
    expect(await search(writers, { superseded: true })).toHaveLength(6);
  });

  it('are searched by words and exclusions over runs, and by seed of the initial state', async () => {
    const writers = [await createWriter(server(), 'worded'), await createWriter(server(), 'worded')];
    const [first, second] = writers as [EventWriter, EventWriter];
    await first.write([
      trajectoryEvent(1, 0, { text: 'push the box', stateSeed: 41 }),
      trajectoryEvent(2, 1, { text: 'a wall' }),
    ]);
    await second.write([
      trajectoryEvent(1, 2, { text: 'the box, a wall', stateSeed: 41 }),
      trajectoryEvent(2, 3, { text: 'nothing' }),
    ]);
    const runIds = writers.map(({ runId }) => runId);
    const project = 'worded';
    for (const where of [{ runIds }, { project }]) {
      expect(await search(writers, { ...where, text: 'box' })).toEqual(['0 0', '1 2']);
      expect(await search(writers, { ...where, text: '"the box" -push' })).toEqual(['1 2']);
      expect(await search(writers, { ...where, text: '-box' })).toEqual(['0 1', '1 3']);
      expect(await search(writers, { ...where, text: '-box -nothing' })).toEqual(['0 1']);
      expect(await search(writers, { ...where, stateSeed: 41 })).toEqual(['0 0', '1 2']);
    }
    const literal = `{ trajectories(filter: { project: "worded", text: "##" }) { nodes { id } } }`;
    const answer = await ask(server().url, server().adminKey, literal);
    expect(codesOf(answer)).toEqual(['server.invalid_input']);
  });

  it('are those of the runs that the key may see, over GraphQL and REST', async () => {
    const open = await createWriter(server(), 'open');
    const secret = await createWriter(server(), 'secret');
    await open.write([trajectoryEvent(1, 0, { text: 'canary' })]);
    await secret.write([trajectoryEvent(1, 1, { text: 'canary' })]);
    const writers = [open, secret];
    const key = await server().createKey({ name: 'v', role: 'viewer', projects: ['open'] });
    expect(await search(writers, { text: 'canary' })).toEqual(['0 0', '1 1']);
    expect(await search(writers, { text: 'canary' }, undefined, key)).toEqual(['0 0']);
    expect(await search(writers, { project: 'secret' }, undefined, key)).toEqual([]);
    const rest = (query: string) => call(server().url, key, 'GET', `/api/v1/trajectories?${query}`);
    expect((await rest('text=canary&minTurns=1&orderBy=stored')).body).toMatchObject({
      items: [{ runId: open.runId, index: 0 }],
      pageInfo: { hasNextPage: false },
    });
    const both = `runId=${open.runId}&runId=${secret.runId}`;
    expect(await rest(both)).toMatchObject({ status: 404, body: { code: 'server.not_found' } });
    const client = createClient({ url: server().url, key });
    const { items } = await client.trajectories.search({ runIds: [open.runId], success: true });
    expect(items).toMatchObject([{ runId: open.runId, stateSeed: 1 }]);
    await client.dispose();
  });

  it('arrive as they are stored, from a cursor on, each once', async () => {
    const writer = await createWriter(server(), 'live');
    await writer.write([0, 1, 2].map((index) => trajectoryEvent(1, index)));
    const client = createClient({ url: server().url, key: server().adminKey });
    const document = parse(`subscription ($runId: ID!, $after: SafeInt) {
      trajectoryAdded(runId: $runId, after: $after) { after cursor trajectories { id step success reward turns } } }`);
    const rows: unknown[] = [];
    const watch = async (): Promise<void> => {
      const batches = client.subscribe(document as never, { runId: writer.runId, after: 1 });
      for await (const { trajectoryAdded } of batches as AsyncIterable<{
        trajectoryAdded: { trajectories: unknown[] };
      }>)
        rows.push(...trajectoryAdded.trajectories);
    };
    const watching = watch().catch(() => undefined);
    await waitFor('those before have come', () => rows.length === 2);
    await writer.write([trajectoryEvent(2, 7, { reward: 0.25 })]);
    await waitFor('the new one has come', () => rows.length > 2);
    expect(rows).toEqual([
      { id: 'train/1/0/1', step: 1, success: false, reward: 0.1, turns: 1 },
      { id: 'train/1/0/2', step: 1, success: true, reward: 0.2, turns: 1 },
      { id: 'train/2/0/7', step: 2, success: false, reward: 0.25, turns: 1 },
    ]);
    await client.dispose();
    await watching;
  });

  it('are found by what became of them in the update', async () => {
    const fourth = await createWriter(server(), 'searched-by-fate');
    const trained = { outcome: 'trained', lossTokens: 5, clippedTokens: 0 } as const;
    const dropped = (reason: string) => ({ outcome: 'dropped', dropped: { reason, numbers: {} } }) as const;
    await fourth.write([
      trajectoryEvent(1, 0, trained),
      trajectoryEvent(1, 1, { ...trained, lossTokens: 4, clippedTokens: 2 }),
      trajectoryEvent(1, 2, dropped('low-variance')),
      trajectoryEvent(1, 3, dropped('low')),
      trajectoryEvent(1, 4),
    ]);
    const ofFate = (filter: object) => search([fourth], { runIds: [fourth.runId], ...filter });
    expect(await ofFate({ outcome: 'TRAINED' })).toEqual(['0 0', '0 1']);
    expect(await ofFate({ clipped: true })).toEqual(['0 1']);
    expect(await ofFate({ clipped: false })).toEqual(['0 0']);
    expect(await ofFate({ masked: true })).toEqual(['0 1']);
    expect(await ofFate({ masked: false })).toEqual(['0 0']);
    expect(await ofFate({ dropReason: 'low' })).toEqual(['0 3']);
    expect(await ofFate({ dropReason: 'low-variance' })).toEqual(['0 2']);
  });
});
