/**
 * @file The server as a worker sees it, and no more: a real socket and real HTTP, what it was told kept in memory.
 * It can go away and come back on the same port with what it knew.
 */
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Answer,
  type Assignment,
  type AttemptEvent,
  type AttemptStream,
  eventsMessage,
  heartbeatMessage,
  type HelloMessage,
  helloMessage,
  type Welcome,
  workerProtocol,
} from '@espalier/protocol';
import { Server, type Socket } from 'socket.io';
import { WebSocketServer } from 'ws';
import { sha256Of } from './held-attempt.js';

export interface StoredArtifact {
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly attempt: string;
}

interface KnownAttempt {
  readonly token: number;
  isFenced: boolean;
  readonly streams: Record<AttemptStream, AttemptEvent[]>;
}

const key = 'key-of-a-worker';

/** A server for workers; `start` and `stop` may alternate. */
export class WorkerServer {
  readonly key = key;
  readonly attempts = new Map<string, KnownAttempt>();
  /** run → path → file */
  readonly artifacts = new Map<string, Map<string, StoredArtifact>>();
  readonly hellos: HelloMessage[] = [];
  readonly heartbeats: unknown[] = [];
  /** events that came a second time */
  repeated = 0;
  protocol = workerProtocol;
  heartbeatMs = 200;
  #port = 0;
  #http: HttpServer | undefined;
  #sockets: Server | undefined;
  #workers = new Map<string, Socket>();
  #tokens = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<this> {
    const http = createServer((request, response) => {
      // a request that is cut off by `stop` has nobody to answer
      this.#serve(request, response).catch(() => response.destroy());
    });
    const sockets = new Server(http, { wsEngine: WebSocketServer });
    const workers = sockets.of('/workers');
    workers.use((socket, next) => {
      const isKnown = socket.handshake.auth['key'] === key;
      next(
        isKnown
          ? undefined
          : Object.assign(new Error('unknown key'), { data: { code: 'access.unauthenticated' } }),
      );
    });
    workers.on('connection', (socket) => this.#listen(socket));
    await new Promise<void>((resolve) => http.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (http.address() as AddressInfo).port;
    this.#http = http;
    this.#sockets = sockets;
    return this;
  }

  async stop(): Promise<void> {
    this.#workers.clear();
    this.#http?.closeAllConnections();
    await this.#sockets?.close();
  }

  isConnected(name: string): boolean {
    return this.#workers.get(name)?.connected === true;
  }

  /** Gives a worker an attempt; resolves with its answer. */
  async assign(
    name: string,
    given: Partial<Assignment> & Pick<Assignment, 'attemptId' | 'spec'>,
  ): Promise<Answer<null>> {
    const hello = this.hellos.filter((one) => one.name === name).at(-1);
    this.#tokens += 1;
    const message = {
      jobId: 'job',
      runId: 'run',
      number: 1,
      kind: 'train',
      token: this.#tokens,
      devices: (hello?.devices ?? []).slice(0, 1),
      threads: 1,
      resume: null,
      fork: null,
      evaluate: null,
      ...given,
    };
    const streams = { trainer: [], log: [], worker: [] };
    this.attempts.set(given.attemptId, { token: message.token, isFenced: false, streams });
    const answer = (await this.#workers
      .get(name)
      ?.timeout(5000)
      .emitWithAck('assign', message)) as Answer<null>;
    if (!answer.ok) this.attempts.delete(given.attemptId);
    return answer;
  }

  async control(name: string, attemptId: string, action: 'pause' | 'cancel' | 'kill'): Promise<Answer<null>> {
    const message = { attemptId, token: this.attempts.get(attemptId)?.token, action };
    return (await this.#workers.get(name)?.timeout(5000).emitWithAck('control', message)) as Answer<null>;
  }

  fence(attemptId: string): void {
    const attempt = this.attempts.get(attemptId);
    if (attempt !== undefined) attempt.isFenced = true;
  }

  events(attemptId: string, stream: AttemptStream): readonly AttemptEvent[] {
    return this.attempts.get(attemptId)?.streams[stream] ?? [];
  }

  find<Kind extends AttemptEvent['kind']>(
    attemptId: string,
    kind: Kind,
  ): Extract<AttemptEvent, { kind: Kind }>[] {
    const streams = Object.values(this.attempts.get(attemptId)?.streams ?? {});
    return streams.flat().filter((event) => event.kind === kind) as never;
  }

  paths(runId: string): string[] {
    return [...(this.artifacts.get(runId)?.keys() ?? [])].sort();
  }

  #listen(socket: Socket): void {
    socket.on('hello', (message: unknown, answer: (value: Answer<Welcome>) => void) => {
      const hello = helloMessage.parse(message);
      this.hellos.push(hello);
      this.#workers.set(hello.name, socket);
      const isOwn = ({ attemptId, token }: { attemptId: string; token: number }): boolean => {
        const attempt = this.attempts.get(attemptId);
        return attempt?.token === token && !attempt.isFenced;
      };
      const resumed = hello.holding.filter(isOwn).map(({ attemptId }) => {
        const streams = Object.entries(this.attempts.get(attemptId)?.streams ?? {});
        return { attemptId, acked: Object.fromEntries(streams.map(([name, list]) => [name, list.length])) };
      });
      const fenced = hello.holding.filter((one) => !isOwn(one)).map(({ attemptId }) => attemptId);
      const times = { leaseMs: 5000, heartbeatMs: this.heartbeatMs };
      answer({
        ok: true,
        value: { workerId: hello.name, protocol: this.protocol, ...times, resumed, fenced },
      });
    });
    socket.on('heartbeat', (message: unknown, answer: (value: unknown) => void) => {
      const { attempts } = heartbeatMessage.parse(message);
      this.heartbeats.push(message);
      const fenced = attempts.filter(({ attemptId }) => this.attempts.get(attemptId)?.isFenced !== false);
      answer({ ok: true, value: { fenced: fenced.map(({ attemptId }) => attemptId) } });
    });
    socket.on('events', (message: unknown, answer: (value: unknown) => void) => {
      const { attemptId, token, stream, events } = eventsMessage.parse(message);
      const attempt = this.attempts.get(attemptId);
      if (attempt === undefined || attempt.token !== token || attempt.isFenced)
        return answer({ ok: false, code: 'worker.fenced', message: 'it is somebody else’s' });
      const list = attempt.streams[stream];
      for (const { sequence, event } of events) {
        if (sequence === list.length + 1) list.push(event);
        else if (sequence <= list.length) this.repeated += 1;
        else return answer({ ok: false, code: 'event.gap', message: `${sequence} after ${list.length}` });
      }
      answer({ ok: true, value: { acked: list.length } });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const match = /^\/api\/v1\/runs\/([^/]+)\/artifacts\/?(.*)$/.exec(url.pathname);
    const [runId = '', path = ''] = (match?.slice(1) ?? []).map(decodeURIComponent);
    const files = this.artifacts.get(runId) ?? new Map<string, StoredArtifact>();
    const reply = (status: number, body: unknown): void =>
      void response.writeHead(status).end(JSON.stringify(body));
    if (match === null) return reply(404, {});
    if (request.headers.authorization !== `Bearer ${key}`)
      return reply(401, { code: 'access.unauthenticated' });
    if (request.method === 'PUT') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const bytes = Buffer.concat(chunks);
      const attempt = String(request.headers['x-espalier-attempt']);
      const known = this.attempts.get(attempt);
      if (known?.isFenced !== false || String(known.token) !== request.headers['x-espalier-token'])
        return reply(409, { code: 'worker.fenced' });
      const sha256 = sha256Of(bytes);
      if (sha256 !== request.headers['x-espalier-sha256'])
        return reply(422, { code: 'artifact.hash_mismatch' });
      this.artifacts.set(runId, files.set(path, { bytes, sha256, attempt }));
      return reply(201, {});
    }
    if (path === '') {
      const prefix = url.searchParams.get('path') ?? '';
      const listed = [...files].filter(([name]) => name.startsWith(prefix));
      const items = listed.map(([name, { bytes, sha256 }]) => ({ path: name, bytes: bytes.length, sha256 }));
      return reply(200, { items, pageInfo: { hasNextPage: false, endCursor: null } });
    }
    const file = files.get(path);
    if (file === undefined) return reply(404, { code: 'artifact.not_found' });
    response.writeHead(200).end(file.bytes);
  }
}
