import type { Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@espalier/client';
import { expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import type { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { LogReader } from '../../apps/server/src/core/history/records/log-reader.js';
import { ask, call, codesOf } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

const line = (text: string) => ({ kind: 'log' as const, time: 1_800_000_000_000, text });

describeOnEach('the log of a run', (server) => {
  const graphql = async (query: string) => (await ask(server().url, server().adminKey, query)).body;
  const texts = async (runId: string, args: string): Promise<string[]> => {
    const { data } = await graphql(`{ runLogs(runId: "${runId}", ${args}) { nodes { text } } }`);
    return (data?.['runLogs'] as { nodes: { text: string }[] }).nodes.map(({ text }) => text);
  };
  /** 3000 lines among 1500 rows of metrics; every thousandth says why */
  const writeLong = async (): Promise<EventWriter> => {
    const writer = await createWriter(server());
    for (let from = 0; from < 3000; from += 500) {
      const lines = Array.from({ length: 500 }, (_, index) => from + index);
      await writer.write(
        lines.map((n) => line(n % 1000 === 7 ? `${n} Out of memory` : `${n} fine`)),
        'log',
      );
      await writer.write(Array.from({ length: 250 }, (_, step) => metricsEvent(from + step, { a: 1 })));
    }
    return writer;
  };

  it('is searched in both directions and in pages, however long it is', async () => {
    const { runId } = await writeLong();
    const found = ['7 Out of memory', '1007 Out of memory', '2007 Out of memory'];
    const filter = 'filter: { text: "Out of memory" }';
    expect(await texts(runId, `${filter}`)).toEqual(found);
    expect(await texts(runId, `${filter}, orderBy: { field: TIME, direction: DESC }`)).toEqual(
      found.toReversed(),
    );
    expect(await texts(runId, `${filter}, last: 1`)).toEqual(found.slice(2));
    const page = `{ runLogs(runId: "${runId}", first: 1, ${filter}) { totalCount pageInfo { endCursor hasNextPage } } }`;
    const { totalCount, pageInfo } = (await graphql(page)).data?.['runLogs'] as {
      totalCount: number;
      pageInfo: { endCursor: string; hasNextPage: boolean };
    };
    expect([totalCount, pageInfo.hasNextPage]).toEqual([3, true]);
    expect(await texts(runId, `${filter}, after: "${pageInfo.endCursor}"`)).toEqual(found.slice(1));
    expect(await texts(runId, 'last: 2')).toEqual(['2998 fine', '2999 fine']);
  });

  it('is searched for text as it stands: case, quotes, wildcards and what JSON escapes', async () => {
    const writer = await createWriter(server());
    const all = ['say "yes"', 'SAY', '100 %', 'a_b', 'tab\there', 'C:\\new', 'ünï 🌱', 'text', 'in\nlines'];
    await writer.write(all.map(line), 'log');
    for (const [wanted, found] of [
      ['"yes"', ['say "yes"']],
      ['SAY', ['SAY']],
      ['%', ['100 %']],
      ['_', ['a_b']],
      ['\\n', ['C:\\new']],
      ['🌱', ['ünï 🌱']],
      // the name of the field that holds it
      ['text', ['text']],
      ['{', []],
      // a letter that escapes have
      ['n', ['C:\\new', 'ünï 🌱', 'in\nlines']],
    ] as const)
      expect([wanted, await texts(writer.runId, `filter: { text: ${JSON.stringify(wanted)} }`)]).toEqual([
        wanted,
        found,
      ]);
  });

  it('is narrowed down to an attempt, over REST and by the client too', async () => {
    const first = await createWriter(server());
    await first.write([line('one'), line('two')], 'log');
    const second = await first.nextAttempt();
    await second.write([line('one again')], 'log');
    const { url, adminKey } = server();
    const rest = async (query: string) => {
      const { status, body } = await call(url, adminKey, 'GET', `/api/v1/runs/${first.runId}/logs?${query}`);
      return [
        status,
        (body['items'] as { text: string }[] | undefined)?.map(({ text }) => text) ?? body.code,
      ];
    };
    expect(await rest('text=one&orderBy=time&direction=desc')).toEqual([200, ['one again', 'one']]);
    expect(await rest('text=one&attempt=1')).toEqual([200, ['one']]);
    expect(await rest('text=')).toEqual([400, 'server.invalid_input']);
    expect(await rest(`text=${'x'.repeat(201)}`)).toEqual([400, 'server.invalid_input']);
    const client = createClient({ url, key: adminKey });
    const lines = await client.logs.list(first.runId, { attempt: 2 });
    expect(lines.items).toMatchObject([{ attempt: 2, text: 'one again', time: '2027-01-15T08:00:00.000Z' }]);
    await client.dispose();
  });

  it.each([
    ['REST', (runId: string) => [`api/v1/runs/${runId}/logs?text=nowhere`]],
    [
      'GraphQL',
      (runId: string) => [
        'graphql',
        JSON.stringify({
          query: `{ runLogs(runId: "${runId}", filter: { text: "nowhere" }) { totalCount } }`,
        }),
      ],
    ],
  ])('is searched no further when the client of %s disconnects', async (_, requestOf) => {
    const { runId } = await writeLong();
    // its own way to the log, through which the scheduler reads every five seconds as well
    const reader = server().app.get(LogReader) as unknown as { log: Pick<RunLog, 'read'> };
    const { log } = reader;
    const client = new AbortController();
    let searched = 0;
    const gone = new Promise((resolve) =>
      (server().app.getHttpServer() as Server).once('request', (_request, response) =>
        response.once('close', resolve),
      ),
    );
    reader.log = {
      read: async (work) => {
        searched += 1;
        client.abort();
        await gone;
        return log.read(work);
      },
    };
    const [path = '', body] = requestOf(runId);
    const headers = { authorization: `Bearer ${server().adminKey}`, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body };
    try {
      await expect(
        fetch(`${server().url}/${path}`, { ...init, headers, signal: client.signal }),
      ).rejects.toThrow('aborted');
      // time for five more parts
      await wait(1500);
    } finally {
      reader.log = log;
    }
    expect(searched).toBe(1);
  });

  it('is read in parts of a thousand records, so that a long one is never in memory', async () => {
    const { runId } = await writeLong();
    const reads: number[] = [];
    const { manager } = server().app.get(DataSource);
    const { driver } = manager.connection;
    const create = driver.createQueryRunner.bind(driver);
    driver.createQueryRunner = (mode) => {
      const runner = create(mode);
      const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<unknown>;
      runner.query = (async (...given: unknown[]) => {
        const rows = await query(...given);
        const { records } = rows as { records?: unknown[] };
        if (/(?:strpos|instr)\(/.test(String(given[0]))) reads.push(records?.length ?? Number.NaN);
        return rows;
      }) as typeof runner.query;
      return runner;
    };
    expect(await texts(runId, 'filter: { text: "e" }, last: 500')).toHaveLength(500);
    driver.createQueryRunner = create;
    expect(reads.length).toBeGreaterThan(1);
    expect(Math.max(...reads)).toBeLessThanOrEqual(1000);
  });

  it('of an invalid search is refused', async () => {
    const { runId } = await createWriter(server());
    const told = await ask(
      server().url,
      server().adminKey,
      `{ runLogs(runId: "${runId}", filter: { text: "" }) { totalCount } }`,
    );
    expect(codesOf(told)).toEqual(['server.invalid_input']);
  });
});
