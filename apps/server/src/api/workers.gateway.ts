/**
 * @file The socket.io namespace `/workers`: validates every message, preserves the order of those of one attempt, and
 * dispatches them. The messages are those of libs/protocol/src/worker-messages.ts.
 */
import { AppError } from '@espalier/contracts';
import {
  type Answer,
  type Assignment,
  type ControlMessage,
  type EventsAnswer,
  eventsMessage,
  type HeartbeatAnswer,
  heartbeatMessage,
  helloMessage,
  type Welcome,
  workerProtocol,
} from '@espalier/protocol';
import { type CallMessage, type ReplyAnswer, replyMessage } from '@espalier/protocol/chat';
import { Inject } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayDisconnect,
  type OnGatewayInit,
  SubscribeMessage,
  WebSocketGateway,
} from '@nestjs/websockets';
import type { Namespace, Socket } from 'socket.io';
import { z } from 'zod';
import { Access } from './access/access.decorator.js';
import type { Caller } from '../core/access/caller.js';
import { rejectUnknownEvents } from './stream/reject-unknown-events.js';
import { RateLimits } from '../core/access/rate-limits.js';
import { SocketAccess } from './access/socket-access.js';
import { SERVER_OPTIONS, type ServerOptions } from '../config/server-options.js';
import { EventIngest } from '../core/scheduling/attempts/event-ingest.service.js';
import { JobCounters } from '../core/scheduling/job-counters.js';
import { parseInput } from '../core/input/parse-input.js';
import { ErrorReport } from './errors/error-report.js';
import { HandshakeService } from '../core/scheduling/attempts/handshake.service.js';
import { ModelCalls } from '../core/workers/model-calls.js';
import type { WorkerLink } from '../core/workers/worker-pool.js';
import { WorkerRows } from '../core/workers/worker-rows.service.js';

/** Messages of one stream that may wait to be stored; a worker sends one at a time. */
const maxPending = 4;
/** Streams of one worker with messages that wait. */
const maxLines = 64;

/** The part of `hello` that is read before its version is known. */
const handshake = z.object({ protocol: z.unknown() });

/** The socket of a worker with its data. */
interface WorkerSocket extends Socket {
  data: {
    caller: Caller;
    /** of the worker, with its key; set by hello */
    name?: string;
    link?: WorkerLink;
    handshake?: Promise<string>;
    isClean?: boolean;
    /** messages with events that are not stored yet, by attempt and stream */
    pending?: Map<string, number>;
  };
}

