/** @file A worker without processes: speaks the protocol over a real socket, controlled by a test. */
import {
  type Answer,
  type Assignment,
  type AttemptEvent,
  type ControlMessage,
  type Device,
  deviceSchema,
  type EventsAnswer,
  type HeartbeatAnswer,
  type HelloMessage,
  type Welcome,
  workerProtocol,
} from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';

export interface SimulatedOptions {
  readonly name: string;
  readonly instance?: string;
  readonly labels?: string[];
  readonly devices?: Device[];
  readonly plugins?: HelloMessage['plugins'];
  readonly protocol?: number;
  /** default 100; 0: only when told */
  readonly heartbeatMs?: number;
  /** default: accept */
  readonly onAssign?: (assignment: Assignment) => Answer<null> | Promise<Answer<null>>;
}

/** CPU slots of 4 GiB each. */
export function cpuSlots(count: number): Device[] {
  return Array.from({ length: count }, (_, index) =>
    deviceSchema.parse({
      id: `cpu-${index}`,
      kind: 'cpu',
      index,
      name: `slot ${index}`,
      threads: 1,
      memoryMb: 4096,
      freeMemoryMb: 4096,
    }),
  );
}

/** GPUs of the given memory, all of it free. */
export function gpus(count: number, memoryMb = 80_000): Device[] {
  return Array.from({ length: count }, (_, index) =>
    deviceSchema.parse({
      id: `GPU-${index}`,
      kind: 'gpu',
      index,
      name: 'NVIDIA H200',
      memoryMb,
      freeMemoryMb: memoryMb,
    }),
  );
}

export class SimulatedWorker {
  readonly assignments: Assignment[] = [];
  readonly controls: ControlMessage[] = [];
  readonly refusals: { code: string; message: string }[] = [];
  /** attempts it has, by id */
  readonly holding = new Map<string, { token: number; state: 'running' | 'ended' }>();
  readonly socket: Socket;
  devices: Device[];
  welcome: Welcome | undefined;
  private readonly sequences = new Map<string, number>();
  private readonly waiting: { count: number; resolve: () => void }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    key: string,
    private readonly options: SimulatedOptions,
  ) {
    this.devices = options.devices ?? cpuSlots(1);
    this.socket = io(`${url}/workers`, {
      auth: { key },
      transports: ['websocket'],
      forceNew: true,
      autoConnect: false,
      reconnection: false,
    });
    this.socket.on('refused', (reason: { code: string; message: string }) => this.refusals.push(reason));
    this.socket.on('control', (message: ControlMessage) => this.controls.push(message));
    this.socket.on('assign', (message: Assignment, acknowledge: (answer: Answer<null>) => void) => {
      void this.accept(message).then(acknowledge);
    });
  }

  /** Connects and says hello. @throws when the server refuses the socket or the hello */
  async connect(): Promise<Welcome> {
    await new Promise<void>((resolve, reject) => {
      this.socket.once('connect', resolve);
      this.socket.once('connect_error', reject);
      this.socket.connect();
    });
    const answer = await this.ask<Welcome>('hello', this.hello());
    if (!answer.ok) throw Object.assign(new Error(answer.message), { code: answer.code });
    this.welcome = answer.value;
    for (const id of answer.value.fenced) this.holding.delete(id);
    const every = this.options.heartbeatMs ?? 100;
    if (every > 0) this.timer = setInterval(() => void this.beat().catch(() => undefined), every);
    return answer.value;
  }

  hello(): HelloMessage {
    const {
      name,
      labels = [],
      protocol = workerProtocol,
      instance = `instance-${name}`,
      plugins = [],
    } = this.options;
    return {
      protocol,
      name,
      instance,
      host: `host-${name}`,
      version: '0.1.0',
      node: 'v20.20.2',
      labels,
      devices: this.devices,
      plugins,
      holding: [...this.holding].map(([attemptId, held]) => ({ attemptId, ...held })),
    };
  }

  /** Sends a raw message. */
  async ask<T>(name: string, message: unknown): Promise<Answer<T>> {
    return (await this.socket.timeout(20_000).emitWithAck(name, message)) as Answer<T>;
  }

  async beat(): Promise<HeartbeatAnswer | undefined> {
    const attempts = [...this.holding].map(([attemptId, { token }]) => ({ attemptId, token }));
    const answer = await this.ask<HeartbeatAnswer>('heartbeat', {
      devices: this.devices,
      plugins: this.options.plugins ?? [],
      attempts,
    });
    if (!answer.ok) return undefined;
    for (const id of answer.value.fenced) this.holding.delete(id);
    return answer.value;
  }

  /** Sends events of the stream `worker`, numbered on from the last. */
  async say(
    assignment: Pick<Assignment, 'attemptId' | 'token'>,
    ...events: AttemptEvent[]
  ): Promise<Answer<EventsAnswer>> {
    const { attemptId, token } = assignment;
    const from = this.sequences.get(attemptId) ?? 0;
    this.sequences.set(attemptId, from + events.length);
    const numbered = events.map((event, index) => ({ sequence: from + index + 1, event }));
    return this.ask('events', { attemptId, token, stream: 'worker', events: numbered });
  }

  /** Reports that the process of an attempt has started. */
  async begin(assignment: Pick<Assignment, 'attemptId' | 'token'>): Promise<Answer<EventsAnswer>> {
    return this.say(assignment, {
      kind: 'process-started',
      time: Date.now(),
      pid: 1234,
      host: `host-${this.options.name}`,
      devices: [],
      versions: { node: 'v20' },
      plugins: [],
      gitRevision: null,
    } as AttemptEvent);
  }

  /** Reports that the process of an attempt has ended. */
  async end(
    assignment: Pick<Assignment, 'attemptId' | 'token'>,
    code: number | null = 0,
    signal: string | null = null,
    message = '',
  ): Promise<Answer<EventsAnswer>> {
    const answer = await this.say(assignment, {
      kind: 'process-ended',
      time: Date.now(),
      code,
      signal,
      message,
    });
    this.holding.delete(assignment.attemptId);
    return answer;
  }

  /** Resolves when it was assigned that many attempts in all, with the last of them. */
  async assigned(count: number, withinMs = 10_000): Promise<Assignment> {
    if (this.assignments.length < count)
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () =>
            reject(
              new Error(`${this.options.name}: ${this.assignments.length} of ${count} assignments came`),
            ),
          withinMs,
        );
        this.waiting.push({ count, resolve: () => (clearTimeout(timer), resolve()) });
      });
    return this.assignments[count - 1] as Assignment;
  }

  /** Stops heartbeats, as a stopped process would; the socket stays open. */
  fallSilent(): void {
    clearInterval(this.timer);
  }

  close(): void {
    clearInterval(this.timer);
    this.socket.disconnect();
  }

  private async accept(message: Assignment): Promise<Answer<null>> {
    const answer = (await this.options.onAssign?.(message)) ?? { ok: true, value: null };
    if (answer.ok) this.holding.set(message.attemptId, { token: message.token, state: 'running' });
    this.assignments.push(message);
    for (const { count, resolve } of this.waiting) if (this.assignments.length >= count) resolve();
    return answer;
  }
}
