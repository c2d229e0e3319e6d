/** @file A worker without a socket: a link to the services, for tests that choose what happens in which order. */
import type {
  Answer,
  Assignment,
  AttemptEvent,
  ControlMessage,
  Device,
  EventsAnswer,
  PluginVersion,
} from '@espalier/protocol';
import type { CallMessage } from '@espalier/protocol/chat';
import type { WorkerLink } from '../core/workers/worker-pool.js';
import type { JobParts } from './job-parts.js';

export interface HeldAttempt {
  readonly assignment: Assignment;
  /** last sequence sent */
  sequence: number;
}

export class FakeWorker implements WorkerLink {
  readonly holding = new Map<string, HeldAttempt>();
  /** all assignments it received */
  readonly received: Assignment[] = [];
  readonly controls: ControlMessage[] = [];
  /** calls of chats, which a test answers */
  readonly calls: CallMessage[] = [];
  workerId = '';
  isOnline = false;
  /** the processes of all its attempts have ended */
  hasEnded = false;
  /** its external plugins */
  plugins: PluginVersion[] = [];
  private lives = 0;

  constructor(
    private readonly parts: JobParts,
    readonly name: string,
    public devices: Device[],
    private readonly labels: string[] = [],
  ) {}

  async connect(): Promise<void> {
    const holding = [...this.holding.values()].map(({ assignment: { attemptId, token } }) => ({
      attemptId,
      token,
      state: this.hasEnded ? ('ended' as const) : ('running' as const),
    }));
    const { workerId, welcome } = await this.parts.handshakes.connect(
      {
        protocol: 1,
        name: this.name,
        instance: `${this.name}-${this.lives}`,
        host: this.name,
        version: '0',
        node: 'v20',
        labels: this.labels,
        devices: this.devices,
        holding,
        plugins: this.plugins,
      },
      'key',
      this,
    );
    this.workerId = workerId;
    this.isOnline = true;
    for (const id of welcome.fenced) this.holding.delete(id);
  }

  disconnect(isClean = false): void {
    this.isOnline = false;
    this.parts.pool.disconnect(this.workerId, this, isClean);
  }

  /** Its process ends, and all its attempts with it. */
  die(): void {
    this.disconnect();
    this.holding.clear();
    this.lives += 1;
  }

  async beat(): Promise<void> {
    const attempts = [...this.holding.values()].map(({ assignment: { attemptId, token } }) => ({
      attemptId,
      token,
    }));
    const { fenced } = await this.parts.handshakes.heartbeat(this.workerId, {
      devices: this.devices,
      plugins: this.plugins,
      attempts,
    });
    for (const id of fenced) this.holding.delete(id);
  }

  /** Sends one event of an attempt, even if its job was reassigned. */
  async send(held: HeldAttempt, event: AttemptEvent): Promise<EventsAnswer> {
    const { attemptId, token } = held.assignment;
    const events = [{ sequence: (held.sequence += 1), event }];
    return this.parts.ingest.ingest({ attemptId, token, stream: 'worker', events }, this.workerId);
  }

  async start(held: HeldAttempt): Promise<EventsAnswer> {
    return this.send(held, {
      kind: 'process-started',
      time: 1,
      pid: 1,
      host: this.name,
      devices: [],
      versions: {},
      plugins: this.plugins,
      gitRevision: null,
    });
  }

  /** Its process completes a step. */
  async train(held: HeldAttempt, step: number): Promise<EventsAnswer> {
    return this.send(held, { kind: 'metrics', time: 1, step, values: { reward: 1 } });
  }

  async end(
    held: HeldAttempt,
    code: number | null,
    signal: string | null = null,
    asked?: 'pause' | 'drain',
  ): Promise<EventsAnswer> {
    const ended = { kind: 'process-ended' as const, time: 1, code, signal, message: 'ended' };
    const event = asked === undefined ? ended : { ...ended, asked };
    this.holding.delete(held.assignment.attemptId);
    return this.send(held, event);
  }

  assign(assignment: Assignment): Promise<Answer<null>> {
    this.received.push(assignment);
    this.holding.set(assignment.attemptId, { assignment, sequence: 0 });
    return Promise.resolve({ ok: true, value: null });
  }

  call(message: CallMessage): Promise<Answer<null>> {
    this.calls.push(message);
    return Promise.resolve({ ok: true, value: null });
  }

  control(message: ControlMessage): void {
    this.controls.push(message);
  }

  drain(): Promise<Answer<null>> {
    return Promise.resolve({ ok: true, value: null });
  }

  dismiss(): void {
    this.isOnline = false;
  }
}
