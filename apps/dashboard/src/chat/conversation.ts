/** @file A conversation with a checkpoint, as the page keeps it. */
import type { ChatRequest } from '../data/types.js';

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
  readonly context: Context;
  readonly sampling: Sampling;
  /** step of the checkpoint that replied */
  readonly step: number;
  readonly text: string;
  readonly tokens: readonly ChatToken[];
  /** ids of the prompt; empty until they have arrived */
  readonly prompt: readonly number[];
  readonly state: 'waiting' | 'replying' | 'stop' | 'length' | 'stopped' | 'failed';
  /** why it failed */
  readonly error?: Error;
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
