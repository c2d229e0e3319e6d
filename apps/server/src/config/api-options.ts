/** @file Settings of keys, HTTP, GraphQL and followers. */
import { z } from 'zod';
import { isAddressRange } from './client-address.js';

const notRange = 'an address or a range such as 10.0.0.0/8';

const count = (limit: number) => z.int().min(1).max(limit);

export const accessOptions = z.strictObject({
  adminKey: z
    .string()
    .default('')
    .describe(
      'an admin key of your own, at least 32 characters; for automated setups, set ESPALIER__SERVER__ACCESS__ADMINKEY; empty: one is created at the first start',
    ),
  workerKey: z.string().default('').describe('the same for the key of the workers'),
});

export const httpOptions = z.strictObject({
  bodyKb: count(1_000_000)
    .default(1024)
    .describe(
      'largest body of a request other than an artifact, KiB; artifacts are streamed and have no limit',
    ),
  hosts: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'host names (without port) that the server answers to, in addition to localhost and its listening address; requests for other names are refused, which prevents DNS rebinding; `*`: any',
    ),
  origins: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'other origins whose pages may call this server from a browser, such as https://dash.example; its own origin is always allowed',
    ),
  trustProxy: z
    .union([
      z.boolean(),
      z.int().min(1).max(16),
      z.array(z.string().refine(isAddressRange, { error: notRange })).min(1),
    ])
    .default(false)
    .describe(
      'which proxies to trust for the client’s address (x-forwarded-for) of requests and sockets: `true`: one proxy in front; a number: that many proxies in a chain; a list: proxies with these addresses or ranges, such as 10.0.0.0/8; use `true` or a number only if the server is reachable through them alone',
    ),
  requestSeconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(60)
    .describe('timeout for receiving a request, headers and body; artifacts may take longer'),
  uploadIdleSeconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(120)
    .describe('an upload that sends nothing for this long is aborted'),
  publicMetrics: z.boolean().default(false).describe('/metrics needs no key'),
  shutdownSeconds: z
    .number()
    .min(0)
    .max(600)
    .default(10)
    .describe(
      'how long requests in flight may take to finish when the server stops; it ends 10 s after that at the latest',
    ),
});

export const graphqlLimits = z.strictObject({
  maxTokens: count(1_000_000).default(4000).describe('tokens of a document'),
  maxDepth: count(1000).default(12).describe('nesting of fields'),
  maxCost: count(1_000_000_000)
    .default(52_000)
    .describe(
      'cost of an operation: 1000 per field at the root, one per other field (large ones cost more: docs/use/api.md), times `first` for what is inside a list; aliases, fragments and variables included',
    ),
});
export type GraphqlLimits = z.infer<typeof graphqlLimits>;

export const streamOptions = z.strictObject({
  flushMs: z
    .int()
    .min(10)
    .max(5000)
    .default(150)
    .describe('how long new records of a run are gathered before they are sent to its followers, ms'),
  maxFollowsPerSocket: z.int().min(1).max(10_000).default(100).describe('runs one socket may follow at once'),
  pingSeconds: z
    .number()
    .min(0.1)
    .max(600)
    .default(12)
    .describe(
      'seconds between pings of a GraphQL socket; a socket that does not answer within the same time is closed',
    ),
});
