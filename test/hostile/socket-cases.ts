/** @file Hostile messages on sockets: followers, workers, GraphQL; each a table of packets. */
import { bodies, bodyOf, documents, operations, subscriptions } from './graphql-cases.js';
import type { SocketCase } from './send.js';
import { numbers, shapes, someOf, texts } from './values.js';
import type { Role } from './world.js';

const json = (value: unknown): string => JSON.stringify(value);
const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** An event with an answer asked for; `body` is JSON text. */
const event = (namespace: string, id: number, name: string, body: string): string =>
  `42${namespace},${id}[${json(name)},${body}]`;

/** A case of one message that is answered. */
const said = (namespace: string, name: string, message: string, body: string, as: Role): SocketCase => ({
  name,
  as,
  messages: [event(namespace, 1, message, body)],
  answered: ['1'],
});

/** What no follower and no worker says: packets of engine.io and of socket.io that are wrong as such. */
function packets(namespace: string, as: Role, known: string): SocketCase[] {
  const one = (name: string, ...messages: (string | Buffer)[]): SocketCase => ({ name, as, messages });
  const at = `${namespace},`;
  return [
    one('an empty packet', ''),
    one('a packet of engine.io that there is not', '9'),
    one('a packet of socket.io that there is not', '49'),
    one('another opening', '0{"sid":"x"}'),
    one('a closing', '1'),
    one('pongs nobody asked for', ...repeat(500, () => '3')),
    one('pings of the wrong side', ...repeat(500, () => '2probe')),
    one('upgrades', ...repeat(100, () => '5')),
    one('no JSON', `42${at}[`),
    one('JSON that is no list', `42${at}{"a":1}`),
    one('an empty list', `42${at}[]`),
    one('a name that is a number', `42${at}[1e300]`),
    one('a name that is null', `42${at}[null]`),
    one('a name that is a list', `42${at}[["${known}"]]`),
    ...[
      'connect',
      'disconnect',
      'disconnecting',
      'error',
      'connect_error',
      'newListener',
      '__proto__',
      'constructor',
      'toString',
      '\u0000',
      'a'.repeat(50_000),
    ].map((name) =>
      one(`an event named ${name.slice(0, 20)}`, `42${at}[${json(name)},{}]`, `42${at}5[${json(name)},{}]`),
    ),
    one('an id that is too large', `42${at}99999999999999999999999[${json(known)},{}]`),
    one('one id ten times', ...repeat(10, () => event(namespace, 5, known, '{}'))),
    one('an answer to nothing', `43${at}7[{"ok":true}]`, `43${at}99999999999[1]`, `43${at}[]`),
    one('a connection to the same place', `40${at}{}`, `40${at}{"key":"wrong"}`),
    one(
      'a connection to another place',
      '40/elsewhere,{}',
      '40/admin,{"key":1}',
      `40/${'a'.repeat(10_000)},{}`,
    ),
    one('500 connections to places that there are not', ...repeat(500, (i) => `40/place-${i},{}`)),
    one('a key that is an object', `40${at}{"key":{"toString":"x"}}`),
    one('a ticket that is none', `40${at}{"ticket":"espt_e30.${'A'.repeat(43)}"}`),
    one('a ticket that is an object', `40${at}{"ticket":{"length":1}}`),
    one('a long ticket', `40${at}{"ticket":"espt_${'a'.repeat(9000)}"}`),
    one('a key of a prototype', `40${at}{"__proto__":{"key":"x"}}`),
    one('a leaving and more', `41${at}`, event(namespace, 5, known, '{}')),
    one('a refusal from the wrong side', `44${at}{"message":"no"}`),
    one('an attachment that never comes', `451-${at}[${json(known)},{"_placeholder":true,"num":0}]`),
    one('an attachment nobody announced', Buffer.from('x')),
    one(
      'attachments without end',
      `4599999999-${at}[${json(known)},{"_placeholder":true,"num":0}]`,
      ...repeat(200, () => Buffer.alloc(1000)),
    ),
    one(
      'an attachment of a number that there is not',
      `451-${at}[${json(known)},{"_placeholder":true,"num":5}]`,
      Buffer.from('x'),
    ),
    one(
      'an attachment of a negative number',
      `451-${at}[${json(known)},{"_placeholder":true,"num":-1}]`,
      Buffer.from('x'),
    ),
    one(
      'an attachment of a prototype',
      `451-${at}[${json(known)},{"_placeholder":true,"num":"__proto__"}]`,
      Buffer.from('x'),
    ),
    one(
      'attachments instead of a message',
      `452-${at}5[${json(known)},{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]`,
      Buffer.from('a'),
      Buffer.from('b'),
    ),
    one('no count of attachments', `45-${at}[${json(known)}]`),
    one(
      '5,000 attachments',
      `455000-${at}[${json(known)},${repeat(5000, (i) => `{"_placeholder":true,"num":${i}}`).join(',')}]`,
      ...repeat(5000, () => Buffer.from('x')),
    ),
    one(
      'an attachment of 6 MB',
      `451-${at}5[${json(known)},{"_placeholder":true,"num":0}]`,
      Buffer.alloc(6_000_000),
    ),
    one('a text of 9 MB', `42${at}[${json(known)},"${'x'.repeat(9_000_000)}"]`),
    one('a text of 5 MB', `42${at}5[${json(known)},"${'\\"'.repeat(2_500_000)}"]`),
    one('5,000 events nobody waits for', ...repeat(5000, () => `42${at}[${json(known)},{}]`)),
    one('2,000 events at once', ...repeat(2000, (i) => event(namespace, i + 1000, known, '{}'))),
    one('2,000 events that there are not', ...repeat(2000, (i) => `42${at}[${json(`event-${i}`)}]`)),
    ...Object.entries(shapes).map(([name, shape]) =>
      said(namespace, `${known} with ${name}`, known, shape, as),
    ),
    { ...one('an event without a key', event(namespace, 1, known, '{}')), as: 'none' },
    { ...one('an event with a wrong key', event(namespace, 1, known, '{}')), as: 'wrong' },
    {
      ...one('an event of the wrong role', event(namespace, 1, known, '{}')),
      as: as === 'worker' ? 'viewer' : 'worker',
    },
  ];
}

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

