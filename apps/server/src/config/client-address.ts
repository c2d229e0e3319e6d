/**
 * @file The client address of a request or socket: one rule for HTTP, socket.io and GraphQL sockets. Proxies append the
 * address they see to `x-forwarded-for`, so the list is read from its end, and only as far as the setting
 * `http.trustProxy` trusts; what clients wrote into it themselves lies before that and is never taken.
 */
import { BlockList, isIP } from 'node:net';

/** As in the settings: none, the nearest proxy, a number of proxies, or those with these addresses. */
export type TrustProxy = boolean | number | readonly string[];

/** @param socketAddress remote address of the connection; undefined: it is closed */
export type ClientAddress = (
  socketAddress: string | undefined,
  headers: Readonly<Record<string, string | string[] | undefined>>,
) => string;

/** Creates the rule for a setting. */
export function createClientAddress(trust: TrustProxy): ClientAddress {
  const isTrusted = toTrust(trust);
  return (socketAddress, headers) => {
    let address = readAddress(socketAddress ?? '') ?? '';
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').reverse();
    for (const [hops, text] of forwarded.entries()) {
      if (!isTrusted(address, hops)) break;
      const next = readAddress(text);
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

/** Returns whether a text is an address, or a range such as 10.0.0.0/8. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** Returns whether the address of the proxy at a hop is trusted. */
function toTrust(trust: TrustProxy): (address: string, hops: number) => boolean {
  if (typeof trust !== 'object') return (_address, hops) => hops < Number(trust);
  const proxies = new BlockList();
  for (const range of trust) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return (address) => address !== '' && proxies.check(address, familyOf(address));
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An address without port and brackets; of IPv4 in IPv6 the IPv4, so that one client has one address. */
function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? trimmed.replace(/^([\d.]+):\d+$/, '$1');
  const mapped = bare.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(mapped) === 0 ? undefined : mapped.toLowerCase();
}
