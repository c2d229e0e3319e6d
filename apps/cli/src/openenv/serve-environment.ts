/** @file An environment over HTTP and WebSocket in the protocol of OpenEnv: `/health`, `/metadata`, `/schema`, `/ws`. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError } from '@espalier/contracts';
import { WebSocketServer, type WebSocket } from 'ws';
import type { OpenedEnvironment } from '../local/open-environment.js';
import {
  createEpisodeSession,
  describeMessages,
  type EpisodeSession,
  errorReply,
} from './episode-session.js';

export interface ServeOptions {
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  /** episodes at once */
  readonly sessions: number;
  /** a session that says nothing for so long is closed */
  readonly idleMs: number;
  /** required as `Authorization: Bearer …`; absent: nobody is asked */
  readonly key?: string | undefined;
}

export interface ServedEnvironment {
  readonly url: string;
  /** open now */
  readonly sessions: () => number;
  close(): Promise<void>;
}

const maxMessageBytes = 1024 * 1024;
/** WebSocket close code "try again later" */
const tryAgainLater = 1013;

/** Starts to serve. @throws cli.usage when the address cannot be used */
export async function serveEnvironment(
  environment: OpenedEnvironment,
  options: ServeOptions,
): Promise<ServedEnvironment> {
  const open = new Set<WebSocket>();
  const http = createServer((request, response) => answerHttp(request, response, environment, options));
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxMessageBytes });
  http.on('upgrade', (request, socket, head) => {
    const status =
      request.url?.split('?')[0] === '/ws' ? (isAllowed(request, options) ? undefined : 401) : 404;
    if (status !== undefined) {
      socket.end(
        `HTTP/1.1 ${status} ${status === 401 ? 'Unauthorized' : 'Not Found'}\r\nConnection: close\r\n\r\n`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      if (open.size >= options.sessions) {
        const counts = { active_sessions: open.size, max_sessions: options.sessions };
        const text = `all ${options.sessions} sessions are in use; try again later, or raise --sessions`;
        accepted.send(JSON.stringify(errorReply('CAPACITY_REACHED', text, counts)));
        accepted.close(tryAgainLater);
        return;
      }
      open.add(accepted);
      accepted.on('close', () => open.delete(accepted));
      serveSession(accepted, environment, options.idleMs);
    });
  });
  await listen(http, options);
  const { port } = http.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    sessions: () => open.size,
    async close() {
      for (const socket of open) socket.close(1001);
      await new Promise((resolve) => setTimeout(resolve, open.size === 0 ? 0 : 100));
      for (const socket of open) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function serveSession(socket: WebSocket, environment: OpenedEnvironment, idleMs: number): void {
  let session: EpisodeSession | undefined;
  try {
    session = createEpisodeSession(environment);
  } catch {
    socket.send(
      JSON.stringify(
        errorReply('FACTORY_ERROR', 'the environment cannot be created; its server has the details'),
      ),
    );
    socket.close(1011);
    return;
  }
  const own = session;
  const idle = setTimeout(() => {
    socket.send(
      JSON.stringify(errorReply('SESSION_ERROR', `nothing was sent for ${idleMs / 1000} s; connect again`)),
    );
    socket.close(tryAgainLater);
  }, idleMs);
  // one after the other: an answer has nothing that says which message it belongs to
  let last = Promise.resolve();
  socket.on('message', (bytes: Buffer) => {
    idle.refresh();
    last = last.then(async () => {
      const reply = await own.answer(bytes.toString('utf8'));
      if (reply === undefined) socket.close(1000);
      else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(reply));
    });
  });
  // too large a message, or broken frames: the close that follows ends the session
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearTimeout(idle);
    void last.then(() => own.close()).catch(() => undefined);
  });
}

function answerHttp(
  request: IncomingMessage,
  response: ServerResponse,
  { definition, params }: OpenedEnvironment,
  options: ServeOptions,
): void {
  const send = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const path = request.url?.split('?')[0];
  request.resume();
  if (path === '/health' && request.method === 'GET') return send(200, { status: 'healthy' });
  if (!isAllowed(request, options))
    return send(401, { detail: 'send the key of this server as Authorization: Bearer …' });
  if (path === '/schema' && request.method === 'GET') return send(200, describeMessages());
  if (path === '/metadata' && request.method === 'GET')
    return send(200, {
      name: definition.id,
      description: `${definition.summary} ${definition.instruction(params)}`,
    });
  return send(404, {
    detail: `${request.method} ${path}: episodes are played over the WebSocket /ws; there are also /health, /metadata and /schema`,
  });
}

/** Compares keys in constant time, whatever their length. */
function isAllowed({ headers }: IncomingMessage, { key }: ServeOptions): boolean {
  if (key === undefined) return true;
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(headers.authorization ?? ''), hash(`Bearer ${key}`));
}

function listen(http: Server, { host, port }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const finding = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message;
      const message = `serve on ${host}:${port}: ${finding}; choose another --port or --host`;
      reject(new AppError('cli.usage', message, { cause }));
    });
    http.listen(port, host, resolve);
  });
}
