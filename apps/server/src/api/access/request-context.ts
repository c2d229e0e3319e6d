/** @file Finds the caller of a REST request, a GraphQL operation (over HTTP or a socket) or a socket event. */
import type { ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import type { Caller } from '../../core/access/caller.js';

/** What is attached to a request, a GraphQL socket or a socket.io socket. */
export interface CallerHolder {
  caller?: Caller;
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
}

/** GraphQL context: `req` over HTTP, `extra` over graphql-ws. */
export interface GraphqlContext {
  readonly req?: CallerHolder;
  readonly extra?: CallerHolder;
}

/** Returns the object that the caller is attached to, whatever the transport. */
export function contextOf(context: ExecutionContext): CallerHolder {
  if (context.getType<string>() === 'graphql') {
    const graphql = GqlExecutionContext.create(context).getContext<GraphqlContext>();
    return graphql.req ?? graphql.extra ?? {};
  }
  if (context.getType() === 'ws') return context.switchToWs().getClient<{ data: CallerHolder }>().data;
  return context.switchToHttp().getRequest<CallerHolder>();
}

/** Reads the key of an `authorization: Bearer …` header. */
export function bearerOf(headers: CallerHolder['headers']): string | undefined {
  const header = headers?.['authorization'];
  return typeof header === 'string' ? /^Bearer (\S+)$/i.exec(header)?.[1] : undefined;
}
