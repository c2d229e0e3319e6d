/**
 * @file Every way into the server, found by Nest's own metadata: routes, GraphQL fields with code behind them, message
 * handlers of sockets. The server refuses to start when one does not say who may use it.
 */
import type { INestApplicationContext } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { accessKey } from './access.decorator.js';

export interface Door {
  /** `inner`: a field of an object, with code behind it */
  readonly kind: 'route' | 'field' | 'inner' | 'message';
  /** such as RunResolver.runs */
  readonly name: string;
  /** role it needs; undefined: it does not say */
  readonly role: string | undefined;
}

const marks: readonly (readonly [string, Door['kind']])[] = [
  ['path', 'route'],
  ['graphql:resolve_property', 'inner'],
  ['graphql:resolver_type', 'field'],
  ['graphql:resolve_reference', 'field'],
  ['message', 'message'],
  ['websockets:message_mapping', 'message'],
];

/** Lists all of them. */
export function listDoors(app: INestApplicationContext): Door[] {
  const discovery = app.get(DiscoveryService);
  const scanner = new MetadataScanner();
  const reflector = app.get(Reflector);
  return [...discovery.getControllers(), ...discovery.getProviders()].flatMap(({ instance, metatype }) => {
    const prototype: unknown =
      instance === null || instance === undefined ? null : Object.getPrototypeOf(instance);
    if (typeof metatype !== 'function' || prototype === null || prototype === Object.prototype) return [];
    return scanner.getAllMethodNames(prototype as object).flatMap((method): Door[] => {
      const handler = (prototype as Record<string, unknown>)[method];
      if (typeof handler !== 'function') return [];
      const kind = marks.find(([mark]) => Reflect.hasMetadata(mark, handler))?.[1];
      if (kind === undefined) return [];
      const role = reflector.getAllAndOverride<string | undefined>(accessKey, [handler, metatype as never]);
      return [{ kind, name: `${metatype.name}.${method}`, role }];
    });
  });
}

/** Throws when a way in does not say who may use it. */
export function requireRoles(app: INestApplicationContext): void {
  const open = listDoors(app).filter(({ role }) => role === undefined);
  if (open.length > 0)
    throw new Error(
      `start the server: ${open.map(({ name }) => name).join(', ')} do not say who may use them; add @Access`,
    );
}
