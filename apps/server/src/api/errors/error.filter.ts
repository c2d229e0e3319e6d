/**
 * @file The one way errors leave the server, over REST, GraphQL and sockets: `{ code, message, requestId }`. GraphQL
 * wraps the same in `extensions`, sockets in `{ ok: false, … }`.
 */
import { isAppError } from '@espalier/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { ErrorReport } from './error-report.js';
import { currentRequestId } from '../../logging/request-scope.js';
import type { SerializedError } from './serialize-error.js';

/** The part of a Fastify reply that the filter uses. */
interface Reply {
  readonly sent: boolean;
  status(code: number): Reply;
  type(type: string): Reply;
  send(body: unknown): unknown;
}

/** The part of a Fastify request that the filter uses. */
interface Request {
  readonly routeOptions?: { readonly url?: string; readonly bodyLimit?: number };
}

/** Answers errors thrown by routes, resolvers and socket message handlers. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly report: ErrorReport) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    if (host.getType<string>() === 'graphql') return thrown;
    const error = this.report.serialize(thrown);
    if (host.getType() === 'ws') return replyToSocket(host, toSocketError(error));
    const reply = host.switchToHttp().getResponse<Reply>();
    if (reply.sent) return undefined;
    const requestId = currentRequestId() || host.switchToHttp().getRequest<{ id?: string }>().id || '';
    const { routeOptions } = host.switchToHttp().getRequest<Request>();
    const message =
      error.status === 413 && !isAppError(thrown) ? describeLimit(routeOptions?.bodyLimit) : error.message;
    const { code, retryAfter } = error;
    const body = { code, message, requestId, ...(retryAfter !== undefined && { retryAfter }) };
    const isGraphql = routeOptions?.url === '/graphql';
    reply
      .status(error.status)
      .type('application/json; charset=utf-8')
      .send(isGraphql ? { errors: [inGraphql(body)] } : body);
    return undefined;
  }
}

/** Of bodies that Fastify did not read completely. */
function describeLimit(limit: number | undefined): string {
  const most = limit === undefined ? 'this server takes' : `${limit / 1024} KiB`;
  return `read the request: the body is larger than ${most}; send less, or raise the setting http.bodyKb of the server`;
}

function inGraphql({
  message,
  ...extensions
}: Readonly<Record<string, unknown>> & { message: string }): object {
  return new GraphQLError(message, { extensions }).toJSON();
}

/** A refusal on a socket. */
export function toSocketError({ code, message, retryAfter }: SerializedError) {
  return { ok: false as const, code, message, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Answers by the acknowledgement if the client requested one, else by the event `refused`. */
function replyToSocket(host: ArgumentsHost, answer: object): void {
  const acknowledge = host.getArgs<unknown[]>().find((argument) => typeof argument === 'function');
  if (acknowledge !== undefined) (acknowledge as (answer: object) => void)(answer);
  else host.switchToWs().getClient<{ emit(event: string, answer: object): void }>().emit('refused', answer);
}
