/** @file All cases, by the transport they come through. */
import type { RandomStream } from '@espalier/random';
import { bodies, bodyOf, documents, type GraphqlCase, operations, subscriptions } from './graphql-cases.js';
import { changeHttp, changeRaw, changeSocket } from './random-cases.js';
import { rawCases } from './raw-cases.js';
import { restCases } from './rest-cases.js';
import { type Findings, graphqlWs, type HttpCase, sendHttp, sendRaw, sendSocket, socketIo } from './send.js';
import { graphqlSocketCases, streamCases } from './socket-cases.js';
import { workerCases } from './worker-cases.js';
import type { World } from './world.js';

export interface AnyCase {
  readonly name: string;
  send(world: World): Promise<Findings>;
  /** The same with something else wrong as well. */
  changed(stream: RandomStream): AnyCase;
}

const overHttp = (one: GraphqlCase): HttpCase => ({
  name: one.name,
  as: one.as ?? 'admin',
  method: 'POST',
  path: '/graphql',
  body: bodyOf(one),
});

const graphqlHttp: readonly HttpCase[] = [
  ...[...documents, ...operations, ...subscriptions].map(overHttp),
  ...Object.entries(bodies).map(([name, body]) => ({
    name: `a body of ${name}`,
    as: 'viewer' as const,
    method: 'POST',
    path: '/graphql',
    body,
  })),
];

/** Binds cases to how they are sent and changed. */
function through<T extends { readonly name: string }>(
  cases: readonly T[],
  send: (one: T, world: World) => Promise<Findings>,
  change: (stream: RandomStream, one: T) => T,
): AnyCase[] {
  const bind = (one: T): AnyCase => ({
    name: one.name,
    send: (world) => send(one, world),
    changed: (stream) => bind(change(stream, one)),
  });
  return cases.map(bind);
}

export const transports: Readonly<Record<string, readonly AnyCase[]>> = {
  REST: through(restCases, sendHttp, changeHttp),
  'bytes that are hardly HTTP': through(rawCases, sendRaw, changeRaw),
  'GraphQL over HTTP': through(graphqlHttp, sendHttp, changeHttp),
  'GraphQL over a socket': through(
    graphqlSocketCases,
    (one, world) => sendSocket(one, world, graphqlWs),
    changeSocket,
  ),
  'the socket of followers': through(
    streamCases,
    (one, world) => sendSocket(one, world, socketIo('/stream')),
    changeSocket,
  ),
  'the socket of workers': through(
    workerCases,
    (one, world) => sendSocket(one, world, socketIo('/workers')),
    changeSocket,
  ),
};
