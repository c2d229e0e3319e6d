/** @file Settings of how often, how much and how many at once, by key and by address. */
import { z } from 'zod';

const count = (most: number) => z.int().min(1).max(most);

export const limitOptions = z.strictObject({
  requestsPerMinute: count(100_000_000)
    .default(30_000)
    .describe('requests with one key in a minute: REST, GraphQL operations (sockets too) and runs followed'),
  sentMbPerMinute: count(100_000_000)
    .default(4000)
    .describe('bodies of requests sent with one key in a minute, MiB; artifacts are not counted here'),
  anonymousRequestsPerMinute: count(100_000_000)
    .default(6000)
    .describe(
      'requests and new sockets of one address in a minute that bring no key in use; probes of health are not counted',
    ),
  unknownKeysPerMinute: count(10_000)
    .default(30)
    .describe('unknown keys an address may try in a minute; then it waits'),
  workerMessagesPerMinute: count(100_000_000)
    .default(120_000)
    .describe(
      'messages of one worker in a minute; beyond it the worker is disconnected and tries again later',
    ),
  queuedJobsPerKey: count(100_000_000)
    .default(10_000)
    .describe(
      'jobs created with one key that wait or are paused; beyond it no run, fork or evaluation is created',
    ),
  storedGbPerKey: z
    .number()
    .min(0.001)
    .max(1e9)
    .default(10_000)
    .describe(
      'artifacts of all runs created with one key, GiB; beyond it the key creates no run, fork, evaluation or import; existing runs continue',
    ),
  socketsPerKey: count(100_000)
    .default(2000)
    .describe('sockets (socket.io and GraphQL) open at once with one key'),
  operationsPerKey: count(100_000)
    .default(2000)
    .describe('GraphQL operations running at once on the sockets of one key, subscriptions included'),
  unauthenticatedSockets: count(100_000)
    .default(4000)
    .describe('sockets open at once that have not shown a key yet; each has five seconds and 16 KiB for it'),
  unauthenticatedSocketsPerAddress: count(100_000)
    .default(1000)
    .describe('the same for one address; a socket that opens with the header `authorization` is not counted'),
});
