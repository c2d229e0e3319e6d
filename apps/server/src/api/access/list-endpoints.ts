/**
 * @file Lists the endpoints of the server from Nest's metadata: routes, GraphQL fields with resolvers, and socket
 * message handlers. The server refuses to start if one declares no role.
 */
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { accessKey } from './access.decorator.js';

export interface Endpoint {
  /** `inner`: a field of an object, with code behind it */
  readonly kind: 'route' | 'field' | 'inner' | 'message';
  /** such as RunResolver.runs */
  readonly name: string;
  /** required role; undefined: none declared */
  readonly role: string | undefined;
}

const marks: readonly (readonly [string, Endpoint['kind']])[] = [
  ['path', 'route'],
  ['graphql:resolve_property', 'inner'],
  ['graphql:resolver_type', 'field'],
  ['graphql:resolve_reference', 'field'],
  ['message', 'message'],
  ['websockets:message_mapping', 'message'],
];

/** Lists all of them. */
export function listEndpoints(app: INestApplicationContext): Endpoint[] {
  const discovery = app.get(DiscoveryService);
  const scanner = new MetadataScanner();
  const reflector = app.get(Reflector);
  return [...discovery.getControllers(), ...discovery.getProviders()].flatMap(({ instance, metatype }) => {
    const prototype: unknown =
      instance === null || instance === undefined ? null : Object.getPrototypeOf(instance);
    if (typeof metatype !== 'function' || prototype === null || prototype === Object.prototype) return [];
    return scanner.getAllMethodNames(prototype as object).flatMap((method): Endpoint[] => {
      const handler = (prototype as Record<string, unknown>)[method];
      if (typeof handler !== 'function') return [];
      const kind = marks.find(([mark]) => Reflect.hasMetadata(mark, handler))?.[1];
      if (kind === undefined) return [];
      const role = reflector.getAllAndOverride<string | undefined>(accessKey, [handler, metatype as never]);
      return [{ kind, name: `${metatype.name}.${method}`, role }];
    });
  });
}

/** Throws if an endpoint declares no role. */
export function assertRoles(app: INestApplicationContext): void {
  const open = listEndpoints(app).filter(({ role }) => role === undefined);
  if (open.length > 0)
    throw new Error(
      `start the server: ${open.map(({ name }) => name).join(', ')} declare no required role; add @Access`,
    );
}
