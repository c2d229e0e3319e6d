/**
 * @file The entry `@espalier/protocol/chat`: the messages between server and worker by which the model of a chat replies.
 * The server sends `call`; the worker asks the process of the attempt, and sends what that samples as messages `reply`.
 */
import { isSafeName } from '@espalier/contracts';
import { z } from 'zod';
import { count, list, printedText, text } from './bounds.js';

/** Longest conversation of a call or a reply, in tokens. */
export const maxChatTokens = 262_144;
/** Longest message, in characters. */
export const maxChatCharacters = 200_000;

const name = text(64, { least: 1 }).refine(isSafeName, { error: 'not a plain name' });
const called = { attemptId: name, token: count.min(1), callId: name };

/** `call`, from the server: the process of a chat is to reply. Acknowledged before it replies. */
export const callMessage = z.object({
  ...called,
  body: z
    .record(z.string(), z.unknown())
    .describe('of POST /v1/chat/completions at the endpoint of the process'),
});
export type CallMessage = z.infer<typeof callMessage>;

/** A token of a reply. */
export const replyToken = z.object({
  id: count.describe('its id in the vocabulary'),
  text: z.string().max(1000).describe('its text; empty for all but the last token of a character'),
  logprob: z.number().nullable().describe('its log-probability, nats, as it was sampled; null: not finite'),
});
export type ReplyToken = z.infer<typeof replyToken>;

/** What is new of a reply. */
export const replyPiece = z.object({
  text: z.string().max(maxChatCharacters).describe('the text that is new'),
  tokens: list(replyToken, 20_000).describe('the tokens that are new'),
  prompt: list(count, maxChatTokens).optional().describe('in the first piece: ids of the prompt'),
  end: z
    .enum(['stop', 'length'])
    .optional()
    .describe('in the last piece: the model ended it, or the limit of tokens or of the context did'),
  error: z
    .object({
      code: text(200).describe('stable code'),
      message: printedText(20_000).describe('what was found'),
    })
    .optional()
    .describe('in the last piece of a reply that failed'),
});
export type ReplyPiece = z.infer<typeof replyPiece>;

/** `reply`: what is new of the reply to a call. */
export const replyMessage = replyPiece.extend(called);
/** false: nobody waits for more of it. */
export interface ReplyAnswer {
  readonly isWanted: boolean;
}
