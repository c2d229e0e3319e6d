import { describe, expect, it } from 'vitest';
import { limitOptions } from '../../config/limit-options.js';
import { addressCounters, networkOf, RateLimits } from './rate-limits.js';

const create = (limits: Record<string, number> = {}): RateLimits =>
  new RateLimits({ limits: limitOptions.parse(limits) });

describe('rates', () => {
  it('are counted for each key alone, and say when to try again', async () => {
    const limits = create({ requestsPerMinute: 2 });
    await limits.count('requests', 'key-1');
    await limits.check('requests', 'key-1');
    await limits.count('requests', 'key-1');
    const refusal: unknown = await limits.count('requests', 'key-1').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'access.throttled', details: { retryAfter: 60 } });
    await expect(limits.check('requests', 'key-1')).rejects.toMatchObject({ code: 'access.throttled' });
    await limits.count('requests', 'key-2');
  });

  it('hold a fixed number of counters, however many addresses come', async () => {
    const limits = create();
    const begin = process.memoryUsage().heapUsed;
    for (let i = 0; i < 400_000; i += 1)
      await limits.count('anonymousRequests', `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(limits.size('anonymousRequests')).toBeLessThanOrEqual(addressCounters);
    expect(limits.size('anonymousRequests')).toBeGreaterThan(addressCounters * 0.9);
    expect(process.memoryUsage().heapUsed - begin).toBeLessThan(150 * 1024 * 1024);
  }, 60_000);

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::7', '2001:db8:1:2'],
    ['2001:db8::7', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::', 'fe80:0:0:0'],
    ['', ''],
  ])('are those of a whole network of IPv6: %s', (address, network) =>
    expect(networkOf(address)).toBe(network),
  );
});
