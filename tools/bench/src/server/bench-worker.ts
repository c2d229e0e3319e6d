/** @file A worker without processes: takes one job over the real socket and sends the events it is given. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import type { Answer, Assignment, EventsAnswer, EventsMessage, HelloMessage } from '@espalier/protocol';
import { deviceSchema, workerProtocol } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import type { BenchServer } from './bench-server.js';

export type BenchEvent = EventsMessage['events'][number]['event'];

export interface BenchWorker {
  readonly runId: string;
  /** Sends events of the trainer, which follow on those before; resolves when they are stored. */
  send(events: readonly BenchEvent[]): Promise<void>;
  /** answer times of its heartbeats since the last call, ms, and how many had no answer */
  takeBeats(): { readonly times: readonly number[]; readonly lost: number };
  close(): void;
}

const spec = fileURLToPath(new URL('../../../../config/runs/bandit-grpo.yaml', import.meta.url));

const devices = [
  deviceSchema.parse({
    id: 'cpu-0',
    kind: 'cpu',
    index: 0,
    name: 'slot',
    threads: 1,
    memoryMb: 4096,
    freeMemoryMb: 4096,
  }),
];

/** Creates a run and takes a job: with several workers, that of any of their runs. */
export async function startBenchWorker(
  server: BenchServer,
  name = 'bench',
  heartbeatMs = 2000,
): Promise<BenchWorker> {
  const socket = io(`${server.url}/workers`, {
    auth: { key: server.workerKey },
    transports: ['websocket'],
    forceNew: true,
  });
  const assigned = new Promise<Assignment>((resolve) => {
    socket.on('assign', (assignment: Assignment, accept: (answer: Answer<null>) => void) => {
      accept({ ok: true, value: null });
      resolve(assignment);
    });
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  await ask(socket, 'hello', {
    protocol: workerProtocol,
    name,
    instance: name,
    host: 'bench',
    version: '0',
    node: '20',
    labels: [],
    devices,
    plugins: [],
    holding: [],
  } satisfies HelloMessage);
  const created = await createRun(server);
  const { attemptId, token, runId = created } = await assigned;
  const beat = { devices, attempts: [{ attemptId, token }] };
  const heart = beatOn(socket, beat, heartbeatMs);
  let sequence = 0;
  const send = async (
    stream: EventsMessage['stream'],
    first: number,
    events: readonly BenchEvent[],
  ): Promise<void> => {
    const numbered = events.map((event, index) => ({ sequence: first + index, event }));
    await ask<EventsAnswer>(socket, 'events', { attemptId, token, stream, events: numbered });
  };
  await send('worker', 1, [
    {
      kind: 'process-started',
      time: Date.now(),
      pid: 1,
      host: 'bench',
      devices: ['cpu-0'],
      versions: {},
      plugins: [],
      gitRevision: null,
    },
  ]);
  const stored: Promise<void>[] = [];
  return {
    runId,
    takeBeats: heart.take,
    send(events) {
      const first = sequence + 1;
      sequence += events.length;
      // as a worker does: no message while four before it are not stored yet
      const before = stored[stored.length - 4] ?? Promise.resolve();
      const message = before.then(() => send('trainer', first, events));
      stored.push(message);
      return message;
    },
    close() {
      heart.stop();
      socket.disconnect();
    },
  };
}

/** Renews the lease from now on. */
function beatOn(
  socket: Socket,
  beat: object,
  everyMs: number,
): { take: BenchWorker['takeBeats']; stop(): void } {
  const times: number[] = [];
  let lost = 0;
  const timer = setInterval(() => {
    const begin = performance.now();
    ask(socket, 'heartbeat', beat).then(
      () => void times.push(performance.now() - begin),
      () => void (lost += 1),
    );
  }, everyMs);
  return {
    take: () => {
      const taken = { times: times.splice(0), lost };
      lost = 0;
      return taken;
    },
    stop: () => clearInterval(timer),
  };
}

async function ask<T>(socket: Socket, event: string, message: unknown): Promise<T> {
  const answer = (await socket.timeout(60_000).emitWithAck(event, message)) as Answer<T>;
  if (answer.ok) return answer.value;
  throw new AppError('bench.item_failed', `${event}: ${answer.code}: ${answer.message}`);
}

export async function createRun({ url, adminKey }: BenchServer): Promise<string> {
  const response = await fetch(`${url}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source: readFileSync(spec, 'utf8') }),
  });
  const body = (await response.json()) as { id?: string; message?: string };
  if (body.id !== undefined) return body.id;
  throw new AppError('bench.item_failed', `create a run: ${response.status} ${body.message ?? ''}`);
}

/** A row of `width` metrics. */
export function wideRow(step: number, width: number): BenchEvent {
  const values: Record<string, number> = {};
  for (let index = 0; index < width; index += 1)
    values[`bench/metric_${index}`] = Math.sin(step * 0.01 + index);
  return { kind: 'metrics', time: Date.now(), step, values };
}

/** Sends `rate` values per second in rows of 50 for a while; gives the rows sent. */
export async function feed(worker: BenchWorker, rate: number, seconds: number): Promise<number> {
  const perTick = Math.max(1, Math.round(rate / 50 / 20)); // rows, 20 times per second
  const begin = performance.now();
  const sent: Promise<void>[] = [];
  let step = 0;
  for (let tick = 0; tick < seconds * 20; tick += 1) {
    const wait = begin + tick * 50 - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const rows = Array.from({ length: perTick }, () => wideRow(step++, 50));
    sent.push(worker.send(rows));
  }
  await Promise.all(sent);
  return step;
}
