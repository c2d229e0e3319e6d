/** @file A conversation with a checkpoint, as the page keeps it. */
import type { ChatRequest } from '../data/types.js';
import type { ChatStart } from './chat-place.js';

/** A token as it was sampled. */
export interface ChatToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number | null;
}

/** What a reply continues, beside what is said. */
export type Context = Pick<ChatRequest, 'before' | 'trajectory' | 'turn' | 'withReply' | 'system'>;

export type Sampling = Required<Pick<ChatRequest, 'temperature' | 'topP' | 'topK' | 'maxTokens'>>;

/** What a user said, and what came back. */
export interface Exchange {
  /** undefined: the model replied to the context at once */
  readonly message: string | undefined;
  readonly sampling: Sampling;
  /** step of the checkpoint that replied */
  readonly step: number;
  /** what the reply began with: given to the model, not sampled */
  readonly opening: string;
  readonly text: string;
  readonly tokens: readonly ChatToken[];
  /** ids of the prompt; empty until they have arrived */
  readonly prompt: readonly number[];
  /** `cut`: the page was closed before the reply was whole */
  readonly state: 'waiting' | 'replying' | 'stop' | 'length' | 'stopped' | 'failed' | 'cut';
  /** why it failed */
  readonly error?: string | undefined;
}

/** What is kept of a chat, so that it is as it was when it is opened again. */
export interface Conversation {
  readonly id: string;
  readonly runId: string;
  readonly place: ChatStart;
  /** system message of one's own; undefined: that of the run */
  readonly system: string | undefined;
  readonly sampling: Sampling;
  /** what is written, and not sent */
  readonly draft: string;
  readonly exchanges: readonly Exchange[];
}

/** A piece of a reply that arrives. */
export interface Arrived {
  readonly text: string;
  readonly tokens: readonly ChatToken[];
  readonly prompt?: readonly number[] | undefined;
  readonly end?: 'stop' | 'length' | undefined;
}

/** An exchange with what has arrived of its reply. */
export const withPiece = (exchange: Exchange, piece: Arrived): Exchange => ({
  ...exchange,
  text: exchange.text + piece.text,
  tokens: [...exchange.tokens, ...piece.tokens],
  prompt: piece.prompt ?? exchange.prompt,
  state: piece.end ?? 'replying',
});

/** What the next message continues: the last exchange that has a prompt, else the start. */
export function contextAfter(exchanges: readonly Exchange[], start: Context): Context {
  const last = exchanges.findLast(({ prompt }) => prompt.length > 0);
  if (last === undefined) return start;
  return { before: [...last.prompt, ...last.tokens.map(({ id }) => id)] };
}

/** What the first message of a conversation continues. */
export const startOf = ({ place: { trajectory, turn, isAfter }, system }: Conversation): Context => ({
  ...(trajectory === undefined || turn === undefined
    ? {}
    : { trajectory, turn, ...(isAfter ? { withReply: true } : {}) }),
  ...(system === undefined ? {} : { system }),
});

const titleLength = 60;

/** The first words of a conversation, else where it began. */
export function titleOf({ exchanges, draft, place: { trajectory, turn } }: Conversation): string {
  const said = exchanges.find(({ message }) => message?.trim() ?? '')?.message ?? '';
  const words = (said === '' && exchanges.length === 0 ? draft : said).trim().replaceAll(/\s+/g, ' ');
  if (words === '' && turn !== undefined) return `Turn ${turn + 1} of ${trajectory}`;
  if (words.length <= titleLength) return words;
  // a character of two units is not cut in half
  return `${words.slice(0, titleLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Nothing was said or written, so there is nothing to keep. */
export const isBlank = ({ exchanges, draft, system }: Conversation): boolean =>
  exchanges.length === 0 && draft.trim() === '' && system === undefined;

/** How probable the reply was to the model: the mean over its tokens, in nats; undefined: nothing was sampled. */
export function meanLogprob(tokens: readonly ChatToken[]): number | undefined {
  const known = tokens.flatMap(({ logprob }) => logprob ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0) / known.length;
}

/** The checkpoint to talk to: that of a step, else the newest before it, else the first. */
export function chooseCheckpoint<T extends { readonly step: number }>(
  stored: readonly T[],
  wanted: number,
): T | undefined {
  return stored.findLast(({ step }) => step <= wanted) ?? stored[0];
}
