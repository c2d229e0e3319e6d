/** @file Trackers that are away, refuse or come back, over real HTTP; what arrives is what the metrics file holds, once. */
import { mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventSink, RunEvent, RunSpec, Trajectory } from '@espalier/contracts';
import { createMetricSink, createTeeSink, createTrajectorySink } from '@espalier/recorder';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrackerSink, type TrackerSink } from './tracker-sink.js';
import { parseTracker } from './tracker-target.js';
import { createShipment } from './shipment.js';

type Body = Readonly<Record<string, unknown>>;
interface Received {
  readonly path: string;
  readonly body: Body;
}

let folder = '';
let server: Server | undefined;
let port = 0;
let received: Received[] = [];
let answer: (path: string) => { readonly status: number; readonly body: object } | undefined = () =>
  undefined;

/** The routes of MLflow's REST API and of a collector that are called, without their work. */
const usual = (path: string): { status: number; body: object } => {
  if (path.includes('get-by-name')) return { status: 404, body: { error_code: 'RESOURCE_DOES_NOT_EXIST' } };
  if (path.endsWith('experiments/create')) return { status: 200, body: { experiment_id: '7' } };
  if (path.endsWith('runs/create')) return { status: 200, body: { run: { info: { run_id: 'abc' } } } };
  return { status: 200, body: {} };
};

async function listen(): Promise<void> {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const text = Buffer.concat(chunks).toString();
      const { status, body } = answer(path) ?? usual(path);
      if (status === 200 || status === 404)
        received.push({ path, body: text === '' ? {} : (JSON.parse(text) as Body) });
      response.writeHead(status).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((done) => server?.listen(port, '127.0.0.1', done));
  port = (server.address() as AddressInfo).port;
}

async function leave(): Promise<void> {
  server?.closeAllConnections();
  await new Promise((done) => server?.close(done) ?? done(undefined));
  server = undefined;
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'espalier-trackers-'));
  port = 0;
  received = [];
  answer = () => undefined;
  await listen();
});
afterEach(async () => {
  await leave();
  rmSync(folder, { recursive: true, force: true });
});

const spec = {
  seed: 3,
  environment: { use: 'bandit' },
  algorithm: { use: 'grpo' },
  rewards: [{ use: 'format', weight: 1 }],
  lora: undefined,
  validation: {},
} as unknown as RunSpec;
const run = () => ({ folder, name: 'bandit-1', spec });

let troubles: string[] = [];
/** A run that logs to its folder and reports. */
function openRun(tracker: string): { sink: EventSink; reports: TrackerSink } {
  troubles = [];
  const reports = createTrackerSink(run(), parseTracker(tracker, {}), (code, message) =>
    troubles.push(`${code} ${message}`),
  );
  const logs = createTeeSink(
    createMetricSink(join(folder, 'metrics.jsonl')),
    createTrajectorySink(join(folder, 'trajectories')),
  );
  return { sink: createTeeSink(logs, reports), reports };
}

const metrics = (step: number, value: number): RunEvent => ({
  kind: 'metrics',
  time: 1000 * step,
  step,
  values: { 'rollout/success_rate': value },
});
const ended: RunEvent = {
  kind: 'run-ended',
  time: 9000,
  step: 3,
  outcome: 'finished',
  message: 'all steps done',
};

interface LoggedMetric {
  readonly key: string;
  readonly value: number | string;
  readonly step: number;
  readonly timestamp: number;
}
const loggedSteps = (): (readonly [number, number | string])[] =>
  received
    .flatMap(({ body }) => (body['metrics'] as LoggedMetric[] | undefined) ?? [])
    .map(({ step, value }) => [step, value] as const);