@WebSocketGateway({ namespace: '/workers' })
export class WorkerGateway implements OnGatewayInit<Namespace>, OnGatewayDisconnect<WorkerSocket> {
  constructor(
    private readonly access: SocketAccess,
    private readonly handshakes: HandshakeService,
    private readonly rows: WorkerRows,
    private readonly calls: ModelCalls,
    private readonly ingest: EventIngest,
    private readonly counters: JobCounters,
    private readonly report: ErrorReport,
    private readonly limits: RateLimits,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  afterInit(namespace: Namespace): void {
    namespace.use(this.access.authenticateSocket('worker'));
    rejectUnknownEvents(
      namespace,
      ['hello', 'heartbeat', 'events', 'reply'],
      'worker.malformed_message',
      this.report,
    );
  }

  async handleDisconnect({ data }: WorkerSocket): Promise<void> {
    const workerId = await data.handshake?.catch(() => undefined);
    if (workerId === undefined || data.link === undefined) return;
    this.calls.lose(workerId, data.link);
    await this.rows.disconnect(workerId, data.link, data.isClean === true);
  }

  @SubscribeMessage('hello')
  @Access('worker')
  async hello(
    @ConnectedSocket() socket: WorkerSocket,
    @MessageBody() body: unknown,
  ): Promise<Answer<Welcome>> {
    return this.answer(socket, () => this.greet(socket, body));
  }

  @SubscribeMessage('heartbeat')
  @Access('worker')
  async heartbeat(
    @ConnectedSocket() socket: WorkerSocket,
    @MessageBody() body: unknown,
  ): Promise<Answer<HeartbeatAnswer>> {
    return this.answer(socket, async () => {
      const message = parse(heartbeatMessage, body, 'heartbeat');
      return this.handshakes.heartbeat(await workerIdOf(socket, 'heartbeat'), message);
    });
  }

  @SubscribeMessage('events')
  @Access('worker')
  async events(
    @ConnectedSocket() socket: WorkerSocket,
    @MessageBody() body: unknown,
  ): Promise<Answer<EventsAnswer>> {
    return this.answer(socket, () => this.store(socket, body));
  }

  @SubscribeMessage('reply')
  @Access('worker')
  async reply(
    @ConnectedSocket() socket: WorkerSocket,
    @MessageBody() body: unknown,
  ): Promise<Answer<ReplyAnswer>> {
    return this.answer(socket, async () => {
      const message = parse(replyMessage, body, 'reply');
      return this.calls.deliver(await workerIdOf(socket, 'reply'), message);
    });
  }

  /** Every message is acknowledged, also with a refusal. One that floods the server is disconnected. */
  private async answer<T>(socket: WorkerSocket, work: () => Promise<T>): Promise<Answer<T>> {
    try {
      await this.limits.count('workerMessages', socket.data.name ?? socket.id);
      return { ok: true, value: await work() };
    } catch (error) {
      const { code, message } = this.report.serialize(error);
      if (code === 'worker.fenced') this.counters.add('fenced');
      if (code === 'access.throttled') disconnectSoon(socket);
      return { ok: false, code, message };
    }
  }

  private async greet(socket: WorkerSocket, body: unknown): Promise<Welcome> {
    this.validateProtocol(socket, body);
    const hello = parse(helloMessage, body, 'hello');
    socket.data.name = `${socket.data.caller.keyId} ${hello.name}`;
    const link = createLink(socket, this.options.assignSeconds * 1000);
    socket.data.link = link;
    socket.once('disconnect', (reason) => (socket.data.isClean = reason === 'client namespace disconnect'));
    const handshake = this.handshakes.connect(hello, socket.data.caller.keyId, link);
    socket.data.handshake = handshake.then(({ workerId }) => workerId);
    socket.data.handshake.catch(() => undefined);
    return (await handshake).welcome;
  }

  private async store(socket: WorkerSocket, body: unknown): Promise<EventsAnswer> {
    const message = parse(eventsMessage, body, 'events');
    const workerId = await workerIdOf(socket, 'events');
    const leave = enter((socket.data.pending ??= new Map()), `${message.attemptId} ${message.stream}`);
    try {
      // writes are done in the order of their requests; concurrent ones share a commit
      return await this.ingest.ingest(message, workerId);
    } finally {
      leave();
    }
  }

  private validateProtocol(socket: Socket, body: unknown): void {
    const { success, data } = handshake.safeParse(body);
    if (!success || data.protocol === workerProtocol) return;
    disconnectSoon(socket);
    throw new AppError(
      'worker.protocol_mismatch',
      `say hello: the worker speaks protocol ${JSON.stringify(data.protocol)}, this server ${workerProtocol}; install the same version of Espalier on both`,
    );
  }
}

/** Reads a message. @throws worker.malformed_message */
const parse = <T>(schema: z.ZodType<T>, body: unknown, name: string): T =>
  parseInput(schema, body, `read "${name}"`, 'worker.malformed_message');

/** Gives the answer time to arrive. */
function disconnectSoon(socket: Socket): void {
  setTimeout(() => socket.disconnect(true), 200).unref();
}

async function workerIdOf({ data }: WorkerSocket, name: string): Promise<string> {
  const workerId = await data.handshake?.catch(() => undefined);
  if (workerId !== undefined) return workerId;
  throw new AppError(
    'worker.handshake_required',
    `read "${name}": the handshake is missing; send hello first`,
  );
}

/** Counts a pending message; a worker that sends faster than the server stores is refused. @throws worker.busy */
function enter(pending: Map<string, number>, line: string): () => void {
  const count = pending.get(line) ?? 0;
  if (count >= maxPending || (count === 0 && pending.size >= maxLines))
    throw new AppError(
      'worker.busy',
      `store events of ${line}: ${count} messages before it are not stored yet; send it again when they are acknowledged`,
    );
  pending.set(line, count + 1);
  return () => {
    const left = (pending.get(line) ?? 1) - 1;
    if (left === 0) pending.delete(line);
    else pending.set(line, left);
  };
}

function createLink(socket: Socket, timeoutMs: number): WorkerLink {
  return {
    assign: async (message: Assignment) =>
      (await socket.timeout(timeoutMs).emitWithAck('assign', message)) as Answer<null>,
    call: async (message: CallMessage) =>
      (await socket.timeout(timeoutMs).emitWithAck('call', message)) as Answer<null>,
    control: (message: ControlMessage) => void socket.emit('control', message),
    drain: async (deadlineMs: number) =>
      (await socket.timeout(timeoutMs).emitWithAck('drain', { deadlineMs })) as Answer<null>,
    dismiss: (code, message) => {
      socket.emit('refused', { ok: false, code, message });
      socket.disconnect(true);
    },
  };
}
