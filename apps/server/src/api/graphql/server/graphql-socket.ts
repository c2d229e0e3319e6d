/**
 * @file GraphQL over a socket (the protocol graphql-transport-ws, at /graphql). A socket belongs to the key of its
 * `connectionParams: { key }`; it is closed with 4401 without a valid one or when that is revoked, with 4429 when the key
 * has too many, with 1012 when the server stops. Operations pass the same limits as over HTTP; several may run at once.
 */
import { AppError } from '@espalier/contracts';
import { includesRole } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { type ExecutionArgs, getOperationAST, GraphQLError, parse, validate } from 'graphql';
import { type Context, handleProtocols } from 'graphql-ws';
import { type Extra, useServer } from 'graphql-ws/use/ws';
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import type { Caller } from '../../../core/access/caller.js';
import { RateLimits } from '../../../core/access/rate-limits.js';
import { checkDepth } from '../../../core/input/parse-input.js';
import { SocketAccess } from '../../access/socket-access.js';
import { ErrorReport } from '../../errors/error-report.js';
import { createHostCheck } from '../../http/host-check.js';
import { respondRaw } from '../../http/raw-response.js';
import { GraphqlHandler } from './graphql-handler.js';
import { checkNesting } from '../limits/operation-limits.js';

/** Data of a socket. The guard reads `headers` and `caller`. */
interface SocketExtra extends Extra, Record<PropertyKey, unknown> {
  caller?: Caller;
  headers?: Record<string, string>;
  release?: () => void;
  running?: Set<string>;
}
interface ConnectionParams extends Record<string, unknown> {
  readonly key?: unknown;
  readonly ticket?: unknown;
}
type SocketContext = Context<ConnectionParams, SocketExtra>;

const maxMessageBytes = 1024 * 1024;
/** when to try again what was one too many, as operations end at any time */
const retrySeconds = 5;

@Injectable()
export class GraphqlSocket {
  private sockets: WebSocketServer | undefined;
  /** running ones, by key */
  private readonly operations = new Map<string, number>();

  constructor(
    private readonly handler: GraphqlHandler,
    private readonly access: SocketAccess,
    private readonly limits: RateLimits,
    private readonly report: ErrorReport,
    private readonly host: GraphQLSchemaHost,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Accepts the sockets of a server that has started. */
  attach(server: Server): void {
    const sockets = new WebSocketServer({
      noServer: true,
      maxPayload: maxMessageBytes,
      handleProtocols,
      // serve other connections between two messages of one network packet
      allowSynchronousEvents: false,
    });
    this.sockets = sockets;
    sockets.on('connection', applyBackpressure);
    useServer<ConnectionParams, SocketExtra>(
      {
        schema: this.host.schema,
        connectionInitWaitTimeout: 5000,
        onConnect: (context) => this.connect(context as SocketContext),
        onSubscribe: (context, id, payload) => this.prepare(context as SocketContext, id, payload),
        onError: (_context, _id, _payload, errors) => errors.map((error) => this.handler.format(error)),
        onNext: (_context, _id, _payload, _args, result) =>
          result.errors === undefined
            ? undefined
            : ({ ...result, errors: result.errors.map((error) => this.handler.format(error)) } as never),
        onComplete: (context, id) => this.finish((context as SocketContext).extra, id),
        onClose: (context) => this.leave((context as SocketContext).extra),
      },
      sockets,
      this.options.stream.pingSeconds * 1000,
    );
    const check = createHostCheck(this.options);
    server.prependListener('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const path = request.url?.split('?')[0];
      if (path?.startsWith('/socket.io/') === true) return;
      const admit = async (): Promise<void> => {
        check(request, true);
        if (path !== '/graphql')
          throw new AppError(
            'server.not_found',
            'open a socket: there is none at this address; use /graphql or /socket.io/',
          );
        await this.access.admitHandshake(request);
      };
      const take = (): void =>
        sockets.handleUpgrade(request, socket, head, (open) => {
          this.access.watch(request);
          sockets.emit('connection', open, request);
        });
      admit().then(take, (error: unknown) => respondRaw(socket, this.report.serialize(error)));
    });
  }

  /** Closes all sockets with a reason. */
  async close(): Promise<void> {
    for (const socket of this.sockets?.clients ?? []) socket.close(1001, 'the server is about to stop');
    await new Promise<void>((resolve) => (this.sockets ? this.sockets.close(() => resolve()) : resolve()));
  }

  /** Number of running operations. */
  get running(): number {
    return [...this.operations.values()].reduce((sum, count) => sum + count, 0);
  }

