/**
 * @file The HTTP server: request ids, checks of Host and Origin, headers for browsers, body limits, the access log.
 * Bodies are JSON or, for artifacts, `application/octet-stream`, which is handed on as a stream; all other types are
 * refused, so that a form of another site cannot reach anything.
 */
import { AppError } from '@espalier/contracts';
import { randomUUID } from 'node:crypto';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RequestHead } from '../access/request-admission.js';
import type { ServerOptions } from '../../config/server-options.js';
import { checkNesting } from '../graphql/limits/operation-limits.js';
import { serializeError } from '../errors/serialize-error.js';
import { type RequestScope, requestScope } from '../../logging/request-scope.js';
import { enforceBodyTimeouts } from '../http/body-timeouts.js';
import { createClientAddress } from '../../config/client-address.js';
import { compressAnswers } from '../http/compress-answers.js';
import { createHostCheck } from '../http/host-check.js';
import { addJsonParser } from './request-body.js';
import { respondRaw, toClientError } from '../http/raw-response.js';

const scopes = new WeakMap<object, RequestScope>();

/** A request that was answered, for log and metrics. */
export interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** without the query, which may hold secrets */
  readonly path: string;
  /** pattern of the route, such as /api/v1/runs/:id; for metrics */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** name of the key it came with */
  readonly caller: string | undefined;
}

/** What the server does for each request. */
export interface RequestHooks {
  /** Called for every request once it is answered. */
  answered(request: AnsweredRequest): void;
  /** Called for refusals that no filter sees. */
  refused(error: unknown): void;
  /** Refuses, by the head alone, requests above the rate limit, and bodies without a valid key. */
  admit(head: RequestHead): Promise<void>;
}

/** Creates the HTTP server. */
export function createAdapter(options: ServerOptions, hooks: RequestHooks): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: options.http.bodyKb * 1024,
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    requestIdHeader: false,
    genReqId: (request: { headers: Record<string, unknown> }) => requestIdOf(request.headers['x-request-id']),
    // refused by the router before any hook runs
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      addHeaders(request, reply);
      const { code, message, status } = serializeError(error);
      hooks.refused(error);
      void reply.status(status).send({ code, message, requestId: request.id });
    },
    // not a request that Node can parse
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ECONNRESET' && !socket.destroyed) {
        const refusal = toClientError(error);
        hooks.refused(refusal);
        respondRaw(socket, serializeError(refusal));
      }
      if (!socket.destroyed) socket.destroySoon();
    },
    // of heads; body-timeouts.ts watches bodies
    http: {
      headersTimeout: options.http.requestSeconds * 1000,
      connectionsCheckingInterval: Math.min(30_000, options.http.requestSeconds * 500),
    },
    requestTimeout: 0,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
  });
  const server = adapter.getInstance();
  enforceBodyTimeouts(server.server, options.http);
  const check = createHostCheck(options);
  const addressOf = createClientAddress(options.http.trustProxy);
  server.addHook('onRequest', (request, reply, done) => {
    const address = addressOf(request.socket.remoteAddress, request.headers);
    const scope: RequestScope = { requestId: request.id, address, audited: 0 };
    scopes.set(request, scope);
    addHeaders(request, reply);
    requestScope.run(scope, () => {
      try {
        check(request);
        if (isGraphql(request)) requirePost(request.method);
        if (isProbe(request)) return done();
        // before its body is read
        hooks.admit(toHead(request, address)).then(() => done(), done);
      } catch (error) {
        done(error as Error);
      }
    });
  });
  // Reading the body leaves the context of the request.
  server.addHook('preValidation', (request, _reply, done) => {
    const scope = scopes.get(request);
    if (scope === undefined) done();
    else requestScope.run(scope, () => checkOperation(request, options.graphql.maxTokens, done));
  });
  server.addHook('onSend', (request, reply, payload, done) => {
    const { retryAfter } = scopes.get(request) ?? {};
    if (retryAfter !== undefined) void reply.header('retry-after', retryAfter);
    done(null, payload);
  });
  compressAnswers(server);
  server.addHook('onResponse', (request, reply, done) => {
    hooks.answered({
      requestId: request.id,
      method: request.method,
      path: request.url.split('?')[0] ?? '',
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      caller: (request as Called).caller?.keyName,
    });
    done();
  });
  server.removeContentTypeParser('text/plain');
  addJsonParser(server);
  server.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
  return adapter;
}

/** Bodies are validated by zod and responses serialized as they are, so Fastify's compilers need not be loaded. */
function refuseSchema(): never {
  throw new Error('createAdapter: no route has a schema of fastify');
}

type Called = FastifyRequest & { readonly caller?: { readonly keyName: string } };

/** Accepts a client’s request id if it is safe to log. */
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

/** By the route that will answer it: an address can be written in several ways. */
const isGraphql = ({ routeOptions }: FastifyRequest): boolean => routeOptions.url === '/graphql';

/** Health probes are exempt from rate limits. */
const isProbe = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'GET' && routeOptions.url?.startsWith('/health/') === true;

function toHead(request: FastifyRequest, address: string): RequestHead {
  const { headers, method } = request;
  const isUpload =
    method === 'PUT' && headers['content-type']?.startsWith('application/octet-stream') === true;
  return { headers, address, hasBody: hasBody(request), isUpload };
}

/** A request with a body needs a key. */
function hasBody({ method, headers }: FastifyRequest): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function checkOperation(request: FastifyRequest, maxTokens: number, done: (error?: Error) => void): void {
  if (!isGraphql(request)) return done();
  const { body } = request;
  try {
    if (Array.isArray(body))
      throw new AppError(
        'server.malformed',
        `read a list of ${body.length} operations: a request has one operation; send one request for each`,
      );
    const query = (body as { query?: unknown } | null | undefined)?.query;
    if (typeof query === 'string') checkNesting(query, maxTokens);
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
