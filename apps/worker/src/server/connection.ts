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
  /** Resolves when closed. @throws worker.unauthorized, worker.protocol_mismatch, worker.name_taken */
  readonly ended: Promise<void>;
  close(): void;
}

export interface ConnectionParts {
  readonly options: Pick<WorkerOptions, 'server' | 'key' | 'name' | 'tempo'>;
  readonly log: Log;
  hello(): HelloMessage;
  onWelcome(welcome: Welcome): void;
  onLost(): void;
  onAssign(message: unknown): Promise<Answer<null>>;
  onControl(message: unknown): Answer<null>;
}

/** Waits differ by so much from their middle, up and down, so that workers do not come all at once. */
const spread = 0.5;
/** A try to connect is not given up earlier, however short the lease. */
const shortestTryMs = 5000;

/** Gives the middle of the longest wait, so that no wait is longer than a third of the lease. */
export function longestWaitMs(leaseMs: number, { reconnectMaxMs }: WorkerOptions['tempo']): number {
  return Math.min(reconnectMaxMs, leaseMs / 3 / (1 + spread));
}

type Acknowledge = (answer: Answer<null>) => void;

/** Connects, and goes on trying. */
export function createConnection(parts: ConnectionParts): Connection {
  const { options, log } = parts;
  const { tempo } = options;
  const ended = createEnd();
  const socket = openSocket(options);
  let [isOnline, isClosed] = [false, false];
  let [refusals, longestMs] = [0, tempo.reconnectMaxMs];
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
  /** Ends for a refusal that would come again on each try. */
  const endIfFinal = (code: string, message: string): boolean => {
    const make = finalRefusals[code];
    if (make !== undefined) end(make(options, message));
    return make !== undefined;
  };
  /** For what the library does not do again by itself: a refusal, and a goodbye of the server. */
  const tryAgain = (reason: string): void => {
    if (isClosed) return;
    const delay = Math.min(longestMs, tempo.reconnectMinMs * 2 ** Math.min(refusals++, 10));
    log.warn({ reason, delay }, 'connecting again');
    clearTimeout(timer);
    timer = setTimeout(() => void socket.connect(), delay * spreadOut());
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
    if (!answer.ok && !endIfFinal(answer.code, answer.message))
      return renew(`hello refused: ${answer.code}: ${answer.message}`);
    if (!answer.ok) return;
    if (answer.value.protocol !== workerProtocol)
      return end(otherProtocol(`the server speaks ${answer.value.protocol}`));
    [isOnline, refusals] = [true, 0];
    longestMs = pace(socket, tempo, answer.value.leaseMs);
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
    if (endIfFinal(error.data?.code ?? '', error.message)) return;
    tryAgain(error.message);
  });
  listenToServer(socket, parts);
  return {
    ended: ended.promise,
    isOnline: () => isOnline,
    async send<T>(name: string, message: unknown) {
      const answer = (await socket.timeout(tempo.ackTimeoutMs).emitWithAck(name, message)) as Answer<T>;
      if (!answer.ok) endIfFinal(answer.code, answer.message);
      return answer;
    },
    renew,
    close: () => end(),
  };
}

/** Is back before the lease of what it holds has passed, also when a try meets nobody. @returns the longest wait, ms */
function pace(socket: Socket, tempo: WorkerOptions['tempo'], leaseMs: number): number {
  const longestMs = longestWaitMs(leaseMs, tempo);
  socket.io.reconnectionDelay(Math.min(tempo.reconnectMinMs, longestMs));
  socket.io.reconnectionDelayMax(longestMs);
  socket.io.timeout(Math.min(tempo.ackTimeoutMs, Math.max(shortestTryMs, leaseMs / 3)));
  return longestMs;
}

const spreadOut = (): number => 1 - spread + 2 * spread * Math.random();

function openSocket({ server, key, tempo }: ConnectionParts['options']): Socket {
  return io(new URL('/workers', server).href, {
    ...{ auth: { key }, transports: ['websocket'], forceNew: true },
    ...{ reconnectionDelay: tempo.reconnectMinMs, reconnectionDelayMax: tempo.reconnectMaxMs },
    ...{ randomizationFactor: spread, timeout: tempo.ackTimeoutMs },
  });
}

/** What the server asks for is answered at once. */
function listenToServer(socket: Socket, { onAssign, onControl, log }: ConnectionParts): void {
  const answer = async (attempt: string, work: () => Answer<null> | Promise<Answer<null>>) => {
    try {
      return await work();
    } catch (error) {
      const message = `${attempt}: ${error instanceof Error ? error.message : String(error)}; look after this worker’s machine`;
      log.error({ message }, 'could not do what the server asked for');
      return { ok: false, code: 'worker.failed', message } as const;
    }
  };
  socket.on('assign', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('take on a job', () => onAssign(message)).then(acknowledge);
  });
  socket.on('control', (message: unknown, acknowledge?: Acknowledge) => {
    void answer('steer a job', () => onControl(message)).then(acknowledge);
  });
}

function createEnd(): { promise: Promise<void>; resolve(): void; reject(reason: AppError): void } {
  let resolve!: () => void;
  let reject!: (reason: AppError) => void;
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

const otherProtocol = (message: string): AppError =>
  new AppError(
    'worker.protocol_mismatch',
    `connect: this worker speaks protocol ${workerProtocol}: ${message}; install the same version on both sides`,
  );

type Refusal = (options: ConnectionParts['options'], message: string) => AppError;

const keyRefused: Refusal = ({ server }, message) =>
  new AppError(
    'worker.unauthorized',
    `connect to ${server}: the server refuses the key: ${message}; set a key of the role worker (espalier key create)`,
  );

/** What no later try can change, by the code of the server. */
const finalRefusals: Readonly<Record<string, Refusal>> = {
  'access.unauthenticated': keyRefused,
  'access.denied': keyRefused,
  'worker.protocol_mismatch': (_options, message) => otherProtocol(message),
  'worker.name_taken': ({ name }, message) =>
    new AppError(
      'worker.name_taken',
      `stay connected as "${name}": ${message}; another worker has that name now, give one of them another`,
    ),
};