  private async connect({ connectionParams, extra }: SocketContext): Promise<boolean> {
    const { socket } = extra;
    try {
      const { socket: connection, headers } = extra.request;
      const { key, ticket } = connectionParams ?? {};
      const credentials = { key, ticket, purpose: 'graphql' } as const;
      const caller = await this.access.recognise(credentials, connection.remoteAddress, headers);
      if (!includesRole(caller.role, 'viewer'))
        throw new AppError(
          'access.denied',
          `open a GraphQL socket: the key "${caller.keyName}" is a worker key`,
        );
      extra.release = this.access.register(caller, {
        isOpen: () => socket.readyState === socket.OPEN,
        close: ({ code, message }) => closeSocket(socket, closeCodes[code] ?? 4401, message),
      });
      Object.assign(extra, { caller, headers: {}, running: new Set() });
      this.access.settle(extra.request);
      return true;
    } catch (error) {
      const { message, extensions } = this.handler.format(error);
      closeSocket(socket, closeCodes[String(extensions?.['code'])] ?? 4403, message);
      return false;
    }
  }

  /** Checks an operation before it runs, and counts it. */
  private async prepare(
    context: SocketContext,
    id: string,
    payload: {
      query: string;
      operationName?: string | null | undefined;
      variables?: Record<string, unknown> | null | undefined;
    },
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { schema } = this.host;
    try {
      await this.limits.count('requests', context.extra.caller?.keyId ?? '');
      checkNesting(payload.query, this.handler.maxTokens);
      checkDepth(payload.variables);
      const document = parse(payload.query, { maxTokens: this.handler.maxTokens });
      const problems = validate(schema, document, undefined, { maxErrors: 20 });
      if (problems.length > 0) return problems;
      const operation = getOperationAST(document, payload.operationName);
      if (!operation) return [new GraphQLError('read the operation: none of that name is in the document')];
      this.handler.check(schema, document, payload);
      this.begin(context.extra, id);
      return {
        schema,
        document,
        contextValue: { extra: context.extra },
        operationName: payload.operationName,
        variableValues: payload.variables,
      };
    } catch (error) {
      return [
        error instanceof GraphQLError
          ? error
          : new GraphQLError((error as Error).message, { originalError: error as Error }),
      ];
    }
  }

  /** @throws access.limit_exceeded */
  private begin({ caller, running }: SocketExtra, id: string): void {
    const { operationsPerKey } = this.options.limits;
    if (caller === undefined || running === undefined) return;
    const count = this.operations.get(caller.keyId) ?? 0;
    if (count >= operationsPerKey)
      throw new AppError(
        'access.limit_exceeded',
        `start an operation: ${count} run on sockets of the key "${caller.keyName}"; complete some, or raise limits.operationsPerKey`,
        { details: { retryAfter: retrySeconds } },
      );
    running.add(id);
    this.operations.set(caller.keyId, count + 1);
  }

  private finish({ caller, running }: SocketExtra, id: string): void {
    if (caller === undefined || running?.delete(id) !== true) return;
    const left = (this.operations.get(caller.keyId) ?? 1) - 1;
    if (left > 0) this.operations.set(caller.keyId, left);
    else this.operations.delete(caller.keyId);
  }

  private leave(extra: SocketExtra): void {
    for (const id of [...(extra.running ?? [])]) this.finish(extra, id);
    extra.release?.();
  }
}

const closeCodes: Readonly<Record<string, number>> = {
  'access.unauthenticated': 4401,
  'access.denied': 4403,
  // restart, and try again later: clients connect again
  'server.shutting_down': 1012,
  'server.internal': 1013,
  'server.database_unavailable': 1013,
  'access.throttled': 4429,
  'access.limit_exceeded': 4429,
};

/** A close reason has at most 123 bytes. */
function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.close(
    code,
    Buffer.from(reason)
      .subarray(0, 120)
      .toString('utf8')
      .replace(/(?<!\uFFFD)\uFFFD+$/, ''),
  );
}

/** Buffered bytes above which reading stops. */
const mostWaiting = 1024 * 1024;
const lookMs = 50;

/**
 * Stops reading from a socket while much is buffered for it: a client that sends requests, or only pings, and reads no
 * answers would otherwise fill the server's memory.
 */
function applyBackpressure(socket: WebSocket): void {
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    timer = undefined;
    if (socket.readyState === socket.CLOSED || socket.bufferedAmount <= mostWaiting) return socket.resume();
    if (!socket.isPaused) socket.pause();
    timer = setTimeout(look, lookMs).unref();
  };
  const arrived = (): void => {
    if (timer === undefined && socket.bufferedAmount > mostWaiting) look();
  };
  socket.on('message', arrived).on('ping', arrived);
  socket.once('close', () => clearTimeout(timer));
}
