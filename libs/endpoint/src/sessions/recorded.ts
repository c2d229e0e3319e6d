/**
 * @file A conversation that another program has recorded, as the trajectory that a session with this model's tokenizer would have
 * been: each reply is a call, its text encoded behind the prompt that the chat template writes.
 */
import type { Tokenizer } from '@espalier/contracts';
import type { TemplateMessage } from '@espalier/contracts/template-message';
import type { UnscoredTrajectory } from '@espalier/plugin-kit';
import { encodePiece } from '@espalier/rollout/agents';
import { buildPrompt } from '../prompt.js';
import type { Tool } from '../request.js';
import { type Call, placeCall } from './call.js';
import { joinCalls, type SessionOutcome, type SessionRollout } from './trajectory.js';

/** A reply of a model, and what it was asked with. */
export interface RecordedReply {
  readonly messages: readonly TemplateMessage[];
  readonly tools: readonly Tool[];
  readonly reply: TemplateMessage;
  /** it was cut off, so that no end of turn was sampled */
  readonly isCut: boolean;
  /** ids and log-probabilities as they were sampled, where they were recorded; kept where the ids are those of this tokenizer */
  readonly sampled?: { readonly ids: readonly number[]; readonly logprobs: readonly number[] } | undefined;
}

/**
 * Joins recorded replies. Log-probabilities that are not known are NaN, entropies are 0.
 *
 * @throws endpoint.invalid_request when the chat template refuses a conversation
 */
export function joinRecorded(
  tokenizer: Tokenizer,
  replies: readonly RecordedReply[],
  rollout: SessionRollout,
  outcome: SessionOutcome,
): UnscoredTrajectory {
  const calls: Call[] = [];
  for (const [at, recorded] of replies.entries()) {
    const { messages, tools, reply } = recorded;
    const built = buildPrompt(tokenizer, { messages, tools, opened: '' }, calls, {});
    const text = textOfReply(tokenizer, built.text, recorded);
    const ids = encodePiece(tokenizer, text, built.tokens.at(-1) as number);
    const tokens = Int32Array.from([...ids, ...(recorded.isCut ? [] : [tokenizer.endOfTurn])]);
    const call = placeCall(
      {
        id: String(at),
        choice: 0,
        built,
        messages: messages.map((message) => JSON.stringify(message)),
        message: JSON.stringify(reply),
        sample: {
          tokens,
          logprobs: knownLogprobs(tokens, recorded.sampled),
          entropies: new Float32Array(tokens.length),
          stop: recorded.isCut ? 'length' : 'stop',
        },
        reply: {
          content: reply.content,
          toolCalls: [],
          tokens: [],
          finish: recorded.isCut ? 'length' : 'stop',
          stopText: undefined,
          prompt: built.tokens,
        },
        timings: { sampleMs: 0, environmentMs: 0 },
      },
      calls,
    );
    calls.push(call);
  }
  return joinCalls(tokenizer, calls, rollout, outcome);
}

/** A reply as the template writes it, calls of tools included; its plain text where the template writes the prompt otherwise then. */
function textOfReply(
  tokenizer: Tokenizer,
  prompt: string,
  { messages, tools, reply }: RecordedReply,
): string {
  const variables = tools.length === 0 ? {} : { tools };
  const whole = tokenizer.renderMessages([...messages, reply], { generation: false, variables });
  if (!whole.startsWith(prompt)) return reply.content;
  const written = whole.slice(prompt.length);
  const end = written.lastIndexOf(tokenizer.decode([tokenizer.endOfTurn]));
  return end < 0 ? written : written.slice(0, end);
}

function knownLogprobs(tokens: Int32Array, sampled: RecordedReply['sampled']): Float32Array {
  const isSame =
    sampled?.ids.length === tokens.length &&
    sampled.logprobs.length === tokens.length &&
    sampled.ids.every((id, at) => id === tokens[at]);
  return isSame ? Float32Array.from(sampled.logprobs) : new Float32Array(tokens.length).fill(Number.NaN);
}
