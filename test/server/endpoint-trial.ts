/**
 * @file Finds out which roles get through every endpoint of a server, by trying. Keys are of the project that everything
 * belongs to, so nothing but the role decides. A role that the table refuses is tried on what exists: a guard that is too
 * weak would do something. A role that it lets in changes nothing: it is tried on ids that nobody has.
 */
import { type GraphQLField, type GraphQLSchema, parse, subscribe } from 'graphql';
import { io } from 'socket.io-client';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { Role } from '@espalier/protocol';
import { listEndpoints } from '../../apps/server/src/api/access/list-endpoints.js';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { ask, call, codesOf, type Told } from '../support/ask.js';
import type { TestServer } from '../support/start-server.js';
import { leastRoles } from './endpoint-roles.js';
import { writeOperation } from './leak-recipes.js';
import type { World } from './leak-world.js';
import { bodyOf, fill, queryOf } from './rest-recipes.js';

const callers = ['none', 'worker', 'viewer', 'operator', 'admin'] as const;
type Asking = (typeof callers)[number];
const ranked = ['viewer', 'operator', 'admin'] as const;

/** Endpoints found, each with the least role that got through. */
type Found = Record<string, string>;

export interface DoorTrial {
  /** root fields of GraphQL, and the fields below that have a guard of their own */
  fields(): Promise<Found>;
  /** routes of REST, and those that are in no description */
  routes(): Promise<Found>;
  /** namespaces of sockets, and the messages of each */
  messages(): Promise<Found>;
}

/** Says in the words of the table who got through. */
function toLeast(name: string, entered: readonly Asking[]): string {
  if (entered.includes('none')) return 'public';
  const least = ranked.find((role) => entered.includes(role));
  if (least === undefined) return entered.includes('worker') ? 'worker' : `nobody gets through ${name}`;
  return entered.includes('worker') ? `${least}, worker` : least;
}

/** Whether the table lets a role in. */
function isExpected(name: string, asking: Asking): boolean {
  const least = leastRoles[name];
  if (least === undefined) return true;
  if (least === 'public') return true;
  if (asking === 'none') return false;
  if (asking === 'worker') return least.endsWith('worker');
  const [role] = least.split(',') as [Role];
  return role !== 'worker' && ranked.indexOf(asking) >= ranked.indexOf(role as (typeof ranked)[number]);
}

/** Whether no lower role is let in by the table; of an endpoint that it does not know, all are tried. */
function isLeast(name: string, asking: Asking): boolean {
  const least = leastRoles[name];
  if (least === undefined || asking === 'worker') return true;
  return asking === (least === 'public' ? 'none' : least.split(',')[0]);
}

/** Refused is who is told so by the guard, in its words, and nothing else. */
function isRefused(asking: Asking, codes: readonly string[], messages: readonly string[]): boolean {
  if (asking === 'none') return codes.length > 0 && codes.every((code) => code === 'access.unauthenticated');
  return (
    codes.length > 0 &&
    codes.every((code) => code === 'access.denied') &&
    messages.every((message) => /: the key "[^"]+" is a \w+ key; this needs \w+$/.test(message))
  );
}

