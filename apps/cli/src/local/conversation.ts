/** @file Replies of a model in a conversation, piece by piece as they are sampled. */
import { randomUUID } from 'node:crypto';
import {
  AppError,
  type ChatMessage,
  isAppError,
  type PolicyEngine,
  type SamplingParams,
  type Tokenizer,
} from '@espalier/contracts';

export interface Conversation {
  /**
   * Samples the reply to messages.
   *
   * @param show gets the text as it grows
   * @param signal ends the reply early
   * @throws engine.context_exceeded when the messages fill the context
   */
  reply(
    messages: readonly ChatMessage[],
    show: (piece: string) => void,
    signal?: AbortSignal,
  ): Promise<string>;
}

export interface ConversationOptions {
  readonly params: Pick<SamplingParams, 'temperature' | 'topP' | 'topK' | 'maxTokens'>;
  readonly seed: number;
}

/** Tokens that are sampled before the next piece is shown; the first comes alone. */
const pieceTokens = 4;

/** Opens a conversation with the policy of an engine. */
export function createConversation(
  { policy, description: { contextLength } }: PolicyEngine,
  tokenizer: Tokenizer,
  { params, seed }: ConversationOptions,
): Conversation {
  const { stopTokens } = tokenizer;
  let sequence = randomUUID();
  let known: readonly number[] = [];
  return {
    async reply(messages, show, signal) {
      const prompt = tokenizer.encode(tokenizer.renderMessages(messages, { generation: true }));
      if (prompt.length >= contextLength)
        throw new AppError(
          'engine.context_exceeded',
          `chat: the conversation has ${prompt.length} tokens, the context ${contextLength}; start a new one`,
        );
      // a sequence only grows; a reply whose text is cut into other tokens begins a new one
      if (!known.every((id, i) => prompt[i] === id)) {
        policy.release([sequence]);
        sequence = randomUUID();
      }
      const reply: number[] = [];
      const text = createTextStream(tokenizer, prompt.at(-1), show);
      for (let isOver = false; !isOver;) {
        const most = Math.min(params.maxTokens - reply.length, reply.length === 0 ? 1 : pieceTokens);
        const request = {
          sequence,
          tokens: concatenate(prompt, reply),
          params: { ...params, maxTokens: most, stopTokens, stopSequences: [] },
          seed,
        };
        const result = await policy.sample(request, signal).catch((error: unknown) => {
          if (isAppError(error) && error.code === 'engine.cancelled') return undefined;
          throw error;
        });
        reply.push(...(result?.tokens ?? []));
        // what was sampled before a reply was stopped is not known here
        known = result === undefined ? [-1] : [...prompt, ...reply];
        isOver = result === undefined || result.stop !== 'length' || reply.length >= params.maxTokens;
        text.update(
          reply.filter((id) => !stopTokens.includes(id)),
          isOver,
        );
      }
      return text.whole();
    },
  };
}

/** Not by arguments of one call, which a long prompt has too many of. */
function concatenate(prompt: Int32Array, reply: readonly number[]): Int32Array {
  const tokens = new Int32Array(prompt.length + reply.length);
  tokens.set(prompt);
  tokens.set(reply, prompt.length);
  return tokens;
}

/** Shows what is new of a text; bytes of an unfinished character wait. */
function createTextStream(tokenizer: Tokenizer, previous: number | undefined, show: (piece: string) => void) {
  const { continuation } = tokenizer;
  let shown = '';
  return {
    update(tokens: readonly number[], isLast: boolean): void {
      const text = continuation?.decode(tokens, previous) ?? tokenizer.decode(tokens);
      const ready = isLast ? text : withoutUnfinished(text);
      if (!ready.startsWith(shown)) return;
      if (ready.length > shown.length) show(ready.slice(shown.length));
      shown = ready;
    },
    whole: () => shown,
  };
}

function withoutUnfinished(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '\uFFFD') end -= 1;
  return text.slice(0, end);
}
