/** @file What happened to a run, by pages and counted: newest first, of some kinds and steps, the same over GraphQL and REST. */
import { type Client, createClient } from '@espalier/client';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { isRareKind } from '../../apps/server/src/core/database/entities/run-record.js';
import { readFindings } from '../../apps/server/src/core/history/alerts/alert-findings.js';
import { ask, codesOf } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

const warning = (step: number) => ({
  kind: 'warning' as const,
  time: 1,
  step,
  code: 'artifact.unavailable',
  message: `event ${step}`,
});
const checkpoint = (step: number) => ({ kind: 'checkpoint' as const, time: 1, step, folder: `step-${step}` });

describeOnEach('the events of a run', (server) => {
  let client: Client;
  let runId: string;
  beforeAll(async () => {
    client = createClient({ url: server().url, key: server().adminKey });
    const writer = await createWriter(server());
    runId = writer.runId;
    // a row of metrics with each of ten warnings, a checkpoint with every fifth, and one warning of no step
    for (let step = 1; step <= 10; step++)
      await writer.write([
        metricsEvent(step, { a: 1 }),
        warning(step),
        ...(step % 5 === 0 ? [checkpoint(step)] : []),
      ]);
    await writer.write([{ ...warning(-1), message: 'of no step' }]);
    await writer.write([{ kind: 'log', time: 1, text: 'printed' }], 'log');
  });
  afterAll(() => client.dispose());
  const messages = (page: Awaited<ReturnType<Client['events']['list']>>): string[] =>
    page.items.map(({ body }) => ('message' in body ? body.message : body.__typename));

  it('are listed newest first in pages, without metrics and lines of the log', async () => {
    const first = await client.events.list(runId, {}, { first: 4 });
    expect(messages(first)).toEqual(['of no step', 'CheckpointEvent', 'event 10', 'event 9']);
    const { endCursor, hasNextPage } = first.pageInfo;
    expect(hasNextPage).toBe(true);
    const second = await client.events.list(runId, {}, { first: 2, after: endCursor });
    expect(messages(second)).toEqual(['event 8', 'event 7']);
    const rest = await client.events.list(runId, {}, { first: 100, after: second.pageInfo.endCursor });
    expect([rest.items.length, rest.pageInfo.hasNextPage]).toEqual([7, false]);
    const orderBy = { field: 'cursor', direction: 'asc' } as const;
    expect(messages(await client.events.list(runId, {}, { first: 1, orderBy }))).toEqual(['event 1']);
  });

  it('are narrowed down to kinds and steps, over REST too', async () => {
    const filter = { kinds: ['checkpoint', 'log'] as const, toStep: 9 };
    const { items } = await client.events.list(runId, { ...filter, kinds: [...filter.kinds] });
    expect(items.map(({ kind, step }) => [kind, step])).toEqual([['checkpoint', 5]]);
    expect(messages(await client.events.list(runId, { fromStep: 9, kinds: ['warning'] }))).toEqual([
      'event 10',
      'event 9',
    ]);
    const response = await client.rest(
      `/api/v1/runs/${runId}/event-list?kind=warning&kind=checkpoint&fromStep=10`,
    );
    const rest = (await response.json()) as { items: { kind: string; step: number; body: object }[] };
    expect(rest.items).toMatchObject([
      { kind: 'checkpoint', step: 10, body: { folder: 'step-10' } },
      { kind: 'warning', step: 10, body: { message: 'event 10' } },
    ]);
  });

  it('are not narrowed down by an empty list of kinds', async () => {
    const all = messages(await client.events.list(runId, {}, { first: 100 }));
    expect(messages(await client.events.list(runId, { kinds: [] }, { first: 100 }))).toEqual(all);
    const counts = await client.events.counts(runId, {}, 2);
    expect(await client.events.counts(runId, { kinds: [] }, 2)).toEqual(counts);
  });

  it('are counted by kind and range of steps, up to the head of the run', async () => {
    const { cursor, counts } = await client.events.counts(runId, {}, 2);
    // steps 0 to 10 in two ranges of six
    expect(counts).toEqual([
      { kind: 'checkpoint', firstStep: 5, lastStep: 5, count: 1 },
      { kind: 'checkpoint', firstStep: 10, lastStep: 10, count: 1 },
      { kind: 'warning', firstStep: null, lastStep: null, count: 1 },
      { kind: 'warning', firstStep: 1, lastStep: 5, count: 5 },
      { kind: 'warning', firstStep: 6, lastStep: 10, count: 5 },
    ]);
    expect(cursor).toBe((await client.runs.list({ ids: [runId] })).items[0]?.head);
    const response = await client.rest(`/api/v1/runs/${runId}/event-counts?kind=checkpoint&ranges=1`);
    expect(await response.json()).toEqual({
      cursor,
      counts: [{ kind: 'checkpoint', firstStep: 5, lastStep: 10, count: 2 }],
    });
  });

  it('are refused with a reason: a wrong kind, too many ranges, a run that is not there', async () => {
    for (const [query, code] of [
      [`{ runEventCounts(runId: "${runId}", ranges: 2001) { cursor } }`, 'server.invalid_input'],
      [
        `{ runEvents(runId: "${runId}", filter: { kinds: [METRICS] }) { nodes { cursor } } }`,
        'graphql.invalid',
      ],
      ['{ runEvents(runId: "none") { nodes { cursor } } }', 'server.not_found'],
      ['{ runEventCounts(runId: "none") { cursor } }', 'server.not_found'],
    ] as const)
      expect(codesOf(await ask(server().url, server().adminKey, query))).toEqual([code]);
    const response = await client
      .rest(`/api/v1/runs/${runId}/event-list?kind=odd`)
      .then(() => undefined, String);
    expect(response).toMatch(/kind.*warning/s);
  });

  it('are read along their index, so that metrics cost nothing', async () => {
    const source = server().app.get(DataSource);
    const query = `SELECT cursor FROM run_record WHERE "runId" = '${runId}' AND ${isRareKind} AND kind IN ('warning') ORDER BY cursor DESC LIMIT 5`;
    if (source.options.type === 'postgres') {
      const indices = await source.query<{ indexdef: string }[]>(
        `SELECT indexdef FROM pg_indexes WHERE indexname = 'run_record_rare'`,
      );
      expect(indices[0]?.indexdef).toMatch(/WHERE/);
    } else
      expect(JSON.stringify(await source.query(`EXPLAIN QUERY PLAN ${query}`))).toContain(
        'USING COVERING INDEX run_record_rare',
      );
  });

  it('are read along it for what the collapse monitor found, too', async () => {
    const source = server().app.get(DataSource);
    if (source.options.type === 'postgres') return;
    const logged = vi.spyOn(source.logger, 'logQuery');
    await readFindings(source.manager, { runId, code: 'monitor.alarm', step: 3, time: 1 });
    const [query = '', parameters] = logged.mock.calls.at(-1) ?? [];
    logged.mockRestore();
    const plan = await source.query(`EXPLAIN QUERY PLAN ${query}`, parameters as unknown[]);
    expect(JSON.stringify(plan)).toContain('USING INDEX run_record_rare');
  });
});
