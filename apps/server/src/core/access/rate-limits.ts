/**
 * @file Rate limits of keys, workers and addresses, in windows of a minute that start with the first use. A client can
 * use any number of addresses, so addresses share a fixed number of counters.
 */
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';

/** What is counted: the first two by key, messages by worker, the others by address. */
export type Rate = 'requests' | 'sentKb' | 'workerMessages' | 'anonymousRequests' | 'unknownKeys';

/** Counters of all addresses together. */
export const addressCounters = 65_536;

const seconds = 60;

@Injectable()
export class RateLimits {
  private readonly limiters: Readonly<Record<Rate, RateLimiterMemory>>;
  /** prevents a client from choosing addresses that share a counter with another's */
  private readonly salt = randomBytes(16);

  constructor(@Inject(SERVER_OPTIONS) { limits }: Pick<ServerOptions, 'limits'>) {
    const limiterOf = (points: number): RateLimiterMemory =>
      new RateLimiterMemory({ points, duration: seconds, keyPrefix: '' });
    this.limiters = {
      requests: limiterOf(limits.requestsPerMinute),
      sentKb: limiterOf(limits.sentMbPerMinute * 1024),
      workerMessages: limiterOf(limits.workerMessagesPerMinute),
      anonymousRequests: limiterOf(limits.anonymousRequestsPerMinute),
      unknownKeys: limiterOf(limits.unknownKeysPerMinute),
    };
  }

  /** Counts a use. @param who id of a key or a worker, or an address. @throws access.throttled */
  async count(rate: Rate, who: string, points = 1): Promise<void> {
    try {
      await this.limiters[rate].consume(this.counterOf(rate, who), points);
    } catch (found) {
      throw throttled(rate, found as RateLimiterRes);
    }
  }

  /** Rejects a client at its limit, without counting. @throws access.throttled */
  async check(rate: Rate, who: string): Promise<void> {
    const found = await this.limiters[rate].get(this.counterOf(rate, who));
    if (found !== null && found.msBeforeNext > 0 && found.remainingPoints <= 0) throw throttled(rate, found);
  }

  /** The limit of a minute, and what was used in the current one. */
  async usage(rate: Rate, who: string): Promise<{ readonly limit: number; readonly used: number }> {
    const limiter = this.limiters[rate];
    const found = await limiter.get(this.counterOf(rate, who));
    const isOver = found === null || found.msBeforeNext <= 0;
    return { limit: limiter.points, used: isOver ? 0 : Math.min(limiter.points, found.consumedPoints) };
  }

  /** Counters in memory now. */
  size(rate: Rate): number {
    return this.limiters[rate].dump().storage.length;
  }

  private counterOf(rate: Rate, who: string): string {
    if (rate !== 'anonymousRequests' && rate !== 'unknownKeys') return who;
    const hash = createHash('sha256').update(this.salt).update(networkOf(who)).digest();
    return String(hash.readUInt32BE(0) % addressCounters);
  }
}

/** Returns the /64 network of an IPv6 address, because one client has all of its addresses. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array.from({ length: zeros }, () => '0'), ...after];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

const operations: Readonly<Record<Rate, readonly [string, string]>> = {
  requests: ['take the request', 'too many came with this key in a minute'],
  sentKb: ['take the request', 'too many bytes came with this key in a minute'],
  workerMessages: ['take the message', 'too many came from this worker in a minute'],
  anonymousRequests: ['take the request', 'too many without a key in use came from this address in a minute'],
  unknownKeys: ['read the API key', 'too many unknown keys came from this address'],
};

function throttled(rate: Rate, { msBeforeNext }: RateLimiterRes): AppError {
  const [operation, finding] = operations[rate];
  const retryAfter = Math.max(1, Math.ceil(msBeforeNext / 1000));
  return new AppError('access.throttled', `${operation}: ${finding}; try again in ${retryAfter} s`, {
    details: { retryAfter },
  });
}