const worker = (name: string, message: string, body: string): SocketCase =>
  said('/workers', `${message}: ${name}`, message, body, 'worker');

const device = { id: 'cpu-0', kind: 'cpu', index: 0, name: 'slot', threads: 1, memoryMb: 1, freeMemoryMb: 1 };
const greeting = {
  protocol: 1,
  name: 'hostile',
  instance: 'i',
  host: 'h',
  version: '1',
  node: 'v20',
  labels: ['hostile'],
  devices: [],
  holding: [],
};

/** A greeting that is right but for one property, given as JSON text. */
const greetingWith = (property: string, value: string): string =>
  `{${Object.entries(greeting)
    .filter(([name]) => name !== property)
    .map(([name, given]) => `${json(name)}:${json(given)}`)
    .join(',')},${json(property)}:${value}}`;

/** After a greeting. */
const greeted = (name: string, ...messages: string[]): SocketCase => ({
  name: `after hello: ${name}`,
  as: 'worker',
  messages: [
    event('/workers', 1, 'hello', json(greeting)),
    ...messages.map((text, i) => text.replace('/workers,#', `/workers,${i + 2}`)),
  ],
  answered: ['1', ...messages.flatMap((text, i) => (text.includes('/workers,#') ? [String(i + 2)] : []))],
});
const ask = (name: string, body: string): string => `42/workers,#[${json(name)},${body}]`;
const events = (attempt: string, token: string, stream: string, list: string): string =>
  ask('events', `{"attemptId":${attempt},"token":${token},"stream":${stream},"events":${list}}`);
const held = (list: string): string => events('"{heldAttempt}"', '{heldToken}', '"log"', list);
const line = '{"kind":"log","time":1,"text":"x"}';

