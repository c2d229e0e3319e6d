/** @file The cases of the tables changed at random, several at once; case k of a seed is the same whatever ran before. */
import { createStream, deriveSeed, type RandomStream } from '@espalier/random';
import { mutateBytes } from '../../tools/fuzz/src/mutate.js';
import type { AnyCase } from './all-cases.js';
import type { HttpCase, RawCase, SocketCase } from './send.js';
import type { Role } from './world.js';

const roles: readonly Role[] = ['none', 'wrong', 'viewer', 'operator', 'admin', 'worker'];
const words = [
  '{scratch}',
  '{heldRun}',
  '{heldAttempt}',
  '__proto__',
  '\\u0000',
  '\\ud800',
  '1e999',
  '../',
  'null',
  '[',
  '{',
];

/** Changes some bytes; what may be sent only as bytes stays bytes. */
function change(stream: RandomStream, value: string | Buffer): Buffer {
  const target = { name: 'hostile', corpus: [Buffer.from('{"a":[1]}')], words, read: () => undefined };
  let bytes: Uint8Array = Buffer.from(value);
  for (let round = stream.int(4); round >= 0; round -= 1) bytes = mutateBytes(stream, bytes, target);
  return Buffer.from(bytes);
}

/** Bytes that may stand in an address. */
const changePath = (stream: RandomStream, path: string): string =>
  `/${change(stream, path.slice(1))
    .toString('latin1')
    .replace(/[^\x21-\x7e]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}`;

export function changeHttp(stream: RandomStream, one: HttpCase): HttpCase {
  return {
    ...one,
    as: stream.int(3) === 0 ? stream.pick(roles) : (one.as ?? 'admin'),
    path: stream.int(3) === 0 ? changePath(stream, one.path) : one.path,
    ...(one.body === undefined ? {} : { body: change(stream, one.body) }),
  };
}

export const changeRaw = (stream: RandomStream, one: RawCase): RawCase => ({
  ...one,
  pieces: one.pieces.map((piece) => (stream.int(2) === 0 ? change(stream, piece) : piece)),
});

/** Messages changed, left out, doubled, and out of order; which of them are answered nobody knows then. */
export function changeSocket(stream: RandomStream, { name, as = 'admin', messages }: SocketCase): SocketCase {
  const kept = messages.slice(0, 500).flatMap((message): (string | Buffer)[] => {
    const chance = stream.int(8);
    if (chance === 0) return [];
    if (chance === 1) return [message, message];
    // text stays text, or the packet would be of another kind
    if (chance < 5)
      return [typeof message === 'string' ? change(stream, message).toString() : change(stream, message)];
    return [message];
  });
  if (stream.int(3) === 0) kept.reverse();
  // graphql-ws closes so whenever a changed message has the type of one that only a server sends
  return { name, as: stream.int(4) === 0 ? stream.pick(roles) : as, messages: kept, mayClose: 4500 };
}

/** Picks cases of any transport, each changed, that are sent at once. */
export function pickCases(cases: readonly AnyCase[], seed: number, index: number): AnyCase[] {
  const stream = createStream(deriveSeed(seed, 'hostile', index));
  return Array.from({ length: 1 + stream.int(6) }, () => stream.pick(cases).changed(stream));
}
