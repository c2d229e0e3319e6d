/** @file The input of requests about chats with checkpoints. */
import { count, text } from '@espalier/protocol/bounds';
import { maxChatCharacters, maxChatTokens } from '@espalier/protocol/chat';
import { z } from 'zod';

/** Longest wait of a loaded model for the next message, s. */
const maxIdleSeconds = 3600;

/** Starts a chat. */
export const startChatRequest = z.strictObject({
  step: count.optional().describe('step of the checkpoint; default: the newest'),
  idleSeconds: z
    .int()
    .min(10)
    .max(maxIdleSeconds)
    .default(300)
    .describe('the model is unloaded, and its devices are free, when nobody has asked for so long'),
  priority: z.int().min(-1000).max(1000).default(0).describe('higher is scheduled first'),
});
export type StartChat = z.output<typeof startChatRequest>;

const said = (what: string) => z.string().max(maxChatCharacters).optional().describe(what);

/** Asks for a reply. */
export const chatReplyRequest = z
  .strictObject({
    message: said('what the user says; without it the model replies to the context at once'),
    system: said(
      'system message of a new conversation; empty: none; default: that of the run, with its examples',
    ),
    before: z
      .array(count)
      .min(1)
      .max(maxChatTokens)
      .optional()
      .describe('the conversation so far as token ids: prompt and reply of the reply before'),
    trajectory: text(200)
      .optional()
      .describe('the conversation so far is that of this trajectory: split/step/group/index'),
    turn: count.optional().describe('up to the reply of this turn, from 0'),
    withReply: z.boolean().default(false).describe('the recorded reply of that turn is part of it'),
    temperature: z.number().min(0).max(10).optional().describe('0 is greedy; default: that of the run'),
    topP: z.number().gt(0).max(1).optional().describe('default: that of the run'),
    topK: count.optional().describe('0: all tokens; default: that of the run'),
    maxTokens: z
      .int()
      .min(1)
      .max(maxChatTokens)
      .optional()
      .describe('longest reply; default: rollout.maxResponseTokens'),
    seed: count.optional().describe('of sampling; default: any'),
  })
  .superRefine(({ message, system, before, trajectory, turn, withReply }, context) => {
    const isContinued = before !== undefined || trajectory !== undefined;
    const refuse = (path: string, finding: string): void =>
      context.addIssue({ code: 'custom', path: [path], message: finding });
    if (before !== undefined && trajectory !== undefined)
      refuse('before', 'a conversation continues ids or a trajectory; give one of them');
    if (system !== undefined && isContinued)
      refuse('system', 'the conversation has begun already; leave it out');
    if ((turn !== undefined) !== (trajectory !== undefined))
      refuse('turn', '`trajectory` and `turn` belong together');
    if (withReply && message === undefined && trajectory !== undefined)
      refuse('message', 'expected what is said after the reply of the turn');
    if (message === undefined && !isContinued) refuse('message', 'expected what is said');
  });
export type ChatReply = z.output<typeof chatReplyRequest>;
