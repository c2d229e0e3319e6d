/** @file The settings of the dispatch queue, and the queue they describe. */
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import type { DispatchQueue } from './dispatch-queue.js';
import { EmbeddedDispatchQueue } from './embedded-dispatch-queue.js';

export const dispatchOptions = z.discriminatedUnion('driver', [
  z.strictObject({
    driver: z.literal('embedded').describe('in the server’s own database; nothing to install'),
  }),
  z.strictObject({
    driver: z.literal('bullmq-redis').describe('BullMQ on Redis, which needs appendonly yes and no eviction'),
    url: z.string().min(1).describe('redis://user:password@host:6379/0'),
  }),
  z.strictObject({
    driver: z.literal('bullmq-postgres').describe('BullMQ on PostgreSQL, 13 or newer'),
    url: z.string().min(1).describe('postgres://user:password@host:5432/name'),
    schema: z
      .string()
      .regex(/^[a-z_][a-z0-9_]{0,62}$/)
      .default('bullmq')
      .describe('schema for the tables of BullMQ; made if missing'),
  }),
]);
export type DispatchOptions = z.infer<typeof dispatchOptions>;

/** Creates the queue that the settings describe, not started; BullMQ is loaded only when it is asked for. */
export async function createDispatchQueue(
  options: DispatchOptions,
  dataSource: DataSource,
): Promise<DispatchQueue> {
  if (options.driver === 'embedded') return new EmbeddedDispatchQueue(dataSource);
  const [{ BullMqDispatchQueue }, { connectPostgres, connectRedis }] = await Promise.all([
    import('./bullmq-dispatch-queue.js'),
    import('./bullmq-connection.js'),
  ]);
  return new BullMqDispatchQueue(
    options.driver === 'bullmq-redis'
      ? connectRedis(options.url)
      : connectPostgres(options.url, options.schema),
  );
}
