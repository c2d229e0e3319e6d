/**
 * @file A session with a server in the protocol of OpenEnv: one WebSocket, one message at a time, as answers do not say which
 * message they belong to. Source: `openenv-core` 0.3.0.
 */
import { AppError } from '@espalier/plugin-kit';

export interface ConnectionOptions {
  /** http or https address of the server */
  readonly url: string;
  readonly key: string | undefined;
  readonly connectMs: number;
  readonly callMs: number;
  readonly maxMessageBytes: number;
}

/** What a server answers to `reset` and `step`. */
export interface Observed {
  readonly observation: Readonly<Record<string, unknown>>;
  readonly reward: number;
  readonly done: boolean;
}

/** The server does not take an action; the episode goes on. */
export class RefusedAction extends Error {}

export interface Connection {
  reset(data: Readonly<Record<string, unknown>>): Promise<Observed>;
  /** @throws RefusedAction */
  step(action: Readonly<Record<string, unknown>>): Promise<Observed>;
  readonly isOpen: () => boolean;
  close(): void;
}

const failed = (what: string, found: string): AppError => new AppError('plugin.failed', `${what}: ${found}`);

/** All sessions of the server are in use. */
class NoFreeSession extends Error {}

/** Pause before a server whose sessions are all in use is asked again. */
const capacityPauseMs = 250;

/**
 * Begins an episode: on `open` if it is still there, else on a new connection, which waits for a free session as long as
 * connecting may take.
 *
 * @throws plugin.failed
 */
export async function beginEpisode(
  open: Connection | undefined,
  data: Readonly<Record<string, unknown>>,
  options: ConnectionOptions,
): Promise<{ readonly connection: Connection; readonly observed: Observed }> {
  const deadline = Date.now() + options.connectMs;
  for (let connection = open; ; connection = undefined) {
    if (connection?.isOpen() !== true)
      connection = await connect(options, Math.max(1, deadline - Date.now()));
    try {
      return { connection, observed: await connection.reset(data) };
    } catch (error) {
      connection.close();
      if (!(error instanceof NoFreeSession)) throw error;
      if (Date.now() + capacityPauseMs > deadline)
        throw failed(
          `reset at ${options.url}`,
          'all sessions of the server are in use; raise its limit, or lower `episodes` of the environment',
        );
      await new Promise((resolve) => setTimeout(resolve, capacityPauseMs));
    }
  }
}

async function connect(options: ConnectionOptions, limitMs: number): Promise<Connection> {
  const { url, key, callMs, maxMessageBytes } = options;
  // every command loads this plugin, and few play it
  const { WebSocket } = await import('ws');
  const socket = new WebSocket(socketAddress(url), {
    handshakeTimeout: limitMs,
    maxPayload: maxMessageBytes,
    ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
  });
  let waiting: { resolve: (text: string) => void; reject: (error: Error) => void } | undefined;
  let gone: AppError | undefined;
  /** an error that the server sent before it was asked, such as that it has no free session */
  let early: string | undefined;
  const end = (found: string): void => {
    gone ??= failed(`play at ${url}`, found);
    waiting?.reject(gone);
    waiting = undefined;
  };
  socket.on('message', (bytes: Buffer) => {
    const text = bytes.toString('utf8');
    if (waiting !== undefined) {
      const { resolve } = waiting;
      waiting = undefined;
      resolve(text);
    } else if (parse(text)?.type === 'error') early ??= text;
    else {
      // from here on no answer is sure to be that to the last message
      end(`the server sent what nobody asked for: ${text.slice(0, 300)}`);
      socket.terminate();
    }
  });
  socket.on('error', (error) => end(`${error.message}; check that the server runs there`));
  socket.on('close', (code) => end(`the server closed the connection (code ${code})`));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', () => reject(gone ?? failed(url, 'no connection')));
    socket.once('close', () => reject(gone ?? failed(url, 'no connection')));
  });
  const call = async (type: string, data: unknown): Promise<Observed> => {
    if (early !== undefined) {
      const said = early;
      early = undefined;
      return readObserved(said, `connect to ${url}`);
    }
    if (gone !== undefined) throw gone;
    const text = await new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => {
        end(`no answer to ${type} in ${callMs} ms`);
        socket.terminate();
      }, callMs);
      const settle =
        <T>(next: (value: T) => void) =>
        (value: T): void => {
          clearTimeout(timer);
          next(value);
        };
      waiting = { resolve: settle(resolve), reject: settle(reject) };
      socket.send(JSON.stringify({ type, data }));
    });
    return readObserved(text, `${type} at ${url}`);
  };
  return {
    reset: (data) =>
      call('reset', data).catch((error: unknown) => {
        throw error instanceof RefusedAction ? failed(`reset at ${url}`, error.message) : error;
      }),
    step: (action) => call('step', action),
    isOpen: () => gone === undefined,
    close: () => {
      gone ??= failed(url, 'the connection was closed');
      if (socket.readyState === WebSocket.OPEN) socket.send('{"type":"close"}');
      socket.close();
    },
  };
}

function socketAddress(url: string): string {
  const address = new URL(url);
  address.protocol = address.protocol === 'https:' || address.protocol === 'wss:' ? 'wss:' : 'ws:';
  address.pathname = `${address.pathname.endsWith('/') ? address.pathname : `${address.pathname}/`}ws`;
  return address.href;
}

function readObserved(text: string, what: string): Observed {
  const message = parse(text);
  const data = message?.data as Readonly<Record<string, unknown>> | undefined;
  if (message?.type === 'error' && typeof data === 'object') {
    const said = typeof data['message'] === 'string' ? data['message'] : JSON.stringify(data).slice(0, 300);
    if (data['code'] === 'VALIDATION_ERROR') throw new RefusedAction(said);
    if (data['code'] === 'CAPACITY_REACHED') throw new NoFreeSession(said);
    throw failed(what, `the server answers ${String(data['code'])}: ${said}`);
  }
  const { observation, reward = null, done } = data ?? {};
  const isObservation =
    typeof observation === 'object' && observation !== null && !Array.isArray(observation);
  const isReward = reward === null || (typeof reward === 'number' && Number.isFinite(reward));
  if (message?.type !== 'observation' || !isObservation || !isReward || typeof done !== 'boolean')
    throw failed(what, `the answer is none of OpenEnv: ${text.slice(0, 300)}`);
  return { observation: observation as Observed['observation'], reward: reward ?? 0, done };
}

function parse(text: string): { readonly type?: unknown; readonly data?: unknown } | null {
  try {
    return JSON.parse(text) as { type?: unknown; data?: unknown } | null;
  } catch {
    return null;
  }
}