export const workerCases: readonly SocketCase[] = [
  ...packets('/workers', 'worker', 'hello'),
  ...Object.entries(texts).flatMap(([name, text]) => [
    worker(`the name ${name}`, 'hello', greetingWith('name', json(text))),
    worker(`the label ${name}`, 'hello', greetingWith('labels', `[${json(text)}]`)),
    worker(
      `the attempt ${name}`,
      'hello',
      greetingWith('holding', `[{"attemptId":${json(text)},"token":1,"state":"running"}]`),
    ),
    greeted(
      `events of the attempt ${name}`,
      events(json(text), '1', '"log"', `[{"sequence":1,"event":${line}}]`),
    ),
    greeted(
      `the stream ${name}`,
      events('"{heldAttempt}"', '{heldToken}', json(text), `[{"sequence":1,"event":${line}}]`),
    ),
  ]),
  ...numbers.flatMap((number) => [
    worker(`protocol ${number}`, 'hello', greetingWith('protocol', number)),
    worker(
      `memory ${number}`,
      'hello',
      greetingWith('devices', `[${json(device).replace('"memoryMb":1', `"memoryMb":${number}`)}]`),
    ),
    greeted(
      `token ${number}`,
      events('"{heldAttempt}"', number, '"log"', `[{"sequence":1,"event":${line}}]`),
    ),
    greeted(`sequence ${number}`, held(`[{"sequence":${number},"event":${line}}]`)),
    greeted(`time ${number}`, held(`[{"sequence":1,"event":{"kind":"log","time":${number},"text":"x"}}]`)),
  ]),
  ...Object.keys(greeting).flatMap((property, at) =>
    someOf(Object.keys(shapes), 2, at).map((shape) =>
      worker(`${property} with ${shape}`, 'hello', greetingWith(property, shapes[shape] ?? '')),
    ),
  ),
  worker(
    '50,000 devices',
    'hello',
    greetingWith('devices', `[${repeat(50_000, () => json(device)).join(',')}]`),
  ),
  worker(
    '1,024 devices of one id',
    'hello',
    greetingWith('devices', `[${repeat(1024, () => json(device)).join(',')}]`),
  ),
  worker(
    '50,000 attempts that there are not',
    'hello',
    greetingWith(
      'holding',
      `[${repeat(50_000, (i) => `{"attemptId":"a${i}","token":1,"state":"running"}`).join(',')}]`,
    ),
  ),
  worker(
    '1,024 attempts that there are not',
    'hello',
    greetingWith(
      'holding',
      `[${repeat(1024, (i) => `{"attemptId":"a${i}","token":1,"state":"ended"}`).join(',')}]`,
    ),
  ),
  worker(
    'somebody else’s attempt',
    'hello',
    greetingWith('holding', '[{"attemptId":"{heldAttempt}","token":{heldToken},"state":"running"}]'),
  ),
  worker('before a greeting', 'heartbeat', '{"devices":[],"attempts":[]}'),
  worker(
    'before a greeting',
    'events',
    `{"attemptId":"{heldAttempt}","token":{heldToken},"stream":"log","events":[{"sequence":1,"event":${line}}]}`,
  ),
  greeted('a second greeting', ask('hello', json(greeting)), ask('hello', greetingWith('name', '"another"'))),
  greeted('300 heartbeats at once', ...repeat(300, () => ask('heartbeat', '{"devices":[],"attempts":[]}'))),
  greeted(
    'a heartbeat for somebody else’s attempt',
    ask('heartbeat', '{"devices":[],"attempts":[{"attemptId":"{heldAttempt}","token":1}]}'),
  ),
  greeted(
    'a heartbeat that says it ends, and goes on',
    ask('heartbeat', '{"devices":[],"attempts":[],"closing":true}'),
    ask('heartbeat', '{"devices":[],"attempts":[]}'),
  ),
  greeted('events of somebody else’s attempt', held(`[{"sequence":1,"event":${line}}]`)),
  greeted('events out of order', held(`[{"sequence":9,"event":${line}},{"sequence":3,"event":${line}}]`)),
  greeted(
    'one sequence many times',
    held(`[${repeat(2000, () => `{"sequence":1,"event":${line}}`).join(',')}]`),
  ),
  greeted('no events', held('[]')),
  greeted(
    '50,000 events',
    held(`[${repeat(50_000, (i) => `{"sequence":${i + 1},"event":${line}}`).join(',')}]`),
  ),
  greeted(
    'a flood of events',
    ...repeat(300, (i) => events('"attempt-none"', '1', '"log"', `[{"sequence":${i + 1},"event":${line}}]`)),
  ),
  greeted(
    'a flood of streams',
    ...repeat(300, (i) => events(`"attempt-${i}"`, '1', '"log"', `[{"sequence":1,"event":${line}}]`)),
  ),
  greeted(
    'a row of 60,000 metrics',
    held(
      `[{"sequence":1,"event":{"kind":"metrics","time":1,"step":1,"values":{${repeat(60_000, (i) => `"m${i}":1`).join(',')}}}}]`,
    ),
  ),
  greeted(
    'values that are none',
    held(
      '[{"sequence":1,"event":{"kind":"metrics","time":1,"step":1,"values":{"a":1e999,"b":"x","__proto__":1}}}]',
    ),
  ),
  greeted(
    'a kind of event that there is not',
    held('[{"sequence":1,"event":{"kind":"__proto__","time":1}}]'),
  ),
  greeted(
    'an event with a deep result',
    held(
      `[{"sequence":1,"event":{"kind":"evaluated","time":1,"step":1,"result":${shapes['an object nested deep']}}}]`,
    ),
  ),
  greeted(
    'an artifact outside',
    held(
      `[{"sequence":1,"event":{"kind":"artifact","time":1,"step":1,"artifact":"log","path":"../../x","bytes":1e300,"sha256":"${'a'.repeat(64)}"}}]`,
    ),
  ),
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
