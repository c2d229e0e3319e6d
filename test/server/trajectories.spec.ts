import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Trajectory } from '@espalier/contracts';
import { encodeTrajectory } from '@espalier/recorder';
import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { ArtifactService } from '../../apps/server/src/core/artifacts/artifact.service.js';
import { TrajectoryQueries } from '../../apps/server/src/core/history/trajectories/trajectory-queries.service.js';
import { TrajectoryEntity } from '../../apps/server/src/core/database/entities/trajectory.js';
import { describeOnEach } from '../support/each-database.js';
import { sha256Of } from '../support/held-attempt.js';
import { wholeTrajectory } from '../support/whole-trajectory.js';
import { trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describeOnEach('trajectories', (server) => {
  const queries = () => server().app.get(TrajectoryQueries, { strict: false });
  const page = { first: 500 };
  const ids = async (runId: string, filter: object) =>
    (await queries().list({ ...filter, runIds: [runId] }, page)).nodes.map(({ id }) => id);

  it('say why their group did not enter the batch', async () => {
    const writer = await createWriter(server());
    const dropped = { reason: 'low-variance', numbers: { deviation: 0.25, rank: 3 } };
    await writer.write([trajectoryEvent(1, 0), trajectoryEvent(1, 1, { kept: false, dropped })]);
    const { nodes } = await queries().list({ runIds: [writer.runId] }, page);
    expect(nodes.map((one) => [one.kept, one.dropped])).toEqual([
      [true, null],
      [false, dropped],
    ]);
  });

  it('are found by every condition, in every order, page by page', async () => {
    const writer = await createWriter(server());
    const rewards = [0.5, null, -1, 2];
    for (let step = 0; step < 5; step += 1)
      await writer.write(rewards.map((reward, index) => trajectoryEvent(step, index, { reward })));
    await writer.write([
      trajectoryEvent(4, 9, {
        split: 'validation',
        environment: 'sokoban',
        stopReason: 'error',
        labels: ['no-op-loop', 'dead-end'],
        kept: false,
        group: 3,
      }),
    ]);
    const { runId } = writer;
    expect(await ids(runId, { fromStep: 1, toStep: 2 })).toHaveLength(8);
    expect(await ids(runId, { minReward: 0, maxReward: 1, split: 'train' })).toHaveLength(5);
    expect(await ids(runId, { success: false, toStep: 3 })).toHaveLength(8);
    expect(await ids(runId, { label: 'cycle' })).toEqual([]);
    for (const filter of [
      { split: 'validation' },
      { environment: 'sokoban' },
      { stopReason: 'error' },
      { label: 'no-op-loop' },
      { label: 'dead-end' },
      { kept: false },
      { group: 3 },
    ])
      expect(await ids(runId, filter)).toEqual(['train/4/0/9']);
    const walk = async (field: 'step' | 'reward', direction: 'asc' | 'desc') => {
      const seen: [number, number | null][] = [];
      let after: string | undefined;
      do {
        const { nodes, pageInfo } = await queries().list(
          { runIds: [runId], split: 'train' },
          { first: 3, after },
          { field, direction },
        );
        seen.push(...nodes.map(({ step, reward }): [number, number | null] => [step, reward]));
        after = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
      } while (after !== undefined);
      return seen;
    };
    expect((await walk('step', 'asc')).map(([step]) => step)).toEqual(
      [0, 1, 2, 3, 4].flatMap((step) => [step, step, step, step]),
    );
    expect((await walk('step', 'desc')).map(([step]) => step)).toEqual(
      [4, 3, 2, 1, 0].flatMap((step) => [step, step, step, step]),
    );
    const sorted = [-1, 0.5, 2].flatMap((reward) => Array<number>(5).fill(reward));
    expect((await walk('reward', 'asc')).map(([, reward]) => reward)).toEqual(sorted);
    expect((await walk('reward', 'desc')).map(([, reward]) => reward)).toEqual(sorted.reverse());
  });

  it('are found by turns, tokens, error and initial state', async () => {
    const writer = await createWriter(server());
    await writer.write([
      trajectoryEvent(1, 0, { turns: 1, tokens: 10, stateSeed: 7 }),
      trajectoryEvent(1, 1, { turns: 3, tokens: 20, stateSeed: 2 ** 52 + 1 }),
      trajectoryEvent(2, 2, { turns: 5, tokens: 30, stateSeed: 7, error: 'the environment threw' }),
    ]);
    const found = async (filter: object) =>
      (await ids(writer.runId, filter)).map((id) => Number(id.split('/').at(-1)));
    expect(await found({ minTurns: 2 })).toEqual([1, 2]);
    expect(await found({ minTurns: 2, maxTurns: 4 })).toEqual([1]);
    expect(await found({ maxTokens: 20 })).toEqual([0, 1]);
    expect(await found({ minTokens: 30 })).toEqual([2]);
    expect(await found({ hasError: true })).toEqual([2]);
    expect(await found({ hasError: false })).toEqual([0, 1]);
    expect(await found({ stateSeed: 7 })).toEqual([0, 2]);
    expect(await found({ stateSeed: 2 ** 52 + 1 })).toEqual([1]);
  });

  it('are found by words, phrases and exclusions, only in their own run', async () => {
    const texts = [
      'I push the box left',
      'The BOX is left of the wall',
      '<think>no idea</think>',
      'Ünïcode größe 日本',
      '#### _O_',
    ];
    const writer = await createWriter(server());
    const other = await createWriter(server());
    await writer.write(texts.map((text, index) => trajectoryEvent(index, index, { text })));
    await other.write([trajectoryEvent(0, 0, { text: 'box' })]);
    const found = async (text: string) =>
      (await ids(writer.runId, { text })).map((id) => Number(id.split('/').at(-1)));
    expect(await found('box')).toEqual([0, 1]);
    expect(await found('left BOX')).toEqual([0, 1]);
    expect(await found('"box left"')).toEqual([0]);
    expect(await found('box -wall')).toEqual([0]);
    expect(await found('-box')).toEqual([2, 3, 4]);
    expect(await found('think')).toEqual([2]);
    expect(await found('GRÖSSE größe')).toEqual([]);
    expect(await found('größe')).toEqual([3]);
    expect(await found('####')).toEqual([4]);
    expect(await found('_o_')).toEqual([4]);
  });

  it('are searched with any text whatever, never with a syntax error', async () => {
    const writer = await createWriter(server());
    await writer.write([trajectoryEvent(0, 0, { text: 'AND OR NOT NEAR left' })]);
    const hostile = [
      '"',
      "'",
      '""',
      'a"b',
      'left"',
      '*',
      'left*',
      '(',
      ')',
      'a OR',
      'AND',
      'NOT',
      'NEAR(a b, 3)',
      'text:left',
      '^left',
      '-',
      '--',
      '-"',
      '\\',
      '%',
      '_',
      ';DROP TABLE run',
      "x' OR 1=1 --",
      ':*',
      '&|!',
      '<->',
      '{a}',
      '\uD800',
      '🙂',
      'a\nb',
      '+left',
      'run : x',
      '$1',
      '?',
      'x'.repeat(1000),
    ];
    for (const text of hostile) await expect(ids(writer.runId, { text })).resolves.toBeInstanceOf(Array);
    expect(await ids(writer.runId, { text: 'AND' })).toEqual(['train/0/0/0']);
    expect(await ids(writer.runId, { text: 'left"' })).toEqual(['train/0/0/0']);
  });

  it('are counted per step', async () => {
    const writer = await createWriter(server());
    await writer.write(
      [0, 0, 1, 2, 2].map((step, i) => trajectoryEvent(step, i, { text: i % 2 === 0 ? 'wait' : 'go' })),
    );
    expect(await queries().counts(writer.runId, { text: 'wait' })).toEqual({
      steps: [0, 1, 2],
      matching: [1, 1, 1],
      all: [2, 1, 2],
    });
  });

  it('that a later attempt did again are left out unless asked for', async () => {
    const first = await createWriter(server());
    await first.write([1, 2, 3].map((step) => trajectoryEvent(step, 0)));
    const second = await first.nextAttempt();
    await second.write([
      { kind: 'run-started', time: 1, step: 2, steps: 3, attempt: 2 },
      trajectoryEvent(3, 0),
    ]);
    const attempts = async (filter: object) =>
      (await queries().list({ ...filter, runIds: [first.runId] }, page)).nodes.map(({ step, attempt }) => [
        step,
        attempt,
      ]);
    expect(await attempts({})).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    expect(await attempts({ superseded: true })).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [3, 2],
    ]);
  });

  it('leave the index when their rows are deleted', async () => {
    const writer = await createWriter(server());
    await writer.write([trajectoryEvent(0, 0, { text: 'ephemeral' })]);
    const source = server().app.get(DataSource);
    await source.getRepository(TrajectoryEntity).delete({ runId: writer.runId });
    const rows = (await source.query('SELECT COUNT(*) AS count FROM trajectory')) as { count: unknown }[];
    const indexed = (await source.query('SELECT COUNT(*) AS count FROM trajectory_search')) as {
      count: unknown;
    }[];
    expect(Number(indexed[0]?.count)).toBe(Number(rows[0]?.count));
    expect(await ids(writer.runId, { text: 'ephemeral' })).toEqual([]);
  });

  it('are read whole from their file, with a sentence until it has arrived', async () => {
    const writer = await createWriter(server());
    await writer.write([trajectoryEvent(7, 0), trajectoryEvent(7, 1)]);
    const { url, adminKey, app } = server();
    const get = async (id: string) => {
      const response = await fetch(`${url}/api/v1/runs/${writer.runId}/trajectories/${id}`, {
        headers: { authorization: `Bearer ${adminKey}` },
      });
      return { status: response.status, body: (await response.json()) as { code?: string } };
    };
    expect(await get('train/7/0/0')).toMatchObject({ status: 404, body: { code: 'trajectory.not_stored' } });
    const turns = [
      { index: 0, image: 'iVBORw0KGgo=', actions: [] },
      { index: 1, actions: [] },
    ];
    const windows = [
      { start: 0, firstTurn: 0 },
      { start: 2, firstTurn: 1 },
    ];
    const stored = { ...wholeTrajectory('train/7/0/0'), turns, windows } as unknown as Trajectory;
    const file = gzipSync(`${encodeTrajectory(stored, { kept: true })}\n`);
    await app
      .get(ArtifactService, { strict: false })
      .store(
        writer.runId,
        writer.attemptId,
        1,
        'trajectories/step-000007.jsonl.gz',
        sha256Of(file),
        Readable.from([file]),
      );
    expect(await get('train/7/0/0')).toMatchObject({
      status: 200,
      body: {
        id: 'train/7/0/0',
        tokens: [1, 2, 3],
        logprobs: [null, -0.5, null],
        entropies: [null, 0.25, 0],
        spans: [{ kind: 'answer', start: 1, end: 3, turn: 0 }],
        windows: [
          { start: 0, firstTurn: 0 },
          { start: 2, firstTurn: 1 },
        ],
        row: { step: 7 },
        previousId: null,
        nextId: 'train/7/0/1',
        score: { total: 1 },
        turns: [{ image: 'iVBORw0KGgo=' }, { image: null }],
      },
    });
    const query = `{ trajectory(runId: "${writer.runId}", id: "train/7/0/0") { turns { index image } } }`;
    const asked = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    expect(await asked.json()).toMatchObject({
      data: {
        trajectory: {
          turns: [
            { index: 0, image: 'iVBORw0KGgo=' },
            { index: 1, image: null },
          ],
        },
      },
    });
    expect(await get('train/7/0/1')).toMatchObject({ status: 404, body: { code: 'trajectory.not_stored' } });
    expect(await get('train/8/0/0')).toMatchObject({ status: 404, body: { code: 'server.not_found' } });
  });

  it('of one project are read while hostile files of another are asked for, and a client leaves', async () => {
    const { url, adminKey, app } = server();
    const hostile = await createWriter(server(), 'hostile');
    const other = await createWriter(server());
    const steps = [1, 2, 3, 4];
    const store = async (writer: typeof other, step: number, text: Buffer): Promise<void> => {
      await writer.write([trajectoryEvent(step, 0)]);
      const file = gzipSync(text, { level: 9 });
      const path = `trajectories/step-00000${step}.jsonl.gz`;
      await app
        .get(ArtifactService, { strict: false })
        .store(writer.runId, writer.attemptId, 1, path, sha256Of(file), Readable.from([file]));
    };
    for (const step of steps) await store(hostile, step, Buffer.alloc(50_000_000 + step, '\n'));
    await store(
      other,
      1,
      Buffer.from(`${encodeTrajectory(wholeTrajectory('train/1/0/0'), { kept: true })}\n`),
    );
    const get = (writer: typeof other, step: number, signal?: AbortSignal) =>
      fetch(`${url}/api/v1/runs/${writer.runId}/trajectories/train/${step}/0/0`, {
        headers: { authorization: `Bearer ${adminKey}` },
        ...(signal === undefined ? {} : { signal }),
      });
    const gone = new AbortController();
    const left = get(hostile, 4, gone.signal).catch((error: unknown) => error);
    const refused = steps.slice(0, 3).map((step) => get(hostile, step));
    gone.abort();
    expect((await get(other, 1)).status).toBe(200);
    expect(await left).toMatchObject({ name: 'AbortError' });
    for (const response of await Promise.all(refused))
      expect([response.status, await response.json()]).toMatchObject([422, { code: 'trajectory.too_large' }]);
  });
});
