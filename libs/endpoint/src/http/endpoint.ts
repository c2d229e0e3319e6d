/** @file The endpoint: a policy behind HTTP in the dialects of agents, and the sessions that its calls belong to. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, hasCode } from '@espalier/contracts';
import { chat } from '../dialects/chat.js';
import { completions } from '../dialects/completions.js';
import { type Dialect, openAiError } from '../dialects/dialect.js';
import { messages } from '../dialects/messages.js';
import { createResponses } from '../dialects/responses.js';
import type { AnsweringPolicy } from '../sample-replies.js';
import { Session, type SessionTerms } from '../sessions/session.js';
import { SessionStore } from '../sessions/session-store.js';
import { answerCall } from './answer-call.js';
import { admitCaller, describeFailure, readJson, sendJson } from './exchange.js';
import { answerSessions, type SessionRequest } from './session-routes.js';

export interface EndpointOptions {
  readonly answering: AnsweringPolicy;
  /** name of the model in answers; requests may name any */
  readonly model: string;
  readonly host: string;
  /** 0: any free one */
  readonly port: number;
  /** what clients must send; may be left out on a loopback address */
  readonly apiKey?: string | undefined;
  readonly maxSessions: number;
  readonly idleTimeoutMs: number;
  /** the terms of a session that a client opens; throws where none may be opened */
  readonly admit: (request: SessionRequest) => SessionTerms;
  /** who calls with the name of a session that is not there opens it */
  readonly opensByCall: boolean;
  /** calls without a session are refused */
  readonly needsSession: boolean;
  /** called with each session that a client has opened */
  readonly onOpen?: (session: Session) => void;
  /** called when a session has ended */
  readonly onEnd?: (session: Session) => void;
  /** writes a trajectory as it is stored; without it none can be read back */
  readonly encode?: (session: Session) => Promise<string>;
}

export interface Endpoint {
  /** without a path */
  readonly url: string;
  readonly sessions: SessionStore;
  /** How long nobody has called, ms; 0 while a call is answered. */
  idleMs(): number;
  close(): Promise<void>;
}

const loopback = new Set(['127.0.0.1', '::1', 'localhost']);

/** Starts the endpoint. @throws endpoint.unusable_address, endpoint.unauthorized without a key beyond loopback */
export async function openEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { host, port, apiKey } = options;
  if (apiKey === undefined && !loopback.has(host))
    throw new AppError(
      'endpoint.unauthorized',
      `listen on ${host}: others could call the model without a key; give an API key (model serve: --api-key or ESPALIER_ENDPOINT_KEY; a run: environment.keyVariable), or listen on 127.0.0.1`,
    );
  const { policy, tokenizer } = options.answering;
  const release = (names: readonly string[]): void => policy.release(names);
  const sessions = new SessionStore({
    ...options,
    create: (id, terms) => new Session(id, terms, { tokenizer, release }),
    onEnd: (session) => options.onEnd?.(session),
  });
  const routes = createRoutes(options, sessions);
  const use = watchUse();
  const server = createServer((request, response) => {
    use.begin(response);
    void routes(request, response);
  });
  // a reply may take as long as it takes; who waits for one is not idle
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  try {
    await listen(server, host, port);
  } catch (error) {
    sessions.dispose();
    throw error;
  }
  const { port: own } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${own}`,
    sessions,
    idleMs: use.idleMs,
    async close() {
      sessions.dispose();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Knows when the last call ended. */
function watchUse() {
  let open = 0;
  let since = Date.now();
  return {
    begin(response: ServerResponse): void {
      open += 1;
      response.once('close', () => {
        open -= 1;
        since = Date.now();
      });
    },
    idleMs: (): number => (open > 0 ? 0 : Date.now() - since),
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const finding = cause.code === 'EADDRINUSE' ? 'another program listens there' : cause.message;
      const message = `listen on ${host}:${port}: ${finding}; choose another host or port, 0 for any free one`;
      reject(new AppError('endpoint.unusable_address', message, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

function createRoutes(options: EndpointOptions, sessions: SessionStore): Handler {
  const dialects = new Map([chat, completions, messages, createResponses()].map((one) => [one.path, one]));
  return async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const path = url.split('?')[0]?.split('/').filter(Boolean).map(decode) ?? [];
    const at = path.indexOf('v1');
    const dialect = at < 0 ? undefined : dialects.get(path.slice(at + 1).join('/'));
    try {
      const named = admitCaller(request, options.apiKey);
      const base = `http://${request.headers.host ?? ''}`;
      if (at >= 0 && isPrefix(path.slice(0, at))) {
        if (dialect === undefined || method !== 'POST')
          return void (await sendJson(
            response,
            200,
            answerModels(options.model, method, path.slice(at + 1)),
          ));
        const id = (at === 0 ? undefined : path[1]) ?? headerOf(request) ?? named;
        const session = sessionOf(options, sessions, id);
        return await answerCall(request, response, { ...options, dialect, session });
      }
      if (path[0] === 'health' && path.length === 1)
        return void (await sendJson(response, 200, { status: 'ok' }));
      if (path[0] !== 'sessions') throw notFound(method, path);
      const body = method === 'POST' ? await readJson(request) : undefined;
      const open = (asked: SessionRequest): Session => openSession(options, sessions, asked);
      const parts = { sessions, open, encode: options.encode };
      const answer = await answerSessions(parts, { method, path: path.slice(1), body, base });
      await sendJson(response, answer.status, answer.body);
    } catch (thrown) {
      await refuse(response, dialect, thrown);
    }
  };
}

