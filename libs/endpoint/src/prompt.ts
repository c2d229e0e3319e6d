/**
 * @file A request as tokens. Where it continues a reply of its session, the ids that were sampled are kept, and only what
 * follows is encoded; where the chat template or the agent rewrote what came before, it is encoded as a whole.
 */
import { AppError, type Tokenizer } from '@espalier/contracts';
import type { TemplateMessage } from '@espalier/contracts/template-message';
import { decodePiece, deriveChatFrame, encodePiece, findTextEnds } from '@espalier/rollout/agents';
import type { AgentPrompt } from './request.js';
import type { Call } from './sessions/call.js';
import { parseToolCalls } from './tool-calls.js';

/** A prompt. */
export interface BuiltPrompt {
  readonly tokens: Int32Array;
  /** as the chat template writes it */
  readonly text: string;
  /** per token: it is text of a message that the session had not shown before, and neither system nor reply */
  readonly isShown: Uint8Array;
  /** what the new messages say */
  readonly observation: string;
}

/** Renders and encodes a prompt. @throws endpoint.invalid_request when the chat template refuses the conversation */
export function buildPrompt(
  tokenizer: Tokenizer,
  prompt: AgentPrompt,
  calls: readonly Call[],
  variables: Readonly<Record<string, unknown>>,
): BuiltPrompt {
  if ('tokens' in prompt) return plainPrompt(tokenizer, Int32Array.from(prompt.tokens));
  if ('text' in prompt) return plainPrompt(tokenizer, tokenizer.encode(prompt.text));
  if (prompt.continued !== undefined) return continuePrompt(tokenizer, prompt, prompt.continued, variables);
  const { messages, tools, opened } = prompt;
  const options = { ...variables, ...prompt.variables, ...(tools.length === 0 ? {} : { tools }) };
  const render = (shown: readonly TemplateMessage[], generation: boolean): string => {
    try {
      return tokenizer.renderMessages(shown, { generation, variables: options });
    } catch (cause) {
      throw new AppError(
        'endpoint.invalid_request',
        `messages: ${cause instanceof Error ? cause.message : String(cause)}`,
        { cause },
      );
    }
  };
  const text = render(messages, true) + opened;
  const known = findContinued(tokenizer, prompt, text, calls, render);
  const rest = known?.rest ?? text;
  const previous = known?.tokens.at(-1);
  const encoded = previous === undefined ? tokenizer.encode(rest) : encodePiece(tokenizer, rest, previous);
  const tokens = known === undefined ? encoded : join(known.tokens, encoded);
  const fresh = newMessages(messages, calls);
  const isShown = new Uint8Array(tokens.length);
  isShown.set(markShown(tokenizer, rest, encoded, previous, fresh), tokens.length - encoded.length);
  return { tokens, text, isShown, observation: fresh.map(({ content }) => content).join('\n') };
}

function plainPrompt(tokenizer: Tokenizer, tokens: Int32Array): BuiltPrompt {
  const text = tokenizer.decode(tokens);
  return { tokens, text, isShown: new Uint8Array(tokens.length).fill(1), observation: text };
}

/**
 * Puts messages behind a conversation that is given as ids, as the chat template would: those ids stay what they are.
 * Without a message the reply follows them at once.
 */
function continuePrompt(
  tokenizer: Tokenizer,
  { messages, opened, variables: own }: Extract<AgentPrompt, { messages: unknown }>,
  continued: readonly number[],
  variables: Readonly<Record<string, unknown>>,
): BuiltPrompt {
  const [message] = messages;
  if (messages.length > 1 || (message !== undefined && message.role !== 'user'))
    throw new AppError(
      'endpoint.invalid_request',
      'messages: behind `continue_token_ids` goes one message of the user, or none where the reply follows at once; give the rest as ids',
    );
  const before = Int32Array.from(continued);
  const last = before.at(-1);
  if (last === undefined || continued.some((id) => id >= tokenizer.vocabularySize))
    throw new AppError(
      'endpoint.invalid_request',
      `continue_token_ids: expected ids below ${tokenizer.vocabularySize}, at least one; give those of an earlier prompt and its reply`,
    );
  const text =
    message === undefined
      ? ''
      : textBehind(tokenizer, last, message.content, { ...variables, ...own }) + opened;
  const added = text === '' ? new Int32Array(0) : encodePiece(tokenizer, text, last);
  const tokens = join(before, added);
  const isShown = new Uint8Array(tokens.length);
  isShown.set(markShown(tokenizer, text, added, last, messages), before.length);
  return { tokens, text: tokenizer.decode(before) + text, isShown, observation: message?.content ?? '' };
}

