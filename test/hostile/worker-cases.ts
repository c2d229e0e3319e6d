/** @file Hostile messages of workers. */
import { event, json, packets, repeat, said } from './packets.js';
import type { SocketCase } from './send.js';
import { numbers, shapes, someOf, texts } from './values.js';

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
  plugins: [],
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
  worker('before a greeting', 'heartbeat', '{"devices":[],"plugins":[],"attempts":[]}'),
  worker(
    'before a greeting',
    'events',
    `{"attemptId":"{heldAttempt}","token":{heldToken},"stream":"log","events":[{"sequence":1,"event":${line}}]}`,
  ),
  greeted('a second greeting', ask('hello', json(greeting)), ask('hello', greetingWith('name', '"another"'))),
  greeted(
    '300 heartbeats at once',
    ...repeat(300, () => ask('heartbeat', '{"devices":[],"plugins":[],"attempts":[]}')),
  ),
  greeted(
    'a heartbeat for somebody else’s attempt',
    ask('heartbeat', '{"devices":[],"plugins":[],"attempts":[{"attemptId":"{heldAttempt}","token":1}]}'),
  ),
  greeted(
    'a heartbeat that says it ends, and goes on',
    ask('heartbeat', '{"devices":[],"plugins":[],"attempts":[],"closing":true}'),
    ask('heartbeat', '{"devices":[],"plugins":[],"attempts":[]}'),
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
