/** @file The dispatch queue as jobs see it. */
import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EmbeddedDispatchQueue } from '../dispatch/embedded-dispatch-queue.js';

export type { DispatchQueue, Ticket } from '../dispatch/dispatch-queue.js';

/** Token of the dispatch queue for injection. */
export const DISPATCH_QUEUE = Symbol.for('espalier.dispatch-queue');

export const dispatchProvider: Provider = {
  provide: DISPATCH_QUEUE,
  inject: [DataSource],
  useFactory: (source: DataSource) => new EmbeddedDispatchQueue(source),
};