describe('reporting to MLflow', () => {
  it('creates experiment and run, sends options and metrics, and how the run ended', async () => {
    const { sink, reports } = openRun(`mlflow:http://127.0.0.1:${port}#maze`);
    sink.emit(metrics(1, 0.25));
    sink.emit(metrics(2, Number.NaN));
    sink.emit(ended);
    expect(await reports.close()).toBeUndefined();
    const bodyOf = (end: string): Body => received.find(({ path }) => path.endsWith(end))?.body ?? {};
    expect(received[0]?.path).toBe('/api/2.0/mlflow/experiments/get-by-name?experiment_name=maze');
    expect(bodyOf('experiments/create')).toEqual({ name: 'maze' });
    expect(bodyOf('runs/create')).toMatchObject({ experiment_id: '7', run_name: 'bandit-1' });
    const batches = received.filter(({ path }) => path.endsWith('log-batch')).map(({ body }) => body);
    expect(batches[0]).toEqual({
      run_id: 'abc',
      params: [
        { key: 'seed', value: '3' },
        { key: 'environment.use', value: 'bandit' },
        { key: 'algorithm.use', value: 'grpo' },
        { key: 'rewards', value: '[{"use":"format","weight":1}]' },
      ],
    });
    expect(batches[1]?.['metrics']).toEqual([
      { key: 'rollout/success_rate', value: 0.25, timestamp: 1000, step: 1 },
      { key: 'rollout/success_rate', value: 'NaN', timestamp: 2000, step: 2 },
    ]);
    expect(received.at(-1)?.body).toEqual({ run_id: 'abc', status: 'FINISHED', end_time: 9000 });
  });

  it('does not send again what a resumed run writes again, and goes on with the same run there', async () => {
    const file = join(folder, 'metrics.jsonl');
    const first = openRun(`mlflow:http://127.0.0.1:${port}`);
    first.sink.emit(metrics(1, 0.1));
    const atCheckpoint = readFileSync(file).length;
    first.sink.emit(metrics(2, 0.2));
    await first.reports.close();
    truncateSync(file, atCheckpoint);
    const second = openRun(`mlflow:http://127.0.0.1:${port}`);
    for (const step of [2, 3]) second.sink.emit(metrics(step, step / 10));
    second.sink.emit(ended);
    expect(await second.reports.close()).toBeUndefined();
    expect(loggedSteps()).toEqual([
      [1, 0.1],
      [2, 0.2],
      [3, 0.3],
    ]);
    expect(received.filter(({ path }) => path.endsWith('runs/create'))).toHaveLength(1);
    const statuses = received
      .filter(({ path }) => path.endsWith('runs/update'))
      .map(({ body }) => body['status']);
    expect(statuses).toEqual(['RUNNING', 'FINISHED']);
  });

  it('sends what it missed when it is back, and warns once', async () => {
    const { sink, reports } = openRun(`mlflow:http://127.0.0.1:${port}`);
    sink.emit(metrics(1, 0.1));
    await expect.poll(loggedSteps).toHaveLength(1);
    await leave();
    sink.emit(metrics(2, 0.2));
    await expect.poll(() => troubles).toHaveLength(1);
    sink.emit(metrics(3, 0.3));
    await listen();
    expect(await reports.close()).toBeUndefined();
    expect(loggedSteps()).toEqual([
      [1, 0.1],
      [2, 0.2],
      [3, 0.3],
    ]);
    expect(troubles).toEqual([expect.stringContaining('tracker.unavailable report to mlflow')]);
  });

  it('stops when it is refused, and says what the tracker lacks', async () => {
    answer = (path) =>
      path.endsWith('runs/create') ? { status: 403, body: { message: 'no permission' } } : undefined;
    const { sink, reports } = openRun(`mlflow:http://127.0.0.1:${port}`);
    for (const step of [1, 2]) sink.emit(metrics(step, 0));
    await expect.poll(() => troubles).toHaveLength(1);
    sink.emit(metrics(3, 0));
    expect(await reports.close()).toBe(`mlflow (http://127.0.0.1:${port}/) lacks 3 rows of metrics`);
    expect(troubles[0]).toContain('tracker.refused');
    expect(troubles[0]).toContain('answered 403: {"message":"no permission"}');
  });

  it('waits for a server that is overloaded', async () => {
    let refusals = 2;
    answer = (path) =>
      path.endsWith('runs/create') && refusals-- > 0 ? { status: 503, body: {} } : undefined;
    const { sink, reports } = openRun(`mlflow:http://127.0.0.1:${port}`);
    for (const step of [1, 2, 3]) {
      sink.emit(metrics(step, step));
      await new Promise((done) => setTimeout(done, 50));
    }
    expect(await reports.close()).toBeUndefined();
    expect(loggedSteps().map(([step]) => step)).toEqual([1, 2, 3]);
    expect(troubles).toHaveLength(1);
  });

  it('refuses an address where something else answers', async () => {
    answer = () => ({ status: 200, body: ['welcome'] });
    const { sink, reports } = openRun(`mlflow:http://127.0.0.1:${port}`);
    sink.emit(metrics(1, 0));
    await reports.close();
    expect(troubles[0]).toContain('the answer is not a JSON object: ["welcome"]');
  });
});

