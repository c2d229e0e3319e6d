/** @file The dispatch queue as jobs see it. */
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../config/server-options.js';
import { createDispatchQueue } from '../dispatch/create-dispatch-queue.js';

export type { DispatchQueue, Ticket } from '../dispatch/dispatch-queue.js';

/** Token of the dispatch queue for injection. */
export const DISPATCH_QUEUE = Symbol.for('espalier.dispatch-queue');

export const dispatchProvider: Provider = {
  provide: DISPATCH_QUEUE,
  inject: [SERVER_OPTIONS, DataSource],
  useFactory: ({ dispatch }: ServerOptions, source: DataSource) => createDispatchQueue(dispatch, source),
};
