/**
 * @file The one way errors leave the server, over REST, GraphQL and sockets: `{ code, message, requestId }`. GraphQL
 * wraps the same in `extensions`, sockets in `{ ok: false, … }`.
 */
import { isAppError } from '@espalier/contracts';
import { type ArgumentsHost, Catch, type ExceptionFilter, Injectable } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { ErrorReport } from './error-report.js';
import { currentRequestId } from '../../logging/request-scope.js';
import type { ToldError } from './told-error.js';

/** What a filter needs of a reply of Fastify. */
interface Reply {
  readonly sent: boolean;
  status(code: number): Reply;
  type(type: string): Reply;
  send(body: unknown): unknown;
}

/** What is read of a request of Fastify. */
interface Request {
  readonly routeOptions?: { readonly url?: string; readonly bodyLimit?: number };
}

/** Answers what was thrown anywhere behind a route, a resolver or a message handler of a socket. */
@Catch()
@Injectable()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly report: ErrorReport) {}

  catch(thrown: unknown, host: ArgumentsHost): unknown {
    if (host.getType<string>() === 'graphql') return thrown;
    const told = this.report.tell(thrown);
    if (host.getType() === 'ws') return answerSocket(host, toSocketAnswer(told));
    const reply = host.switchToHttp().getResponse<Reply>();
    if (reply.sent) return undefined;
    const requestId = currentRequestId() || host.switchToHttp().getRequest<{ id?: string }>().id || '';
    const { routeOptions } = host.switchToHttp().getRequest<Request>();
    const message =
      told.status === 413 && !isAppError(thrown) ? sayLimit(routeOptions?.bodyLimit) : told.message;
    const { code, retryAfter } = told;
    const body = { code, message, requestId, ...(retryAfter !== undefined && { retryAfter }) };
    const isGraphql = routeOptions?.url === '/graphql';
    reply
      .status(told.status)
      .type('application/json; charset=utf-8')
      .send(isGraphql ? { errors: [inGraphql(body)] } : body);
    return undefined;
  }
}

/** Of a body that Fastify did not read to its end. */
function sayLimit(limit: number | undefined): string {
  const most = limit === undefined ? 'this server takes' : `${limit / 1024} KiB`;
  return `read the request: the body is larger than ${most}; send less, or raise the setting http.bodyKb of the server`;
}

function inGraphql({
  message,
  ...extensions
}: Readonly<Record<string, unknown>> & { message: string }): object {
  return new GraphQLError(message, { extensions }).toJSON();
}

/** A refusal as sockets give it. */
export function toSocketAnswer({ code, message, retryAfter }: ToldError) {
  return { ok: false as const, code, message, ...(retryAfter !== undefined && { retryAfter }) };
}

/** Answers by the acknowledgement if the client asked for one, else by the event `refused`. */
function answerSocket(host: ArgumentsHost, answer: object): void {
  const acknowledge = host.getArgs<unknown[]>().find((argument) => typeof argument === 'function');
  if (acknowledge !== undefined) (acknowledge as (answer: object) => void)(answer);
  else host.switchToWs().getClient<{ emit(event: string, answer: object): void }>().emit('refused', answer);
}
