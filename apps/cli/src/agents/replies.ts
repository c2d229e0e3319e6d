/**
 * @file What agents behind an API replied, by all that affects it, so that nothing is paid twice and a table can be played
 * again without the endpoint.
 */
import { createHash } from 'node:crypto';
import type { Spent } from './spent.js';

/** What a reply depends on; messages only by their hash. */
export interface Asked {
  readonly baseUrl: string;
  readonly model: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** of the request, whether it is sent or not */
  readonly seed: number;
  /** undefined in files of older versions, which did not tell */
  readonly isSeedSent?: boolean | undefined;
  /** the begun reply that is sent as a last message; undefined: none is */
  readonly prefill?: string | undefined;
  readonly opened: string;
  /** sha256 of the messages */
  readonly messages: string;
}

/** How a request ended, its further tries included. */
export interface KeptReply extends Spent {
  /** hash of what makes the agent that asked what it is; undefined in files of older versions */
  readonly agent?: string | undefined;
  readonly asked: Asked;
  readonly text: string;
  readonly isCut: boolean;
  /** why there is no text */
  readonly failure?: string | undefined;
}

export interface Replies {
  find(asked: Asked): KeptReply | undefined;
  /** Remembers a reply, on disk where there is a file. */
  add(reply: KeptReply): void;
  all(): readonly KeptReply[];
}

function keyOf({ baseUrl, model, fields, seed, isSeedSent, prefill, opened, messages }: Asked): string {
  const sorted = Object.entries(fields).sort();
  return JSON.stringify([baseUrl, model, sorted, seed, isSeedSent, prefill, opened, messages]);
}

/** The sha256 of messages, or of what makes an agent. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Remembers replies; `write` puts a new one on disk. */
export function createReplies(known: readonly KeptReply[], write: (reply: KeptReply) => void): Replies {
  const byKey = new Map(known.map((reply) => [keyOf(reply.asked), reply]));
  return {
    find: (asked) => byKey.get(keyOf(asked)) ?? byKey.get(keyOf({ ...asked, isSeedSent: undefined })),
    add(reply) {
      write(reply);
      byKey.set(keyOf(reply.asked), reply);
    },
    all: () => [...byKey.values()],
  };
}

/** Says what is nearest to a reply that is not there. */
export function describeMissing(replies: Replies, asked: Asked): string {
  const same = replies
    .all()
    .filter(({ asked: { baseUrl, model } }) => baseUrl === asked.baseUrl && model === asked.model);
  if (same.length === 0) {
    const [other] = replies.all();
    const found =
      other === undefined ? 'no replies' : `replies of ${other.asked.model} at ${other.asked.baseUrl}`;
    return `it holds ${found}, none of ${asked.model} at ${asked.baseUrl}`;
  }
  const near = same.find(
    ({ asked: { messages, seed } }) => messages === asked.messages && seed === asked.seed,
  );
  if (near !== undefined)
    return `it was recorded with ${describeAsked(near.asked)}, this command asks with ${describeAsked(asked)}`;
  return same.some(({ asked: { messages } }) => messages === asked.messages)
    ? 'it has this conversation with other seeds only: the seed of the run, the number of draws or the split differs'
    : 'it does not have this conversation: prompt, environment, rewards shown or states differ, or the recording was stopped before';
}

const describeAsked = ({ fields, isSeedSent, prefill }: Asked): string =>
  [
    JSON.stringify(fields),
    ...(isSeedSent === false ? ['no seed'] : []),
    ...(prefill === undefined ? [] : [`prefill ${JSON.stringify(prefill)}`]),
  ].join(' and ');
