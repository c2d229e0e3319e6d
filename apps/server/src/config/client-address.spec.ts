import { describe, expect, it } from 'vitest';
import { httpOptions } from './api-options.js';
import { createClientAddress, isAddressRange, type TrustProxy } from './client-address.js';

const proxy = '10.0.0.2';
const ask = (trust: TrustProxy, forwarded: string | string[] | undefined, socket = proxy): string =>
  createClientAddress(trust)(socket, { 'x-forwarded-for': forwarded });

describe('the address of a client', () => {
  it.each<[string, TrustProxy, string | string[] | undefined, string]>([
    ['is that of the connection when nobody is trusted', false, '203.0.113.9', proxy],
    ['is that of the connection when no proxy said anything', true, undefined, proxy],
    ['is what the only proxy wrote', true, '203.0.113.9', '203.0.113.9'],
    ['is what the proxy appended, not what the client invented', true, '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['is what the proxy appended in a header of its own', true, ['1.1.1.1', '203.0.113.9'], '203.0.113.9'],
    ['is as many hops away as there are proxies', 2, '1.1.1.1, 203.0.113.9, 10.0.0.1', '203.0.113.9'],
    ['is the farthest known when there are fewer hops', 3, '203.0.113.9, 10.0.0.1', '203.0.113.9'],
    ['is the first that is no proxy', ['10.0.0.0/8'], '1.1.1.1, 203.0.113.9, 10.9.9.9', '203.0.113.9'],
    ['is that of the connection when that is no proxy of the list', ['192.0.2.1'], '203.0.113.9', proxy],
    ['is that of the proxy when what it wrote is none', true, '203.0.113.9, unknown', proxy],
    ['is that of the proxy when it wrote nothing', true, '', proxy],
    ['has no port', true, '203.0.113.9:4711', '203.0.113.9'],
    ['has no brackets', true, '[2001:DB8::7]:4711', '2001:db8::7'],
    ['is one in IPv4 and in IPv6', true, '::ffff:203.0.113.9', '203.0.113.9'],
  ])('%s', (_fact, trust, forwarded, address) => expect(ask(trust, forwarded)).toBe(address));

  it('is found through proxies of the list that connect with IPv6', () => {
    expect(ask(['10.0.0.2'], '203.0.113.9', '::ffff:10.0.0.2')).toBe('203.0.113.9');
    expect(ask(['fd00::/8'], '203.0.113.9', 'fd00::1')).toBe('203.0.113.9');
    expect(ask(['fd00::/8'], '203.0.113.9', 'fe80::1')).toBe('fe80::1');
  });

  it('is read by a setting that is refused when it makes no sense', () => {
    for (const range of ['10.0.0.0/8', '::1', 'fd00::/8', '127.0.0.1'])
      expect([range, isAddressRange(range)]).toEqual([range, true]);
    for (const range of ['10.0.0.0/33', 'proxy', '10.0.0.0/8/8', '10.0.0', '', '10.0.0.0/'])
      expect([range, isAddressRange(range)]).toEqual([range, false]);
    const isTaken = (trustProxy: unknown): boolean => httpOptions.safeParse({ trustProxy }).success;
    expect([true, false, 2, ['10.0.0.0/8', '::1']].map(isTaken)).toEqual([true, true, true, true]);
    expect([0, 1.5, 'yes', ['proxy'], []].map(isTaken)).toEqual([false, false, false, false, false]);
  });
});
