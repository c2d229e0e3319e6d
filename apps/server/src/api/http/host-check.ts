/**
 * @file Checks the headers Host and Origin. Another site can point its own name at this machine (DNS rebinding), which only
 * the Host header reveals. Numeric addresses cannot be rebound and always pass.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { AppError } from '@espalier/contracts';
import type { ServerOptions } from '../../config/server-options.js';

/** The part of a request that is checked. */
export interface CheckedRequest {
  readonly method?: string | undefined;
  readonly headers: { readonly host?: string | undefined; readonly origin?: string | string[] | undefined };
}

/** Creates the check of a request's Host and Origin. @throws access.foreign_host, access.foreign_origin */
export function createHostCheck(
  options: ServerOptions,
): (request: CheckedRequest, isSocket?: boolean) => void {
  const names = new Set(
    ['localhost', hostname(), options.host, ...options.http.hosts].map((name) => name.toLowerCase()),
  );
  return ({ method, headers }, isSocket = false) => {
    const host = headers.host ?? '';
    const name = nameOf(host);
    const isKnown = names.has('*') || names.has(name) || name.endsWith('.localhost') || isIP(name) !== 0;
    if (!isKnown)
      throw new AppError(
        'access.foreign_host',
        `take a request for "${host.slice(0, 200)}": this server is not known by that name; add it to http.hosts`,
      );
    const isSafe = !isSocket && (method === 'GET' || method === 'HEAD' || method === 'OPTIONS');
    if (!isSafe && !isAllowedOrigin(options, headers.origin, host))
      throw new AppError(
        'access.foreign_origin',
        `take a request from a page of ${JSON.stringify(headers.origin).slice(0, 200)}: only pages of this server may; add it to http.origins`,
      );
  };
}

/** Whether a page may use this server: its own pages and those of the setting; programs send no origin. */
function isAllowedOrigin(
  options: ServerOptions,
  origin: string | string[] | undefined,
  host: string | undefined,
): boolean {
  if (origin === undefined) return true;
  if (typeof origin !== 'string') return false;
  if (options.http.origins.includes(origin)) return true;
  const own = /^https?:\/\/(.+)$/.exec(origin)?.[1];
  return own !== undefined && own.toLowerCase() === host?.toLowerCase();
}

/** The name without port, of IPv6 addresses without brackets. */
function nameOf(host: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(host)?.[1];
  return (bracketed ?? host.replace(/:\d+$/, '')).toLowerCase();
}
