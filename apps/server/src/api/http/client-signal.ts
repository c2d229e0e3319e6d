/** @file Aborts long work when its client disconnects. */
import type { EventEmitter } from 'node:events';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { contextOf } from '../access/request-context.js';

const signals = new WeakMap<EventEmitter, AbortSignal>();

/** Returns the signal of a connection, aborted when it closes; later requests may share the connection. */
function signalOf(socket: EventEmitter): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  socket.once('close', () => controller.abort());
  signals.set(socket, controller.signal);
  return controller.signal;
}

/** The signal of the client, over REST, GraphQL or a GraphQL socket. */
export const ClientSignal = createParamDecorator(
  (_: unknown, context: ExecutionContext): AbortSignal | undefined => {
    const { socket } = contextOf(context) as { readonly socket?: EventEmitter };
    return socket === undefined ? undefined : signalOf(socket);
  },
);
