/**
 * @file The connection to the server: connects for ever, says hello each time, and ends only when the server refuses
 * this worker for good (its key, its protocol) or it is closed. Between two connections nothing is sent or kept here.
 */
import { AppError } from '@espalier/contracts';
import { type Answer, type HelloMessage, type Welcome, workerProtocol } from '@espalier/protocol';
import { io, type Socket } from 'socket.io-client';
import type { WorkerOptions } from '../worker-options.js';
import type { Log } from '../log.js';

/** What the parts of a worker need of the connection. */
export interface Exchange {
  /** The server has welcomed the worker on the present connection. */
  isOnline(): boolean;
  /** @throws when the connection is lost before the answer, or it takes too long */
  send<T>(name: 'events' | 'heartbeat', message: unknown): Promise<Answer<T>>;
  /** Begins a new connection, because what both sides know has come apart. */
  renew(reason: string): void;
}

export interface Connection extends Exchange {
  /** Resolves when closed. @throws worker.unauthorized, worker.protocol_mismatch */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ConnectionParts {
  readonly options: Pick<WorkerOptions, 'server' | 'key' | 'tempo'>;
  readonly log: Log;
  hello(): HelloMessage;
  onWelcome(welcome: Welcome): void;
  onLost(): void;
  onAssign(message: unknown): Promise<Answer<null>>;
  onControl(message: unknown): Answer<null>;
}

type Acknowledge = (answer: Answer<null>) => void;

/** Connects, and goes on trying. */
export function createConnection(parts: ConnectionParts): Connection {
  const { options, log } = parts;
  const { tempo } = options;
  const ended = createEnd();
  ended.promise.catch(() => undefined);
  const socket = io(new URL('/workers', options.server).href, {
    ...{ auth: { key: options.key }, transports: ['websocket'], forceNew: true },
    ...{ reconnectionDelay: tempo.reconnectMinMs, reconnectionDelayMax: tempo.reconnectMaxMs },
    ...{ randomizationFactor: 0.5, timeout: tempo.ackTimeoutMs },
  });
  let isOnline = false;
  let isClosed = false;
  let refusals = 0;
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
  /** For what the library does not do again by itself: a refusal, and a goodbye of the server. */
  const tryAgain = (reason: string): void => {
    if (isClosed) return;
    const delay = Math.min(tempo.reconnectMaxMs, tempo.reconnectMinMs * 2 ** Math.min(refusals++, 10));
    log.warn({ reason, delay }, 'connecting again');
    clearTimeout(timer);
    timer = setTimeout(() => void socket.connect(), delay * (0.5 + Math.random()));
  };
  const greet = async (): Promise<void> => {
    let answer: Answer<Welcome>;
    try {
      answer = (await socket
        .timeout(tempo.ackTimeoutMs)
        .emitWithAck('hello', parts.hello())) as Answer<Welcome>;
    } catch {
      return renew('no answer to hello');
    }
    if (isClosed || !socket.connected) return;
    if (!answer.ok && /protocol/.test(answer.code)) return end(otherProtocol(answer.message));
    if (!answer.ok && answer.code.startsWith('access.')) return end(refused(options.server, answer.message));
    if (!answer.ok) return renew(`hello refused: ${answer.code}: ${answer.message}`);
    if (answer.value.protocol !== workerProtocol)
      return end(otherProtocol(`the server speaks ${answer.value.protocol}`));
    [isOnline, refusals] = [true, 0];
    log.info({ server: options.server }, 'connected');
    parts.onWelcome(answer.value);
  };
  const renew = (reason: string): void => {
    if (isClosed) return;
    isOnline = false;
    socket.disconnect();
    tryAgain(reason);
  };
  socket.on('connect', () => void greet());
  socket.on('disconnect', (reason) => {
    if (isOnline) log.warn({ reason }, 'server lost; work goes on');
    isOnline = false;
    parts.onLost();
    if (reason === 'io server disconnect') tryAgain(reason);
  });
  socket.on('connect_error', (error: Error & { data?: { code?: string } }) => {
    if (socket.active) return;
    const code = error.data?.code ?? '';
    if (code.startsWith('access.') || /unauthori[sz]ed/i.test(error.message))
      return end(refused(options.server, error.message));
    tryAgain(error.message);
  });
  listenToServer(socket, parts);
  return {
    ended: ended.promise,
    isOnline: () => isOnline,
    send: async (name, message) => socket.timeout(tempo.ackTimeoutMs).emitWithAck(name, message) as never,
    renew,
    close: () => end(),
  };
}

/** What the server asks for is answered at once. */
function listenToServer(socket: Socket, { onAssign, onControl }: ConnectionParts): void {
  socket.on('assign', (message: unknown, acknowledge?: Acknowledge) => {
    void onAssign(message).then((answer) => acknowledge?.(answer));
  });
  socket.on('control', (message: unknown, acknowledge?: Acknowledge) => {
    const answer = onControl(message);
    acknowledge?.(answer);
  });
}

function createEnd(): { promise: Promise<void>; resolve(): void; reject(reason: AppError): void } {
  let resolve!: () => void;
  let reject!: (reason: AppError) => void;
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}

const refused = (server: string, message: string): AppError =>
  new AppError(
    'worker.unauthorized',
    `connect to ${server}: the server refuses the key: ${message}; set a key of the role worker (espalier key create)`,
  );

const otherProtocol = (message: string): AppError =>
  new AppError(
    'worker.protocol_mismatch',
    `connect: this worker speaks protocol ${workerProtocol}: ${message}; install the same version on both sides`,
  );