/** Makes keys of every role in the project of a world. */
export async function createEndpointTrial(
  server: TestServer,
  schema: GraphQLSchema,
  world: World,
): Promise<DoorTrial> {
  const keys = new Map<Asking, string | undefined>([
    ['none', undefined],
    ['worker', server.workerKey],
    ['admin', server.adminKey],
  ]);
  for (const role of ['viewer', 'operator'] as const)
    keys.set(role, await server.createKey({ name: `own ${role}`, role, projects: ['theirs'] }));
  const nowhere = Object.fromEntries(
    Object.entries(world).map(([kind]) => [kind, `${kind}-none`]),
  ) as unknown as World;
  const enter = async (
    name: string,
    isRefusedBy: (asking: Asking, target: World) => Promise<boolean>,
    isReading: boolean,
  ): Promise<[string, string]> => {
    // above the least role it is the order of roles that decides, which is tried elsewhere
    const worthIt = callers.filter((asking) => !isExpected(name, asking) || isLeast(name, asking));
    const tried = worthIt.map(async (asking) => {
      const target = isReading || !isExpected(name, asking) ? world : nowhere;
      return (await isRefusedBy(asking, target)) ? [] : [asking];
    });
    return [name, toLeast(name, (await Promise.all(tried)).flat())];
  };
  const endpoints = listEndpoints(server.app);

  async function fields(): Promise<Found> {
    const found: Found = {};
    for (const [kind, type] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
      ['subscription', schema.getSubscriptionType()],
    ] as const)
      for (const field of Object.values(type?.getFields() ?? {})) {
        const tryIt = kind === 'subscription' ? trySubscription : tryOperation(kind);
        const [name, least] = await enter(
          `${kind} ${field.name}`,
          (asking, target) => tryIt(field, asking, target),
          kind !== 'mutation',
        );
        found[name] = least;
      }
    for (const { name, kind, role } of endpoints) if (kind === 'inner') found[`field ${name}`] = String(role);
    return found;
  }

  const tryOperation =
    (kind: 'query' | 'mutation') =>
    async (field: GraphQLField<unknown, unknown>, asking: Asking, target: World): Promise<boolean> => {
      const { query, variables } = writeOperation(schema, kind, field, target, false, 1);
      const told = await ask(server.url, keys.get(asking), query, variables);
      return isRefused(asking, codesOf(told), messagesOf(told));
    };

  /** With the caller that a socket would have; who may open one is tried below. */
  async function trySubscription(
    field: GraphQLField<unknown, unknown>,
    asking: Asking,
    target: World,
  ): Promise<boolean> {
    const { schema: served } = server.app.get(GraphQLSchemaHost, { strict: false });
    const { query, variables } = writeOperation(schema, 'subscription', field, target, false, 1);
    const key = keys.get(asking);
    const caller = key === undefined ? undefined : await server.app.get(KeyService).authenticate(key, '');
    const extra = { headers: {}, ...(caller === undefined ? {} : { caller }) };
    const answer = await subscribe({
      schema: served,
      document: parse(query),
      variableValues: variables,
      contextValue: { extra },
    });
    if (Symbol.asyncIterator in answer) {
      await answer.return?.(undefined);
      return false;
    }
    const causes = (answer.errors ?? []).map(
      ({ originalError }) => originalError as Error & { code: string },
    );
    return isRefused(
      asking,
      causes.map(({ code }) => code),
      causes.map(({ message }) => message),
    );
  }

  async function routes(): Promise<Found> {
    const found: Found = {};
    const { body } = await call(server.url, undefined, 'GET', '/docs/json');
    for (const [path, methods] of Object.entries(body['paths'] as Record<string, Record<string, unknown>>))
      for (const [method, operation] of Object.entries(methods)) {
        const [name, least] = await enter(
          `${method.toUpperCase()} ${path}`,
          async (asking, target) => {
            const told = await call(
              server.url,
              keys.get(asking),
              method.toUpperCase(),
              `${fill(path, target)}${queryOf(operation, target)}`,
              method === 'get' ? undefined : bodyOf(path, target),
              path.includes('/artifacts/') ? { 'content-type': 'application/octet-stream' } : {},
            );
            return isRefused(asking, [told.body.code ?? ''], [told.body.message ?? '']);
          },
          method === 'get',
        );
        found[name] = least;
      }
    for (const { name, kind, role } of endpoints)
      if (kind === 'route' && role === 'public') found[`page ${name}`] = 'public';
    return found;
  }

  async function messages(): Promise<Found> {
    const found: Found = {};
    for (const namespace of ['/stream', '/workers']) {
      const [name, least] = await enter(
        `connect ${namespace}`,
        async (asking) => {
          const socket = io(`${server.url}${namespace}`, {
            auth: { key: keys.get(asking) },
            transports: ['websocket'],
            reconnection: false,
            forceNew: true,
          });
          const refusal = await new Promise<{ code: string; message: string } | undefined>((done) => {
            socket.once('connect', () => done(undefined));
            socket.once('connect_error', (error) =>
              done((error as Error & { data: { code: string; message: string } }).data),
            );
          });
          socket.disconnect();
          return refusal !== undefined && isRefused(asking, [refusal.code], [refusal.message]);
        },
        true,
      );
      found[name] = least;
    }
    for (const { name, kind, role } of endpoints)
      if (kind === 'message') found[`message ${name}`] = String(role);
    return found;
  }

  return { fields, routes, messages };
}

const messagesOf = ({ body }: Told): string[] => (body.errors ?? []).map(({ message }) => message);
