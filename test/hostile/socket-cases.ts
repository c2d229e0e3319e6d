/** @file Hostile messages of those who read: followers over socket.io, GraphQL over its own socket. */
import { bodies, bodyOf, documents, operations, subscriptions } from './graphql-cases.js';
import { event, json, packets, repeat, said } from './packets.js';
import type { SocketCase } from './send.js';
import { numbers, texts } from './values.js';

const follow = (name: string, body: string, message = 'follow') =>
  said('/stream', `${message} ${name}`, message, body, 'viewer');

export const streamCases: readonly SocketCase[] = [
  ...packets('/stream', 'viewer', 'follow'),
  ...Object.entries(texts).flatMap(([name, text]) => [
    follow(`the run ${name}`, `{"runId":${json(text)}}`),
    follow(`the metric ${name}`, `{"runId":"{scratch}","metrics":[${json(text)}]}`),
    follow(`the run ${name}`, `{"runId":${json(text)}}`, 'unfollow'),
  ]),
  ...numbers.map((number) => follow(`after ${number}`, `{"runId":"{scratch}","after":${number}}`)),
  follow(
    '100,000 metrics',
    `{"runId":"{scratch}","metrics":[${repeat(100_000, (i) => `"m${i}"`).join(',')}]}`,
  ),
  follow('metrics that are a text', '{"runId":"{scratch}","metrics":"policy/loss"}'),
  follow('with two bodies', '{"runId":"{scratch}"},{"runId":"{canary}"}'),
  follow('what was never followed', '{"runId":"{heldRun}"}', 'unfollow'),
  {
    name: '500 times the same run',
    as: 'viewer',
    messages: repeat(500, (i) => event('/stream', i, 'follow', '{"runId":"{scratch}"}')),
    answered: repeat(500, String),
  },
  {
    name: 'follow and unfollow, 1,000 times',
    as: 'viewer',
    messages: repeat(1000, (i) =>
      event('/stream', i, i % 2 === 0 ? 'follow' : 'unfollow', '{"runId":"{heldRun}"}'),
    ),
    answered: repeat(1000, String),
  },
];

/** Messages of graphql-transport-ws. */
const subscribe = (id: string, payload: string): string =>
  `{"id":${json(id)},"type":"subscribe","payload":${payload}}`;
const graphqlRaw = (name: string, ...messages: (string | Buffer)[]): SocketCase => ({
  name,
  as: 'viewer',
  messages,
});
const brief = [...documents, ...operations.filter((_, index) => index % 3 === 0), ...subscriptions];

export const graphqlSocketCases: readonly SocketCase[] = [
  ...brief.map((one): SocketCase => ({
    name: one.name,
    as: one.as ?? 'admin',
    messages: [subscribe('1', bodyOf(one)), '{"id":"1","type":"complete"}'],
  })),
  ...Object.entries(bodies).map(([name, body]) => graphqlRaw(`a payload of ${name}`, subscribe('1', body))),
  graphqlRaw('no JSON', '{'),
  graphqlRaw('bytes', Buffer.alloc(1000, 255)),
  graphqlRaw('a list', '[]'),
  graphqlRaw('null', 'null'),
  graphqlRaw('a type that there is not', '{"type":"__proto__","id":"1"}'),
  graphqlRaw('another greeting', '{"type":"connection_init"}'),
  // graphql-ws throws where a message of the server comes from a client
  { ...graphqlRaw('a greeting of the wrong side', '{"type":"connection_ack"}'), mayClose: 4500 },
  graphqlRaw(
    'one id twice',
    subscribe('1', '{"query":"subscription { runChanged { id } }"}'),
    subscribe('1', '{"query":"{ version }"}'),
  ),
  graphqlRaw('an id of a prototype', subscribe('__proto__', '{"query":"{ version }"}')),
  graphqlRaw('an id of 100 kB', subscribe('x'.repeat(100_000), '{"query":"{ version }"}')),
  graphqlRaw('an id that is a number', '{"id":1,"type":"subscribe","payload":{"query":"{ version }"}}'),
  graphqlRaw('no id', '{"type":"subscribe","payload":{"query":"{ version }"}}'),
  graphqlRaw(
    'the end of what never began',
    '{"id":"9","type":"complete"}',
    '{"id":"9","type":"error","payload":[]}',
  ),
  graphqlRaw('2,000 pings', ...repeat(2000, () => '{"type":"ping","payload":{"a":1}}')),
  graphqlRaw('a ping of 900 kB', `{"type":"ping","payload":{"a":"${'x'.repeat(900_000)}"}}`),
  graphqlRaw('a message of 2 MB', subscribe('1', `{"query":"${' '.repeat(2_000_000)}"}`)),
  graphqlRaw(
    '1,000 subscriptions',
    ...repeat(1000, (i) => subscribe(`s${i}`, '{"query":"subscription { runChanged { id } }"}')),
  ),
  graphqlRaw(
    '1,000 queries at once',
    ...repeat(1000, (i) => subscribe(`q${i}`, '{"query":"{ runs(first: 5) { nodes { id } } }"}')),
  ),
  graphqlRaw(
    '500 subscriptions that begin and end',
    ...repeat(500, (i) => [
      subscribe(`b${i}`, '{"query":"subscription { runEvents(runId: \\"{scratch}\\") { cursor } }"}'),
      `{"id":"b${i}","type":"complete"}`,
    ]).flat(),
  ),
  ...(['none', 'wrong', 'worker'] as const).map((as): SocketCase => ({
    name: `an operation, as ${as}`,
    as,
    messages: [subscribe('1', '{"query":"{ version }"}')],
  })),
];
