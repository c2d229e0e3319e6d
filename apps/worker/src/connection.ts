/**
 * @file The connection to the server. It reconnects indefinitely, sends `hello` each time, and ends only when it is
 * closed or when the server rejects this worker permanently (its key, its protocol). It buffers nothing while offline.
 */
import { AppError } from '@espalier/contracts';
import { type Answer, type HelloMessage, type Welcome, workerProtocol } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import { addressesOf, type WorkerOptions } from './worker-options.js';
import type { Logger } from './logger.js';

/** The part of the connection that sends messages. */
export interface ServerConnection {
  /** Whether the server has accepted the hello of the current connection. */
  isOnline(): boolean;
  /** @throws when the connection is lost before the answer arrives, or the answer times out */
  send<T>(name: 'events' | 'heartbeat' | 'reply', message: unknown): Promise<Answer<T>>;
  /** The address that the connection leads to, or is tried. */
  address(): string;
  /** Reconnects, because worker and server disagree about what was sent. */
  reconnect(reason: string): void;
}

export interface Connection extends ServerConnection {
  /** Resolves when closed. @throws worker.unauthorized, worker.protocol_mismatch, worker.name_taken */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ConnectionParts {
  readonly options: Pick<WorkerOptions, 'server' | 'key' | 'name' | 'timing'>;
  readonly log: Logger;
  hello(): HelloMessage;
  onWelcome(welcome: Welcome): void;
  onLost(): void;
  onAssign(message: unknown): Promise<Answer<null>>;
  onControl(message: unknown): Answer<null>;
  onCall(message: unknown): Answer<null>;
  onDrain(message: unknown): Answer<null>;
}

/** Random share added to or taken from a delay, so that workers do not all reconnect at once. */
const jitter = 0.5;
/** Lower bound on the connect timeout, however short the lease is. */
const minConnectTimeoutMs = 5000;

/** Returns the longest delay before jitter, chosen so that no delay exceeds a third of the lease. */
export function maxReconnectDelayMs(leaseMs: number, { reconnectMaxMs }: WorkerOptions['timing']): number {
  return Math.min(reconnectMaxMs, leaseMs / 3 / (1 + jitter));
}

type Acknowledge = (answer: Answer<null>) => void;

/** Connects, and keeps reconnecting until closed. */
export function createConnection(parts: ConnectionParts): Connection {
  const { options, log } = parts;
  const { timing } = options;
  const ended = createDeferred();
  const socket = openSocket(options);
  const route = createRoute(options);
  let isOnline = false;
  let isClosed = false;
  let refusals = 0;
  let longestMs = timing.reconnectMaxMs;
  let timer: NodeJS.Timeout | undefined;

  const end = (error?: AppError): void => {
    if (isClosed) return;
    isClosed = true;
    isOnline = false;
    clearTimeout(timer);
    socket.disconnect();
    if (error === undefined) ended.resolve();
    else ended.reject(error);
  };
  /** Ends the connection if a retry would be rejected in the same way. */
  const endIfFatal = (code: string, message: string): boolean => {
    const make = fatalErrors[code];
    if (make !== undefined) end(make(options, message));
    return make !== undefined;
  };
  /** socket.io does not reconnect after a rejection or after the server closed the socket. */
  const reconnectLater = (reason: string): void => {
    if (isClosed) return;
    const delay = Math.min(longestMs, timing.reconnectMinMs * 2 ** Math.min(refusals++, 10));
    log.warn({ reason, delay }, 'reconnecting');
    clearTimeout(timer);
    timer = setTimeout(() => void socket.connect(), delay * randomFactor());
  };
  const handshake = async (): Promise<void> => {
    const answer = await sendHello(socket, parts);
    if (answer === undefined) return reconnect('no answer to hello');
    if (isClosed || !socket.connected) return;
    if (!answer.ok && !endIfFatal(answer.code, answer.message))
      return reconnect(`hello refused: ${answer.code}: ${answer.message}`);
    if (!answer.ok) return;
    if (answer.value.protocol !== workerProtocol)
      return end(protocolMismatch(`the server speaks protocol ${answer.value.protocol}`));
    isOnline = true;
    refusals = 0;
    longestMs = applyLease(socket, timing, answer.value.leaseMs);
    log.info({ server: route.address() }, 'connected');
    parts.onWelcome(answer.value);
  };
  const reconnect = (reason: string): void => {
    if (isClosed) return;
    isOnline = false;
    socket.disconnect();
    reconnectLater(reason);
  };
  socket.on('connect', () => void handshake());
  socket.on('disconnect', (reason) => {
    if (isOnline) log.warn({ reason }, 'connection lost; processes keep running');
    isOnline = false;
    route.moveOn(socket);
    parts.onLost();
    if (reason === 'io server disconnect') reconnectLater(reason);
  });
  socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    route.moveOn(socket);
    if (socket.active || endIfFatal(error.data?.code ?? '', error.message)) return;
    reconnectLater(error.message);
  });
  handleServerRequests(socket, parts);
  return {
    ended: ended.promise,
    isOnline: () => isOnline,
    async send<T>(name: string, message: unknown) {
      const answer = (await socket.timeout(timing.ackTimeoutMs).emitWithAck(name, message)) as Answer<T>;
      if (!answer.ok) endIfFatal(answer.code, answer.message);
      return answer;
    },
    address: route.address,
    reconnect,
    close: () => end(),
  };
}