/** In front of /v1 there may be a session, and nothing else. */
const isPrefix = (path: readonly string[]): boolean =>
  path.length === 0 || (path.length === 2 && path[0] === 'sessions');

const headerOf = ({ headers }: IncomingMessage): string | undefined => {
  const id = headers['x-session-id'];
  return typeof id === 'string' && id !== '' ? id : undefined;
};

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function openSession(options: EndpointOptions, sessions: SessionStore, asked: SessionRequest): Session {
  const known = asked.id === undefined ? undefined : sessions.find(asked.id);
  const session = known?.state === 'open' ? known : sessions.open(options.admit(asked), asked.id);
  if (session !== known) options.onOpen?.(session);
  return session;
}

/** @throws session.not_found, session.required, and what opening one throws */
function sessionOf(
  options: EndpointOptions,
  sessions: SessionStore,
  id: string | undefined,
): Session | undefined {
  if (id !== undefined) {
    const known = sessions.find(id);
    if (known !== undefined || !options.opensByCall) return known ?? sessions.get(id);
    return openSession(options, sessions, { id });
  }
  if (!options.needsSession) return undefined;
  throw new AppError(
    'session.required',
    'call: a run answers calls of its sessions only; open one with POST /sessions and call below its base_url, or send its name in the header x-session-id or behind the key (KEY/SESSION)',
  );
}

function answerModels(model: string, method: string, path: readonly string[]): unknown {
  const described = {
    id: model,
    object: 'model',
    created: 0,
    owned_by: 'espalier',
    type: 'model',
    display_name: model,
  };
  if (method === 'GET' && path.join('/') === 'models')
    return { object: 'list', data: [described], has_more: false, first_id: model, last_id: model };
  if (method === 'GET' && path[0] === 'models' && path.slice(1).join('/') === model) return described;
  throw notFound(method, ['v1', ...path]);
}

const notFound = (method: string, path: readonly string[]): AppError =>
  new AppError(
    'endpoint.not_found',
    `${method} /${path.join('/')}: there is no such route; there are POST /v1/chat/completions, /v1/completions, /v1/messages, /v1/responses, GET /v1/models, and /sessions`,
  );

async function refuse(
  response: ServerResponse,
  dialect: Dialect | undefined,
  thrown: unknown,
): Promise<void> {
  // the client has gone
  if (hasCode(thrown, 'engine.cancelled') && response.destroyed) return;
  const { error, status } = describeFailure(thrown);
  const body = dialect?.error(error, status) ?? openAiError(error, status);
  if (response.headersSent) response.destroy();
  else await sendJson(response, status, body, { 'x-error-code': error.code });
}
