import { createClient } from '@espalier/client';
import { parse } from 'graphql';
import { waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GraphqlSocket } from '../../apps/server/src/api/graphql/server/graphql-socket.js';
import { createConnection } from '../../libs/client/src/addresses.js';
import { createSubscriber } from '../../libs/client/src/graphql-socket.js';
import { EventIngest } from '../../apps/server/src/core/scheduling/attempts/event-ingest.service.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

const long = 60_000;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ stream: { flushMs: 20 } });
}, long);
afterAll(() => server.close(), long);

/** Writes a step for a writer of a server that was started anew meanwhile. */
const write = ({ attemptId }: EventWriter, step: number) =>
  server.app.get(EventIngest, { strict: false }).ingest({
    attemptId,
    token: 1,
    stream: 'trainer' as const,
    events: [{ sequence: step + 1, event: metricsEvent(step, { a: step }) }],
  });
const clientOf = (key: string) => createClient({ url: server.url, key });

describe('a client that follows', () => {
  it(
    'goes on after the server was stopped and started again, by socket.io and by subscription, each row once',
    async () => {
      const writer = await createWriter(server);
      const { runId } = writer;
      for (let step = 0; step < 5; step += 1) await write(writer, step);
      const client = clientOf(server.adminKey);
      const [followed, subscribed, compared]: [number[], number[], number[]] = [[], [], []];
      const end = new AbortController();
      const following = (async () => {
        for await (const { metrics } of client.follow(runId, { signal: end.signal, until: 'never' }))
          followed.push(...metrics.steps);
      })();
      const document = parse(
        'subscription ($runId: ID!, $after: SafeInt) { runMetrics(runs: { runId: $runId, after: $after }) { cursor steps } }',
      );
      const rows = client.subscribe(document as never, { runId, after: 2 }) as AsyncIterable<{
        runMetrics: { steps: number[] };
      }>;
      const reading = (async () => {
        for await (const { runMetrics } of rows) {
          subscribed.push(...runMetrics.steps);
          if (runMetrics.steps.includes(7)) return;
        }
      })();
      const both = parse(
        'subscription ($runs: [FollowedRun!]!) { runMetrics(runs: $runs) { runId cursor steps } }',
      );
      const other = await createWriter(server);
      const runs = [{ runId: other.runId }, { runId, after: 3 }];
      const rowsOfBoth = client.subscribe(both as never, { runs }) as AsyncIterable<{
        runMetrics: { runId: string; steps: number[] };
      }>;
      const comparing = (async () => {
        for await (const { runMetrics } of rowsOfBoth) {
          expect(runMetrics.runId).toBe(runId);
          compared.push(...runMetrics.steps);
          if (runMetrics.steps.includes(7)) return;
        }
      })();
      await waitFor('both have history', () => followed.length >= 5 && subscribed.length >= 3);
      for (const step of [5, 6, 7]) {
        server = await server.restart();
        await write(writer, step);
        await waitFor('all have the row', () =>
          [followed, subscribed, compared].every((steps) => steps.includes(step)),
        );
      }
      end.abort();
      await Promise.all([following, reading, comparing]);
      expect(followed).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
      expect(subscribed).toEqual([2, 3, 4, 5, 6, 7]);
      expect(compared).toEqual([3, 4, 5, 6, 7]);
      await client.dispose();
    },
    long,
  );

  it('holds a bounded number of results for a slow loop over a subscription, which then has each row once', async () => {
    const writer = await createWriter(server);
    const subscriber = createSubscriber(createConnection(server.url, server.adminKey), 3);
    const document = parse(
      'subscription ($runId: ID!, $after: SafeInt) { runMetrics(runs: { runId: $runId, after: $after }) { cursor steps } }',
    );
    const rows = subscriber.subscribe(document as never, { runId: writer.runId }) as AsyncIterable<{
      runMetrics: { steps: number[] };
    }>;
    const running = (): number => server.app.get(GraphqlSocket, { strict: false }).running;
    const read: number[] = [];
    await write(writer, 0);
    for await (const { runMetrics } of rows) {
      read.push(...runMetrics.steps);
      if (read.length === 1) {
        for (let step = 1; running() > 0 || step < 20; step += 1) {
          await write(writer, step);
          await new Promise((resolve) => setTimeout(resolve, 30));
          if (step > 200) throw new Error('the subscription was never ended for the slow loop');
        }
      }
      if (read.length >= 20) break;
    }
    await subscriber.dispose();
    expect(read.slice(0, 20)).toEqual(Array.from({ length: 20 }, (_, step) => step));
    expect(read).toEqual(read.map((_, step) => step));
  });

  it('ends with a refusal when its key is revoked', async () => {
    const { runId } = await createWriter(server);
    const { key, secret } = await clientOf(server.adminKey).keys.create({ name: 'brief', role: 'viewer' });
    const following = clientOf(secret).follow(runId, { until: 'never' });
    const next = following.next();
    next.catch(() => undefined);
    const client = clientOf(secret);
    const document = parse('subscription ($id: ID) { runChanged(runId: $id) { id } }');
    const subscribed = client
      .subscribe(document as never, {})
      [Symbol.asyncIterator]()
      .next();
    subscribed.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await clientOf(server.adminKey).keys.revoke(key.id);
    const refusal = { code: 'client.refused', details: { code: 'access.unauthenticated' } };
    await expect(next).rejects.toMatchObject(refusal);
    await expect(subscribed).rejects.toMatchObject(refusal);
  });

  it('ends at once when it was ended before it began', async () => {
    const { runId } = await createWriter(server);
    const options = { signal: AbortSignal.abort(), until: 'never' as const };
    expect(await clientOf(server.adminKey).follow(runId, options).next()).toMatchObject({ done: true });
  });
});