/** Sends the hello. @returns the server's answer; undefined if none came in time */
async function sendHello(socket: Socket, parts: ConnectionParts): Promise<Answer<Welcome> | undefined> {
  try {
    const timed = socket.timeout(parts.options.timing.ackTimeoutMs);
    return (await timed.emitWithAck('hello', parts.hello())) as Answer<Welcome>;
  } catch {
    return undefined;
  }
}

/** Sets delays so that the worker reconnects within its lease, even if one try times out. @returns the longest delay, ms */
function applyLease(socket: Socket, timing: WorkerOptions['timing'], leaseMs: number): number {
  const longestMs = maxReconnectDelayMs(leaseMs, timing);
  socket.io.reconnectionDelay(Math.min(timing.reconnectMinMs, longestMs));
  socket.io.reconnectionDelayMax(longestMs);
  socket.io.timeout(Math.min(timing.ackTimeoutMs, Math.max(minConnectTimeoutMs, leaseMs / 3)));
  return longestMs;
}

const randomFactor = (): number => 1 - jitter + 2 * jitter * Math.random();

function openSocket({ server, key, timing }: ConnectionParts['options']): Socket {
  const [first] = addressesOf({ server });
  return io(new URL('/workers', first).href, {
    auth: { key },
    transports: ['websocket'],
    forceNew: true,
    reconnectionDelay: timing.reconnectMinMs,
    reconnectionDelayMax: timing.reconnectMaxMs,
    randomizationFactor: jitter,
    timeout: timing.ackTimeoutMs,
  });
}

/** The address in use, of those that are known. */
function createRoute(options: Pick<WorkerOptions, 'server'>) {
  const addresses = addressesOf(options);
  let current = 0;
  return {
    address: (): string => addresses[current] ?? addresses[0],
    /** The next try is with the next address: a server stands by there, or serves now. */
    moveOn(socket: Socket): void {
      current = (current + 1) % addresses.length;
      if (addresses.length > 1) pointTo(socket, addresses[current] as string);
    },
  };
}

/** Lets the next connection go elsewhere. The manager of socket.io has no public way for that. */
function pointTo({ io: manager }: Socket, address: string): void {
  const { protocol, hostname, port, origin } = new URL(address);
  // it would keep the port of the last address where this one has none
  manager.opts.port = port === '' ? (protocol === 'https:' ? 443 : 80) : port;
  Object.assign(manager as unknown as { uri: string }, { uri: origin });
  Object.assign(manager.opts, { hostname, secure: protocol === 'https:' });
}

/** Answers the requests of the server. */
function handleServerRequests(
  socket: Socket,
  { onAssign, onControl, onCall, onDrain, log }: ConnectionParts,
): void {
  const answer = async (operation: string, work: () => Answer<null> | Promise<Answer<null>>) => {
    try {
      return await work();
    } catch (error) {
      const message = `${operation}: ${error instanceof Error ? error.message : String(error)}; check the machine of this worker`;
      log.error({ message }, 'a request of the server failed');
      return { ok: false, code: 'worker.failed', message } as const;
    }
  };
  socket.on('assign', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('start a job', () => onAssign(message)).then(acknowledge);
  });
  socket.on('control', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('control a job', () => onControl(message)).then(acknowledge);
  });
  socket.on('call', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('call a chat', () => onCall(message)).then(acknowledge);
  });
  socket.on('drain', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('drain', () => onDrain(message)).then(acknowledge);
  });
}

function createDeferred(): { promise: Promise<void>; resolve(): void; reject(reason: AppError): void } {
  let resolve!: () => void;
  let reject!: (reason: AppError) => void;
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

const protocolMismatch = (message: string): AppError =>
  new AppError(
    'worker.protocol_mismatch',
    `connect: this worker speaks protocol ${workerProtocol}: ${message}; install the same version of Espalier on both sides`,
  );

type Refusal = (options: ConnectionParts['options'], message: string) => AppError;

const keyRejected: Refusal = ({ server }, message) =>
  new AppError(
    'worker.unauthorized',
    `connect to ${String(server)}: the server rejects the key: ${message}; set a key with the role worker (espalier key create)`,
  );

/** Rejections that a retry cannot change, by the server's error code. */
const fatalErrors: Readonly<Record<string, Refusal>> = {
  'access.unauthenticated': keyRejected,
  'access.denied': keyRejected,
  // it names both versions and the remedy
  'worker.protocol_mismatch': (_options, message) =>
    new AppError('worker.protocol_mismatch', `connect: ${message}`),
  'worker.name_taken': ({ name }, message) =>
    new AppError(
      'worker.name_taken',
      `stay connected as "${name}": ${message}; another worker uses that name, so rename one of them`,
    ),
};
