/**
 * @file BullMQ queues by name, on Redis or on PostgreSQL. Only connecting is here; the two differ in nothing else.
 * Redis must keep what it acknowledges (`appendonly yes`, no eviction); PostgreSQL gets BullMQ's tables in a schema of
 * their own, made and brought up to date when a queue is opened.
 */
import { AppError } from '@espalier/contracts';
import { createPostgresBackend, type IQueueBackend, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { TicketBody } from './bullmq-ticket.js';

/** A BullMQ queue as far as dispatching needs it. */
export type LaneQueue = Queue<TicketBody>;

/** A place with BullMQ queues. */
export interface BullMqConnection {
  /** Connects; rejects when nobody answers. */
  start(): Promise<void>;
  /** Opens a queue; the caller closes it. */
  open(name: string): LaneQueue;
  /** Disconnects, after all queues are closed. */
  close(): Promise<void>;
}

/** BullMQ's own lock must never end: holds are timed by the token (see `bullmq-ticket.ts`). Ten years, ms. */
export const lockMs = 10 * 365 * 24 * 3600 * 1000;

const redisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 5000,
  retryStrategy: (times: number) => Math.min(100 * times, 2000),
};

const queueOptions = { lockDuration: lockMs, streams: { events: { maxLen: 100 } } };

/** Queues on Redis, over one connection that refuses commands while it is down. */
export function connectRedis(url: string): BullMqConnection {
  let client: Redis | undefined;
  const close = () => {
    client?.disconnect();
    client = undefined;
    return Promise.resolve();
  };
  return {
    start: async () => {
      await close();
      const made = new Redis(url, redisOptions);
      client = made;
      // Failures are told by the calls that meet them. Every open lane listens to the one connection.
      made.on('error', () => undefined).setMaxListeners(0);
      await made.connect();
    },
    open: (name) => {
      if (client === undefined)
        throw new AppError('dispatch.closed', 'dispatch queue: used while not open; call start() first');
      return new Queue(name, { ...queueOptions, connection: client, prefix: 'espalier' });
    },
    close,
  };
}

/** Queues on PostgreSQL, each with at most three connections, closed when idle. */
export function connectPostgres(url: string, schema: string): BullMqConnection {
  const connection = {
    connectionString: url,
    schema,
    migrate: true,
    max: 3,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 5000,
  };
  const open = (name: string): LaneQueue =>
    // The class is typed for its Redis backend; everything used here is declared by the common interface.
    new Queue<TicketBody, unknown, string, TicketBody, unknown, string, IQueueBackend, typeof connection>(
      name,
      { ...queueOptions, connection },
      createPostgresBackend as never,
    ) as unknown as LaneQueue;
  return { start: () => Promise.resolve(), open, close: () => Promise.resolve() };
}
