/** @file What the page of a run draws while attempts follow each other: its own reading and adding, on a real server. */
import { type Client, createClient } from '@espalier/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addRows, type RunMetrics } from '../../apps/dashboard/src/charts/series.js';
import { readMetrics } from '../../apps/dashboard/src/data/read-metrics.js';
import { metricsEvent } from '../support/events.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

let server: TestServer;
let client: Client;
beforeAll(async () => {
  server = await startTestServer({ stream: { flushMs: 20 } });
  client = createClient({ url: server.url, key: server.adminKey });
});
afterAll(async () => {
  await client.dispose();
  await server.close();
});

const training = (step: number, rate: number) => metricsEvent(step, { 'rollout/success_rate': rate });
const validation = (step: number, rate: number) => metricsEvent(step, { 'validation/success_rate': rate });
const start = (writer: EventWriter, step: number, attempt: number) =>
  writer.write([{ kind: 'run-started', time: 1, step, steps: 100, attempt }]);

const open = async (runId: string): Promise<RunMetrics> =>
  readMetrics(client, await client.runs.get(runId), await client.metrics.names(runId));

/** What the page has once all that was written after it was opened is pushed. */
async function follow(runId: string, opened: RunMetrics): Promise<RunMetrics> {
  const { head } = await client.runs.get(runId);
  let known = opened;
  for await (const batch of client.live.metrics([{ runId, after: opened.cursor }])) {
    known = addRows(known, batch) ?? (await open(runId));
    if (known.cursor >= head) break;
  }
  return known;
}

const linesOf = ({ series }: RunMetrics) =>
  Object.fromEntries(
    Object.entries(series).map(([name, { steps, values }]) => [
      name,
      steps.map((step, at) => [step, values[at]]),
    ]),
  );

describe('the metrics of a page that is open', () => {
  it('keep a step whose validation is pushed after the page was opened', async () => {
    const writer = await createWriter(server);
    await start(writer, 0, 1);
    await writer.write([training(1, 0.1), training(2, 0.2)]);
    const opened = await open(writer.runId);
    expect(opened.attempt).toBe(1);
    await writer.write([validation(2, 0.5), training(3, 0.3)]);
    expect(linesOf(await follow(writer.runId, opened))).toEqual({
      'rollout/success_rate': [
        [1, 0.1],
        [2, 0.2],
        [3, 0.3],
      ],
      'validation/success_rate': [[2, 0.5]],
    });
  });

  it('keep the step after which a later attempt begins, and nothing that it does again', async () => {
    const writer = await createWriter(server);
    await start(writer, 0, 1);
    await writer.write([training(1, 0.1), training(2, 0.2), training(3, 0.3), validation(3, 0.9)]);
    const opened = await open(writer.runId);
    const next = await writer.nextAttempt();
    // it has not begun: nothing is taken back
    expect(await open(writer.runId)).toEqual(opened);
    // paused as step 2 was validated
    await start(next, 2, 2);
    await next.write([validation(2, 0.5), training(3, 0.4)]);
    const followed = await follow(writer.runId, opened);
    expect(linesOf(followed)).toEqual({
      'rollout/success_rate': [
        [1, 0.1],
        [2, 0.2],
        [3, 0.4],
      ],
      'validation/success_rate': [[2, 0.5]],
    });
    expect(followed).toEqual(await open(writer.runId));
    await next.write([validation(3, 0.6), training(4, 0.5)]);
    expect(await follow(writer.runId, followed)).toEqual(await open(writer.runId));
  });

  it('have means of no step that a later attempt did again', async () => {
    const writer = await createWriter(server);
    await start(writer, 0, 1);
    const rows = (from: number, to: number, kept: number) =>
      Array.from({ length: to - from + 1 }, (_, at) =>
        metricsEvent(from + at, { 'select/kept_groups': kept, 'rollout/success_rate': 0.5 }),
      );
    await writer.write(rows(1, 1500, 1));
    await writer.write(rows(1501, 3000, 1));
    const opened = await open(writer.runId);
    const next = await writer.nextAttempt();
    await start(next, 1600, 2);
    await next.write(rows(1601, 1700, 9));
    const followed = await follow(writer.runId, opened);
    expect(followed).toEqual(await open(writer.runId));
    const { counts = [], values = [], to } = followed.series['select/kept_groups']?.means ?? {};
    const sum = values.reduce((total: number, mean, at) => total + (mean ?? 0) * (counts[at] ?? 0), 0);
    expect([to, Math.round(sum)]).toEqual([1700, 1600 + 900]);
    expect(followed.series['rollout/success_rate']?.means?.to).toBe(1700);
  });
});
