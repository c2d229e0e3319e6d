/**
 * @file Placing with many waiting jobs and many connected workers: real sockets, simulated processes. Each worker has
 * one slot and ends its job after a while; measured is the time from the worker's word that its process has ended, so
 * that the slot is free, to the arrival of the next assignment, next to the answer times of /health/live meanwhile.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import { type Assignment, type HelloMessage, workerProtocol } from '@espalier/protocol';
import { waitFor } from '@espalier/testing';
import { io, type Socket } from 'socket.io-client';
import { type BenchItem, type BenchRow, buildRow, percentile } from '../row.js';
import type { HostReady } from './server-host.js';

interface Load {
  readonly waitingJobs: number;
  readonly workers: number;
  /** jobs that end per second, over all workers */
  readonly endsPerSecond: number;
  readonly placements: number;
}

const full: Load = { waitingJobs: 10_000, workers: 200, endsPerSecond: 25, placements: 1000 };
const quick: Load = { waitingJobs: 300, workers: 10, endsPerSecond: 20, placements: 30 };
const healthEveryMs = 20;
const heartbeatMs = 3000;
const longMs = 180_000;

/** Rows `server-placement` (p95 against its goal of 50 ms) and `server-placement/health` (p95 against 100 ms). */
export const serverPlacement: BenchItem = async ({ short }) => {
  const load = short ? quick : full;
  const host = await startHost(load.waitingJobs);
  try {
    return await measure(host, load);
  } finally {
    host.child.disconnect();
    await once(host.child, 'exit');
  }
};

interface Host extends HostReady {
  readonly child: ChildProcess;
}

async function startHost(waitingJobs: number): Promise<Host> {
  const child = fork(fileURLToPath(new URL('./server-host.js', import.meta.url)), [
    JSON.stringify({ waitingJobs }),
  ]);
  const ready = (await Promise.race([
    once(child, 'message').then(([message]) => message as HostReady),
    once(child, 'exit').then(() => null),
  ])) as HostReady | null;
  if (ready !== null) return { ...ready, child };
  throw new AppError('bench.item_failed', 'bench server-placement: the server ended before it was ready');
}

async function measure(host: Host, load: Load): Promise<BenchRow[]> {
  const placed: number[] = [];
  const workers = Array.from(
    { length: load.workers },
    (_, index) => new BenchWorker(host, `bench-${index}`, placed),
  );
  const begin = performance.now();
  await Promise.all(workers.map((worker) => worker.connect()));
  await waitFor('every worker has a job', () => workers.every(({ present }) => present !== null), longMs);
  const filled = (performance.now() - begin) / 1000;
  const health = probeHealth(host.url);
  const before = await askUsage(host.child);
  const already = placed.length;
  const started = performance.now();
  const ends = setInterval(() => {
    const idle = workers.filter(({ present, isEnding }) => present !== null && !isEnding);
    void idle[Math.floor(Math.random() * idle.length)]?.end();
  }, 1000 / load.endsPerSecond);
  await waitFor('all are placed', () => placed.length >= load.placements, longMs);
  clearInterval(ends);
  const seconds = (performance.now() - started) / 1000;
  const answers = await health.stop();
  const { rss, cpu } = await askUsage(host.child);
  const spentMs = (cpu.user + cpu.system - before.cpu.user - before.cpu.system) / 1000;
  for (const worker of workers) worker.close();
  const seen = `${placed.length} placements in ${seconds.toFixed(1)} s with ${load.waitingJobs} jobs waiting and ${load.workers} workers; median ${percentile(placed, 0.5).toFixed(1)} ms, longest ${percentile(placed, 1).toFixed(1)} ms; the first ${load.workers} all placed ${filled.toFixed(1)} s after the workers began to connect; server resident ${Math.round(rss / 1e6)} MB; load ${loadavg()[0]?.toFixed(1) ?? ''}`;
  return [
    buildRow('server-placement', percentile(placed, 0.95), 'ms, p95', { name: 'goal, ms', value: 50 }, seen),
    buildRow(
      'server-placement/health',
      percentile(answers, 0.95),
      'ms, p95',
      { name: 'goal, ms', value: 100 },
      `${answers.length} answers of /health/live meanwhile; longest ${percentile(answers, 1).toFixed(1)} ms`,
    ),
    buildRow(
      'server-placement/processor',
      spentMs / (placed.length - already),
      'ms of the server’s processor time per placement',
      { name: 'goal, ms', value: 50 },
      'all that goes with one: an end stored, a job placed, its start stored, heartbeats, the answers above',
    ),
  ];
}

