import { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { MetricHistory } from '../../apps/server/src/core/history/metrics/metric-history.service.js';
import { MetricTails } from '../../apps/server/src/core/history/metrics/metric-tails.js';
import { ask, call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

/** of the rows that metricsEvent makes */
const timeAt = (step: number): number => 1_800_000_000_000 + step;
const range = { fromStep: 0, toStep: 2 ** 31 - 1, points: 1000 };

describeOnEach('the history of metrics', (server) => {
  const read = async (runId: string, more: Partial<typeof range & { digits: number }> = {}) => {
    const history = server().app.get(MetricHistory, { strict: false });
    const [series] = await history.read({ runIds: [runId], names: ['a'], ...range, ...more });
    if (!series) throw new Error('no series');
    return series;
  };
  const valueAt = (step: number) => Math.sin(step * 12.9898) * (1 + (step % 1013));

  it('gives few values as they are, from blocks and from the newest rows', async () => {
    const writer = await createWriter(server());
    await writer.write(
      Array.from({ length: 700 }, (_, step) => metricsEvent(step, { a: valueAt(step), b: step })),
    );
    const series = await read(writer.runId);
    expect(series).toMatchObject({ count: 700, decimated: false, buckets: null });
    expect(series.values).toEqual(Array.from({ length: 700 }, (_, step) => valueAt(step)));
    expect(series.times).toEqual(Array.from({ length: 700 }, (_, step) => timeAt(step)));
    server().app.get(MetricTails, { strict: false }).forget(writer.runId);
    expect(await read(writer.runId)).toEqual(series);
    expect((await read(writer.runId, { fromStep: 250, toStep: 260 })).steps).toEqual([
      250, 251, 252, 253, 254, 255, 256, 257, 258, 259, 260,
    ]);
  });

  it('goes on packing after a restart as if there had been none', async () => {
    const writer = await createWriter(server());
    for (let step = 0; step < 600; step += 100) {
      await writer.write(Array.from({ length: 100 }, (_, i) => metricsEvent(step + i, { a: step + i })));
      server().app.get(MetricTails, { strict: false }).forget(writer.runId);
    }
    expect((await read(writer.runId)).values).toEqual(Array.from({ length: 600 }, (_, step) => step));
  });

  it('has all values in blocks when a run has ended, and goes on with another attempt', async () => {
    const writer = await createWriter(server());
    const rows = Array.from({ length: 300 }, (_, step) => metricsEvent(step + 1, { a: valueAt(step) }));
    await writer.write(rows);
    const before = await read(writer.runId);
    await writer.write([{ kind: 'run-ended', time: 1, step: 300, outcome: 'paused', message: '' }]);
    const [tails, { manager }] = [
      server().app.get(MetricTails, { strict: false }),
      server().app.get(DataSource),
    ];
    for (const _ of ['cached', 'read']) {
      expect(await tails.of(manager, writer.runId)).toEqual([]);
      expect(await read(writer.runId)).toEqual(before);
      tails.forget(writer.runId);
    }
    const next = await writer.nextAttempt();
    await next.write([{ kind: 'run-started', time: 1, step: 300, steps: 900, attempt: 2 }]);
    await next.write([metricsEvent(301, { a: 7 })]);
    expect((await read(writer.runId)).values).toEqual([...before.values, 7]);
    await next.write([{ kind: 'run-ended', time: 1, step: 301, outcome: 'finished', message: '' }]);
    expect(await tails.of(manager, writer.runId)).toEqual([]);
    expect((await read(writer.runId)).values).toEqual([...before.values, 7]);
  });

  it('loses no extremum to decimation, by values or by whole blocks', async () => {
    const writer = await createWriter(server());
    for (let step = 0; step < 20_000; step += 2000)
      await writer.write(
        Array.from({ length: 2000 }, (_, i) => metricsEvent(step + i, { a: valueAt(step + i) })),
      );
    const all = Array.from({ length: 20_000 }, (_, step) => valueAt(step));
    for (const [points, fromStep, toStep] of [
      [500, 0, 19_999],
      [40, 0, 19_999],
      [30, 100, 19_000],
      [2, 777, 18_888],
    ] as const) {
      const series = await read(writer.runId, { points, fromStep, toStep });
      const part = all.slice(fromStep, toStep + 1);
      expect(series).toMatchObject({ decimated: true, count: part.length });
      expect(series.steps.length).toBeLessThanOrEqual(points);
      expect(Math.max(...(series.values as number[]))).toBe(Math.max(...part));
      expect(Math.min(...(series.values as number[]))).toBe(Math.min(...part));
      series.steps.forEach((step, index) => expect(series.values[index]).toBe(all[step]));
      expect(series.times).toEqual(series.steps.map(timeAt));
      const { firstSteps, lastSteps, firstTimes, lastTimes, min, max, mean } = series.buckets ?? {
        firstSteps: [],
        lastSteps: [],
        firstTimes: [],
        lastTimes: [],
        min: [],
        max: [],
        mean: [],
      };
      expect([firstSteps[0], lastSteps.at(-1)]).toEqual([fromStep, toStep]);
      expect([firstTimes, lastTimes]).toEqual([firstSteps.map(timeAt), lastSteps.map(timeAt)]);
      firstSteps.forEach((first, index) => {
        const values = all.slice(first, (lastSteps[index] ?? 0) + 1);
        expect([min[index], max[index]]).toEqual([Math.min(...values), Math.max(...values)]);
        expect(mean[index]).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 9);
      });
    }
  });

  it('rounds values that are not whole, and those of buckets, where digits are asked for', async () => {
    const writer = await createWriter(server());
    const values = [123_456_789, -0.123_456_789, 0, 1e-30 / 3, Number.NaN];
    await writer.write(values.map((a, step) => metricsEvent(step, { a })));
    const rounded = [123_456_789, -0.123, 0, 3.33e-31, null];
    expect((await read(writer.runId, { digits: 3 })).values).toEqual(rounded);
    const many = await createWriter(server());
    await many.write(Array.from({ length: 600 }, (_, step) => metricsEvent(step, { a: valueAt(step) })));
    const { values: drawn, buckets } = await read(many.runId, { digits: 3, points: 10 });
    for (const value of [
      ...drawn,
      ...(buckets?.min ?? []),
      ...(buckets?.max ?? []),
      ...(buckets?.mean ?? []),
    ])
      expect(value).toBe(Number(value?.toPrecision(3)));
    const { url, adminKey } = server();
    const path = `/api/v1/runs/${writer.runId}/metrics?name=a&digits=`;
    expect((await call(url, adminKey, 'GET', `${path}3`)).body['items']).toMatchObject([{ values: rounded }]);
    expect((await call(url, adminKey, 'GET', `${path}18`)).status).toBe(400);
  });

  it('leaves out what a later attempt did again', async () => {
    const first = await createWriter(server());
    await first.write([{ kind: 'run-started', time: 1, step: 0, steps: 900, attempt: 1 }]);
    await first.write(Array.from({ length: 600 }, (_, step) => metricsEvent(step + 1, { a: -1 })));
    const second = await first.nextAttempt();
    await second.write([{ kind: 'run-started', time: 1, step: 300, steps: 900, attempt: 2 }]);
    await second.write(Array.from({ length: 500 }, (_, step) => metricsEvent(301 + step, { a: step })));
    const series = await read(first.runId);
    expect(series.steps).toEqual(Array.from({ length: 800 }, (_, step) => step + 1));
    expect(series.values).toEqual([
      ...Array(300).fill(-1),
      ...Array.from({ length: 500 }, (_, step) => step),
    ]);
    const few = await read(first.runId, { points: 2 });
    expect(few.count).toBe(800);
    expect(few.values).toEqual([-1, 499]);
  });

  it('keeps times that lie months apart, or go backwards', async () => {
    const writer = await createWriter(server());
    const times = Array.from({ length: 300 }, (_, step) =>
      step < 100 ? timeAt(0) : step < 200 ? timeAt(0) + 200 * 86_400_000 + step : timeAt(0) - step,
    );
    await writer.write(times.map((time, step) => ({ ...metricsEvent(step, { a: step }), time })));
    expect((await read(writer.runId)).times).toEqual(times);
  });

  it('has null for a metric that the run never had, and an empty series for a range without values', async () => {
    const writer = await createWriter(server());
    const history = server().app.get(MetricHistory, { strict: false });
    const names = ['b', 'a'];
    await writer.write([metricsEvent(0, { a: 1 })]);
    const few = await history.read({ runIds: [writer.runId], names, ...range });
    expect(few).toMatchObject([null, { name: 'a', count: 1 }]);
    await writer.write(Array.from({ length: 400 }, (_, step) => metricsEvent(step + 1, { a: 1 })));
    const many = await history.read({ runIds: [writer.runId], names, ...range, fromStep: 1000 });
    expect(many).toMatchObject([null, { name: 'a', count: 0, steps: [] }]);
    const { url, adminKey } = server();
    const query = `{ metricHistory(runIds: ["${writer.runId}"], names: ["b", "a"], toStep: 0) { name times } }`;
    expect((await ask(url, adminKey, query)).body.data).toEqual({
      metricHistory: [null, { name: 'a', times: [timeAt(0)] }],
    });
    const rest = await call(
      url,
      adminKey,
      'GET',
      `/api/v1/runs/${writer.runId}/metrics?name=b&name=a&toStep=0`,
    );
    expect(rest.body['items']).toMatchObject([null, { name: 'a', times: [timeAt(0)] }]);
  });

  it('lists metrics with their newest values and counts', async () => {
    const writer = await createWriter(server());
    await writer.write(
      Array.from({ length: 300 }, (_, step) =>
        metricsEvent(step, { a: step, ...(step % 100 === 0 ? { 'b/c': null } : {}) }),
      ),
    );
    const names = await server().app.get(MetricHistory, { strict: false }).names(writer.runId);
    expect(names).toMatchObject([
      { name: 'a', latest: 299, count: 300 },
      { name: 'b/c', latest: null, count: 3 },
    ]);
  });

  it('answers over REST, several runs and metrics at once, and nothing of other projects', async () => {
    const mine = await createWriter(server(), 'mine');
    const other = await createWriter(server(), 'other');
    await mine.write([metricsEvent(0, { a: 1, b: 2 })]);
    const { url, createKey } = server();
    const key = await createKey({ name: 'v', role: 'viewer', projects: ['mine'] });
    const get = async (path: string) => {
      const response = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, body: (await response.json()) as unknown };
    };
    expect(await get(`runs/${mine.runId}/metrics?name=a&name=b&points=10`)).toMatchObject({
      status: 200,
      body: {
        items: [
          { name: 'a', steps: [0], values: [1] },
          { name: 'b', values: [2] },
        ],
      },
    });
    expect(await get(`runs/${mine.runId}/metrics`)).toMatchObject({
      body: { items: [{ name: 'a', count: 1 }, { name: 'b' }] },
    });
    expect(await get(`metrics?runId=${mine.runId}&runId=${other.runId}&name=a`)).toMatchObject({
      status: 404,
      body: { code: 'server.not_found' },
    });
    const reversed = await get(`runs/${mine.runId}/metrics?name=a&fromStep=10&toStep=3`);
    expect(reversed).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/range of steps is reversed/) as string },
    });
    expect(await get(`runs/${mine.runId}/metrics?name=a&points=1`)).toMatchObject({
      status: 400,
      body: { code: 'server.invalid_input' },
    });
    expect(await get(`runs/${mine.runId}/events`)).toMatchObject({
      body: { after: 0, cursor: 1, head: 1, metrics: { steps: [0], values: { a: [1], b: [2] } } },
    });
  });
});