describe('a run that is sent', () => {
  it('is sent by one process at a time', () => {
    const tracker = parseTracker('tensorboard', {});
    const shipment = createShipment(run(), tracker);
    expect(() => createShipment(run(), tracker)).toThrow(expect.objectContaining({ code: 'tracker.in_use' }));
    shipment.release();
    createShipment(run(), tracker).release();
  });

  it('leaves nothing in its folder when it never began', async () => {
    const { reports } = openRun('tensorboard');
    expect(await reports.close()).toBeUndefined();
    expect(() => readFileSync(join(folder, 'trackers'))).toThrow('ENOENT');
  });
});

describe('reporting to a collector of OpenTelemetry', () => {
  it('sends gauges, a flag where there is no number, and the trajectories of whole steps', async () => {
    const { sink, reports } = openRun(`otlp:http://127.0.0.1:${port}`);
    sink.emit({ kind: 'trajectory', time: 900, step: 1, trajectory: episode('train/1/0/0', 1), kept: true });
    sink.emit(metrics(1, Number.NaN));
    sink.emit({ kind: 'trajectory', time: 1900, step: 2, trajectory: episode('train/2/0/0', 2), kept: true });
    sink.emit(metrics(2, 0.5));
    await sink.flush();
    sink.emit(ended);
    expect(await reports.close()).toBeUndefined();
    const gauges = received
      .filter(({ path }) => path === '/v1/metrics')
      .flatMap(({ body }) => find(body, 'metrics') as { name: string; gauge: { dataPoints: object[] } }[])
      .map(({ name, gauge }) => [name, ...gauge.dataPoints]);
    expect(gauges).toEqual([
      ['espalier/step', { timeUnixNano: '1000000000', asDouble: 1 }],
      ['espalier/rollout/success_rate', { timeUnixNano: '1000000000', flags: 1 }],
      ['espalier/step', { timeUnixNano: '2000000000', asDouble: 2 }],
      ['espalier/rollout/success_rate', { timeUnixNano: '2000000000', asDouble: 0.5 }],
    ]);
    const spans = received
      .filter(({ path }) => path === '/v1/traces')
      .flatMap(({ body }) => find(body, 'spans') as { name: string; endTimeUnixNano: string }[]);
    expect(spans.map(({ name, endTimeUnixNano }) => [name, endTimeUnixNano])).toEqual([
      ['rollout', '1000000000'],
      ['rollout', '2000000000'],
    ]);
  });
});

const episode = (id: string, step: number): Trajectory => ({
  id,
  environment: 'bandit',
  split: 'train',
  step,
  group: 0,
  index: 0,
  seeds: { state: 1, noise: 2, sampling: 3 },
  tokens: new Int32Array(),
  logprobs: new Float32Array(),
  entropies: new Float32Array(),
  spans: [],
  turns: [],
  score: { environment: 0, formatPenalty: 0, rewards: {}, perTurn: [], total: 0 },
  stopReason: 'success',
  success: true,
  labels: [],
  timings: { totalMs: 1 },
});

/** The list under a key, wherever it is. */
function find(value: unknown, key: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = (value as Record<string, unknown>)[key];
  if (Array.isArray(own)) return own as unknown[];
  return Object.values(value).flatMap((part) => find(part, key));
}
