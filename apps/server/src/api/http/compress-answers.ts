/**
 * @file Compresses answers in JSON for those who take gzip: a run of many steps is hundreds of kilobytes of numbers as text.
 *
 * Compression tells lengths: who can have a victim repeat a request, puts text of their own into its answer and sees how long
 * that is may guess a secret that stands beside it (BREACH). Here no browser sends a credential by itself, as keys are in a
 * header and never in a cookie, so that no other site can make such a request. And what changes something is never
 * compressed: those answers alone hold a secret, a new key or a ticket, next to names that somebody gave.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { gzip } from 'node:zlib';

/** Shorter answers fit into a packet or two. */
const leastBytes = 1024;
/** Of a history of metrics 6 is 0.3 % smaller and takes 1.8 times as long. */
const level = 4;

/** Adds it to a server; `vary` says it of all answers that could be either. */
export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!isText(payload) || !isJson(reply) || !isReading(request)) return done(null, payload);
    void reply.header('vary', withEncoding(reply.getHeader('vary')));
    if (Buffer.byteLength(payload) < leastBytes || !takesGzip(request)) return done(null, payload);
    gzip(payload, { level }, (error, packed) => {
      if (error !== null) return done(error);
      void reply.removeHeader('content-length').header('content-encoding', 'gzip');
      done(null, packed);
    });
  });
}

const isText = (payload: unknown): payload is string | Buffer =>
  typeof payload === 'string' || Buffer.isBuffer(payload);

const isJson = (reply: FastifyReply): boolean =>
  !reply.hasHeader('content-encoding') &&
  /^application\/(?:[\w.-]+\+)?json\b/.test(String(reply.getHeader('content-type')));

/** It changes nothing: a GET, or operations of GraphQL that are no mutation, nor have the word in them. */
function isReading({ method, routeOptions, body }: FastifyRequest): boolean {
  if (method === 'GET') return true;
  if (method !== 'POST' || routeOptions.url !== '/graphql') return false;
  const query = (body as { query?: unknown } | null | undefined)?.query;
  return typeof query === 'string' && !query.includes('mutation');
}

/** Named, and not refused by a quality of 0. */
const takesGzip = ({ headers }: FastifyRequest): boolean =>
  /(?:^|,)\s*gzip\s*(?:,|$|;\s*q=(?!0(?:\.0*)?\s*(?:,|$)))/i.test(String(headers['accept-encoding'] ?? ''));

const withEncoding = (vary: unknown): string =>
  vary === undefined ? 'accept-encoding' : `${String(vary)}, accept-encoding`;
