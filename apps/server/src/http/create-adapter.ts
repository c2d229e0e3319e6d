/**
 * @file The HTTP server: request ids, checks of Host and Origin, headers for browsers, body limits, the access log.
 * Bodies are JSON or, for artifacts, `application/octet-stream`, which is handed on as a stream; all other types are
 * refused, so that no form of a foreign page can reach anything.
 */
import { AppError } from '@espalier/contracts';
import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServerOptions } from '../config/server-options.js';
import { requireShallow } from '../graphql/require-shallow.js';
import { toToldError } from '../observability/told-error.js';
import { type RequestScope, requestScope } from '../observability/request-scope.js';
import { createHostCheck } from './host-check.js';

const scopes = new WeakMap<object, RequestScope>();

/** A request that was answered, for log and metrics. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** without the query, which may hold what is nobody’s business */
  readonly path: string;
  /** pattern of the route, such as /api/v1/runs/:id; for metrics */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** name of the key it came with */
  readonly caller: string | undefined;
}

/** Makes the HTTP server. @param onAnswered hears of every request once it is answered */
export function createAdapter(
  options: ServerOptions,
  onAnswered: (request: AnsweredRequest) => void,
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: options.http.bodyKb * 1024,
    trustProxy: options.http.trustProxy,
    requestIdHeader: false,
    genReqId: (request: { headers: Record<string, unknown> }) => requestIdOf(request.headers['x-request-id']),
    // what the router refuses before any hook runs
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      addHeaders(request, reply);
      const { code, message, status } = toToldError(error);
      void reply.status(status).send({ code, message, requestId: request.id });
    },
    // HTTP/1.1 clients that stall must not hold a connection for ever
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
  });
  const server = adapter.getInstance();
  const check = createHostCheck(options);
  server.addHook('onRequest', (request, reply, done) => {
    const scope: RequestScope = { requestId: request.id, address: request.ip, audited: 0 };
    scopes.set(request, scope);
    addHeaders(request, reply);
    requestScope.run(scope, () => {
      try {
        check(request);
        if (request.url.split('?')[0] === '/graphql') requirePost(request.method);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  });
  // Reading the body leaves the context of the request.
  server.addHook('preValidation', (request, _reply, done) => {
    const scope = scopes.get(request);
    if (scope === undefined) done();
    else requestScope.run(scope, () => checkOperation(request, done));
  });
  server.addHook('onResponse', (request, reply, done) => {
    onAnswered({
      ...{ requestId: request.id, method: request.method, path: request.url.split('?')[0] ?? '' },
      ...{ route: request.routeOptions.url ?? 'unknown', status: reply.statusCode },
      ...{ seconds: reply.elapsedTime / 1000, caller: (request as Called).caller?.keyName },
    });
    done();
  });
  server.removeContentTypeParser('text/plain');
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  return adapter;
}

type Called = FastifyRequest & { readonly caller?: { readonly keyName: string } };

/** Takes a client’s request id if it is harmless to log. */
function requestIdOf(given: unknown): string {
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}

function requirePost(method: string): void {
  if (method === 'POST' || method === 'OPTIONS') return;
  throw new AppError(
    'server.not_allowed',
    `${method} /graphql: operations are sent with POST; a page for people is /graphiql`,
  );
}

function checkOperation({ url, body }: FastifyRequest, done: (error?: Error) => void): void {
  if (url.split('?')[0] !== '/graphql') return done();
  try {
    if (Array.isArray(body))
      throw new AppError(
        'graphql.batch',
        `read a list of ${body.length} operations: a request has one operation; send one request for each`,
      );
    const query = (body as { query?: unknown } | null | undefined)?.query;
    if (typeof query === 'string') requireShallow(query);
    done();
  } catch (error) {
    done(error as Error);
  }
}

const page =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function addHeaders(request: FastifyRequest, reply: FastifyReply): void {
  const isPage = /^\/(docs\b|graphiql\b|\?|$)/.test(request.url);
  void reply.headers({
    'x-request-id': request.id,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'content-security-policy': isPage ? page : "default-src 'none'; frame-ancestors 'none'",
    ...(isPage ? {} : { 'cache-control': 'no-store' }),
  });
}