/** A worker with one slot, whose processes end when the item says so. */
class BenchWorker {
  present: Assignment | null = null;
  isEnding = false;
  private readonly socket: Socket;
  private endedAt: number | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    { url, workerKey }: HostReady,
    private readonly name: string,
    private readonly placed: number[],
  ) {
    const auth = { key: workerKey };
    this.socket = io(`${url}/workers`, {
      auth,
      transports: ['websocket'],
      forceNew: true,
      autoConnect: false,
    });
    this.socket.on('assign', (message: Assignment, acknowledge: (answer: object) => void) => {
      if (this.endedAt !== null) this.placed.push(performance.now() - this.endedAt);
      this.endedAt = null;
      acknowledge({ ok: true, value: null });
      this.present = message;
      void this.say(1, {
        kind: 'process-started',
        time: Date.now(),
        pid: 1,
        host: this.name,
        devices: ['cpu-0'],
        versions: {},
        plugins: [],
        gitRevision: null,
      });
    });
  }

  async connect(): Promise<void> {
    this.socket.connect();
    await once(this.socket as never, 'connect');
    await this.socket.emitWithAck('hello', {
      protocol: workerProtocol,
      name: this.name,
      instance: this.name,
      host: 'bench',
      version: '0',
      node: 'v',
      devices,
      plugins: [],
      holding: [],
    } satisfies HelloMessage);
    this.timer = setInterval(() => {
      const attempts = this.present === null ? [] : [tokenOf(this.present)];
      this.socket.emit('heartbeat', { devices, attempts });
    }, heartbeatMs);
  }

  /** Ends the present job; the clock runs. */
  async end(): Promise<void> {
    if (this.present === null) return;
    this.isEnding = true;
    const over = { kind: 'process-ended', time: Date.now(), code: 0, signal: null, message: '' };
    this.endedAt = performance.now();
    const sent = this.say(2, over);
    this.present = null;
    await sent;
    this.isEnding = false;
  }

  close(): void {
    clearInterval(this.timer);
    this.socket.disconnect();
  }

  private async say(sequence: number, event: object): Promise<void> {
    if (this.present === null) return;
    const message = { ...tokenOf(this.present), stream: 'worker', events: [{ sequence, event }] };
    // At the end of the item sockets close with messages under way.
    await this.socket.emitWithAck('events', message).catch(() => undefined);
  }
}

const tokenOf = ({ attemptId, token }: Assignment) => ({ attemptId, token });

const devices = [
  {
    id: 'cpu-0',
    kind: 'cpu' as const,
    index: 0,
    name: 'slot 0',
    threads: 1,
    memoryMb: 4096,
    freeMemoryMb: 4096,
  },
];

function probeHealth(url: string): { stop(): Promise<number[]> } {
  const times: number[] = [];
  let isOn = true;
  const running = (async () => {
    while (isOn) {
      const begin = performance.now();
      await (await fetch(`${url}/health/live`)).arrayBuffer();
      times.push(performance.now() - begin);
      await new Promise((resolve) => setTimeout(resolve, healthEveryMs));
    }
  })();
  return { stop: async () => ((isOn = false), await running, times) };
}

interface Usage {
  readonly rss: number;
  /** processor time so far, µs */
  readonly cpu: NodeJS.CpuUsage;
}

async function askUsage(child: ChildProcess): Promise<Usage> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [Usage];
  return usage;
}
