/** @file Packets of engine.io and socket.io: how a case writes one, and those that are wrong as such. */
import type { SocketCase } from './send.js';
import { shapes } from './values.js';
import type { Role } from './world.js';

export const json = (value: unknown): string => JSON.stringify(value);
export const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** An event with an answer asked for; `body` is JSON text. */
export const event = (namespace: string, id: number, name: string, body: string): string =>
  `42${namespace},${id}[${json(name)},${body}]`;

/** A case of one message that is answered. */
export const said = (
  namespace: string,
  name: string,
  message: string,
  body: string,
  as: Role,
): SocketCase => ({
  name,
  as,
  messages: [event(namespace, 1, message, body)],
  answered: ['1'],
});

/** What no follower and no worker says: packets of engine.io and of socket.io that are wrong as such. */
export function packets(namespace: string, as: Role, known: string): SocketCase[] {
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