/** What the chat template writes between the id `last` of a reply and the next one, around a message. */
function textBehind(
  tokenizer: Tokenizer,
  last: number,
  content: string,
  variables: Readonly<Record<string, unknown>>,
): string {
  const frame = deriveChatFrame(tokenizer, { system: undefined, fewShot: [] }, variables);
  // a reply that was cut off has no end of turn yet
  const closing = last === tokenizer.endOfTurn ? '' : frame.closing;
  return closing + frame.next + (frame.trims ? content.trim() : content) + frame.generation;
}

interface Continued {
  /** of the call: prompt and reply */
  readonly tokens: Int32Array;
  /** what follows them */
  readonly rest: string;
}

/** Finds the longest call whose reply this conversation continues, word by word as the template writes it. */
function findContinued(
  tokenizer: Tokenizer,
  { messages, tools }: Extract<AgentPrompt, { messages: unknown }>,
  text: string,
  calls: readonly Call[],
  render: (shown: readonly TemplateMessage[], generation: boolean) => string,
): Continued | undefined {
  const keys = messages.map((message) => JSON.stringify(message));
  const candidates = calls
    .filter(
      ({ messages: before, message }) =>
        before !== undefined &&
        before.length < keys.length &&
        keys[before.length] === message &&
        before.every((key, at) => keys[at] === key),
    )
    .sort((a, b) => (b.messages?.length ?? 0) - (a.messages?.length ?? 0));
  const turnEnd = tokenizer.decode([tokenizer.endOfTurn]);
  for (const call of candidates) {
    const closed = render(messages.slice(0, (call.messages?.length ?? 0) + 1), false);
    if (!text.startsWith(closed) || !closed.startsWith(call.promptText)) continue;
    const middle = closed.slice(call.promptText.length);
    const end = middle.lastIndexOf(turnEnd);
    if (end < 0 || !isReplyOf(tokenizer, call, middle.slice(0, end), tools)) continue;
    const isClosed = call.sample.tokens.at(-1) === tokenizer.endOfTurn;
    const rest = middle.slice(isClosed ? end + turnEnd.length : end) + text.slice(closed.length);
    return { tokens: call.tokens, rest };
  }
  return undefined;
}

/** Whether the template's text of a reply is what was sampled, or calls the same tools. */
function isReplyOf(
  tokenizer: Tokenizer,
  { prompt, sample, reply }: Call,
  written: string,
  tools: Extract<AgentPrompt, { messages: unknown }>['tools'],
): boolean {
  const last = sample.tokens.at(-1);
  const isStopped = last !== undefined && tokenizer.stopTokens.includes(last);
  const content = sample.tokens.subarray(0, sample.tokens.length - Number(isStopped));
  if (decodePiece(tokenizer, content, prompt.at(-1)) === written) return true;
  if (reply.toolCalls.length === 0) return false;
  const read = parseToolCalls(written, tools, (index) => reply.toolCalls[index]?.id ?? '');
  return read.content === reply.content && JSON.stringify(read.toolCalls) === JSON.stringify(reply.toolCalls);
}

/** Messages that no call of the session had in that place: what users and tools said. */
function newMessages(
  messages: readonly TemplateMessage[],
  calls: readonly Call[],
): readonly TemplateMessage[] {
  const known = new Set(calls.flatMap((call) => call.messages?.map((key, at) => `${at} ${key}`) ?? []));
  return messages.filter(
    (message, at) =>
      message.role !== 'system' &&
      message.role !== 'assistant' &&
      !known.has(`${at} ${JSON.stringify(message)}`),
  );
}

/** Finds the tokens of the new messages; a token across their ends belongs to them. */
function markShown(
  tokenizer: Tokenizer,
  text: string,
  tokens: Int32Array,
  previous: number | undefined,
  messages: readonly TemplateMessage[],
): Uint8Array {
  const isShown = new Uint8Array(tokens.length);
  if (messages.length === 0) return isShown;
  const ends = findTextEnds(tokenizer, tokens, previous);
  let from = 0;
  let token = 0;
  for (const { content } of messages) {
    const said = content.trim();
    const start = said === '' ? -1 : text.indexOf(said, from);
    if (start < 0) continue;
    from = start + said.length;
    while (token < tokens.length && (ends[token] as number) <= start) token += 1;
    for (; token < tokens.length && (token === 0 ? 0 : (ends[token - 1] as number)) < from; token += 1)
      isShown[token] = 1;
  }
  return isShown;
}

export function join(first: Int32Array, second: Int32Array): Int32Array {
  const joined = new Int32Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
