/**
 * @file A server of the Tinker API over engines of this process: HTTP, keys, sizes, and errors as statuses. Results come from
 * `retrieve_future`, which waits for up to 30 s and then answers 408, as the API says.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AppError, isAppError } from '@espalier/contracts';
import { passResultToJson, sampleToJson } from '../wire/answers.js';
import { decodePass, encodePassResult, encodeSample, protobufType } from '../wire/protobuf.js';
import { turnOfPass } from '../wire/turn.js';
import { FutureTable, type Result } from './future-table.js';
import { ModelHost } from './model-host.js';
import { futureOnly } from './requests.js';
import { enqueuePass, postRoutes, readBody, type RouteContext } from './routes.js';
import type { ServedBase } from './served-model.js';

export interface EngineServerOptions {
  readonly models: readonly ServedBase[];
  /** where weights are saved */
  readonly folder: string;
  /** default 127.0.0.1 */
  readonly host?: string;
  /** default 0: any free one */
  readonly port?: number;
  /** what `X-API-Key` must be; undefined: anybody may ask */
  readonly apiKey?: string | undefined;
  /** default 4 */
  readonly maxModels?: number;
  /** a session without a heartbeat ends after so long; default 300 s */
  readonly sessionMs?: number;
  /** default 256 MiB */
  readonly maxBodyBytes?: number;
  /** how long a poll waits for a result; default 30 s */
  readonly pollMs?: number;
  /** how long a request waits for the one numbered before it; default 60 s */
  readonly orderMs?: number;
}

export interface EngineServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts a server; the caller closes it. @throws engine.address_in_use */
export async function createEngineServer(options: EngineServerOptions): Promise<EngineServer> {
  const { maxModels = 4, sessionMs = 300_000, orderMs = 60_000, models, folder } = options;
  const host = new ModelHost({ models, folder, maxModels, sessionMs, orderMs });
  const context: RouteContext = { host, futures: new FutureTable(), bases: models, boot: randomUUID() };
  const server = createServer((request, response) => {
    void answer(request, response, context, options).catch((error: unknown) => refuse(response, error));
  });
  const address = options.host ?? '127.0.0.1';
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port ?? 0, address, resolve);
    });
  } catch (cause) {
    await host.dispose();
    const { code, message } = cause as NodeJS.ErrnoException;
    const finding = code === 'EADDRINUSE' ? 'another program listens there' : message;
    throw new AppError(
      'engine.address_in_use',
      `serve engine at ${address}:${options.port ?? 0}: ${finding}; choose another --port or --host`,
      { cause },
    );
  }
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await host.dispose();
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  context: RouteContext,
  options: EngineServerOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost');
  const path = pathname.replace(/^\/api\/v1\//, '');
  if (path === 'healthz') return send(response, 200, { status: 'ok' });
  if (!isAllowed(request, options.apiKey))
    return send(response, 401, { detail: 'X-API-Key is missing or wrong' });
  if (request.method === 'GET') return answerGet(path, response, context);
  const bytes = await readBytes(request, options.maxBodyBytes ?? 2 ** 28);
  const type = request.headers['content-type'] ?? '';
  if (path === 'forward_backward' && type.includes(protobufType))
    return send(response, 200, enqueuePass(context, readProtobuf(context, bytes)));
  const body = parseJson(bytes);
  if (path === 'retrieve_future') return retrieve(request, response, context, body, options.pollMs ?? 30_000);
  const route = Object.hasOwn(postRoutes, path) ? postRoutes[path] : undefined;
  if (route === undefined) return send(response, 404, { detail: `no route ${path}` });
  send(response, 200, await route(context, body));
}

function answerGet(path: string, response: ServerResponse, { host, bases, boot }: RouteContext): void {
  if (path === 'get_server_capabilities')
    return send(response, 200, {
      supported_models: bases.map(({ name, contextLength }) => ({
        model_name: name,
        max_context_length: contextLength,
        trainable: true,
        sampleable: true,
      })),
      espalier: { boot, version: 1 },
    });
  const [, id] = /^samplers\/([\w-]+)$/.exec(path) ?? [];
  if (id === undefined) return send(response, 404, { detail: `no route ${path}` });
  const sampler = host.sampler(id);
  const model_path = 'path' in sampler ? (sampler.path ?? null) : null;
  return send(response, 200, { sampler_id: id, base_model: sampler.base.name, model_path });
}

function isAllowed({ headers }: IncomingMessage, key: string | undefined): boolean {
  if (key === undefined) return true;
  const given = Buffer.from(String(headers['x-api-key'] ?? ''));
  const expected = Buffer.from(key);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most)
      throw new AppError('engine.invalid_request', `read request: more than ${most} bytes`, {
        details: { status: 413 },
      });
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function readProtobuf({ host }: RouteContext, bytes: Buffer) {
  try {
    return decodePass(bytes);
  } catch (cause) {
    host.skip(turnOfPass(bytes));
    if (isAppError(cause) && cause.code === 'engine.bad_answer')
      throw new AppError('engine.invalid_request', cause.message, { cause, details: { status: 422 } });
    throw cause;
  }
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError('engine.invalid_request', 'read request: the body is not JSON', {
      cause,
      details: { status: 422 },
    });
  }
}

async function retrieve(
  request: IncomingMessage,
  response: ServerResponse,
  { futures }: RouteContext,
  body: unknown,
  pollMs: number,
): Promise<void> {
  const { request_id } = readBody(futureOnly, body);
  const result = await futures.wait(request_id, pollMs);
  if (result === undefined)
    return send(response, 408, {
      type: 'try_again',
      request_id,
      queue_state: 'active',
      detail: 'no result yet',
    });
  const isBinary = (request.headers.accept ?? '').includes(protobufType);
  if (isBinary && (result.kind === 'pass' || result.kind === 'sample')) {
    const bytes = result.kind === 'pass' ? encodePassResult(result.value) : encodeSample(result.value);
    response.writeHead(200, { 'content-type': protobufType }).end(bytes);
    return;
  }
  send(response, 200, toJson(result));
}

function toJson(result: Result): unknown {
  if (result.kind === 'pass') return passResultToJson(result.value);
  if (result.kind === 'sample') return sampleToJson(result.value);
  if (result.kind === 'json') return result.value;
  return {
    error: result.error.message,
    category: isFaultOfServer(result.error) ? 'server' : 'user',
    code: result.error.code,
  };
}

const isFaultOfServer = ({ code }: AppError): boolean =>
  code === 'engine.refused' || code === 'engine.capacity' || code.startsWith('runtime.');

function statusOf({ code, details }: AppError): number {
  if (typeof details['status'] === 'number') return details['status'];
  if (code === 'engine.lost' || code === 'engine.unknown_model') return 404;
  if (code === 'engine.capacity') return 503;
  return isFaultOfServer({ code } as AppError) ? 500 : 400;
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.end();
  if (isAppError(error)) return send(response, statusOf(error), { detail: error.message, code: error.code });
  send(response, 500, { detail: 'the server failed' });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
