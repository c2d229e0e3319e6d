/** @file POST /v1/responses. Answers are kept for a while, so that `previous_response_id` continues them. */
import type { Reply, ReplyToken } from '../request.js';
import {
  type AnswerStart,
  type AnswerStream,
  type Dialect,
  openAiError,
  sampledTokens,
  type Send,
} from './dialect.js';
import { createConversations } from './responses-in.js';

const textPart = (content: string, tokens?: readonly ReplyToken[]) => ({
  type: 'output_text',
  text: content,
  annotations: [],
  ...(tokens === undefined
    ? {}
    : {
        logprobs: tokens.map(({ text, logprob }) => ({
          token: text,
          logprob,
          bytes: [...Buffer.from(text)],
          top_logprobs: [],
        })),
      }),
});

function itemsOf({ id, request }: AnswerStart, { content, toolCalls, tokens }: Reply): object[] {
  const hasText = content !== '' || toolCalls.length === 0;
  const part = textPart(content, request.logprobs ? tokens : undefined);
  return [
    ...(hasText
      ? [{ id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content: [part] }]
      : []),
    ...toolCalls.map((call) => ({
      id: `fc_${call.id}`,
      type: 'function_call',
      status: 'completed',
      call_id: call.id,
      name: call.name,
      arguments: call.arguments,
    })),
  ];
}

function responseOf(start: AnswerStart, replies: readonly Reply[] | undefined): object {
  const { id, created, model, promptTokens } = start;
  const [reply] = replies ?? [];
  const isCut = reply?.finish === 'length';
  const completion = sampledTokens(replies ?? []);
  return {
    id,
    object: 'response',
    created_at: created,
    model,
    status: reply === undefined ? 'in_progress' : isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: reply === undefined ? [] : itemsOf(start, reply),
    usage:
      reply === undefined
        ? null
        : {
            input_tokens: promptTokens,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: completion,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: promptTokens + completion,
          },
  };
}

/** Creates the dialect with the conversations that it keeps. */
export function createResponses(): Dialect {
  const { parse, keep } = createConversations();
  return {
    path: 'responses',
    idPrefix: 'resp_',
    parse,
    error: openAiError,
    answer(start, replies) {
      const [reply] = replies;
      if (reply !== undefined) keep(start, reply);
      return responseOf(start, replies);
    },
    stream: (start, send) => openStream(start, send, (reply) => keep(start, reply)),
  };
}

type SendEvent = (type: string, more: object) => void;

interface Item {
  readonly id: string;
  readonly type: string;
  readonly content?: readonly unknown[];
  readonly arguments?: string;
}

function openStream(start: AnswerStart, send: Send, keep: (reply: Reply) => void): AnswerStream {
  let sequence = 0;
  const event = (type: string, more: object): void =>
    send({ type, sequence_number: sequence++, ...more }, type);
  const name = `msg_${start.id}`;
  const place = { item_id: name, output_index: 0, content_index: 0 };
  let isOpen = false;
  const open = (): void => {
    if (isOpen) return;
    isOpen = true;
    const empty = { id: name, type: 'message', role: 'assistant', status: 'in_progress', content: [] };
    event('response.output_item.added', { output_index: 0, item: empty });
    event('response.content_part.added', { ...place, part: textPart('') });
  };
  event('response.created', { response: responseOf(start, undefined) });
  event('response.in_progress', { response: responseOf(start, undefined) });
  return {
    delta(_choice, { text, tokens }) {
      if (text === '') return;
      open();
      const { logprobs = [] } = start.request.logprobs ? textPart('', tokens) : {};
      event('response.output_text.delta', { ...place, delta: text, logprobs });
    },
    end(replies) {
      const [reply] = replies;
      if (reply === undefined) return;
      keep(reply);
      if (reply.content !== '' || reply.toolCalls.length === 0) open();
      (itemsOf(start, reply) as Item[]).forEach((own, at) => endItem(event, reply, own, at, place));
      const isCut = reply.finish === 'length';
      event(isCut ? 'response.incomplete' : 'response.completed', {
        response: responseOf(start, replies),
      });
    },
  };
}

/** Ends the text, and sends calls of functions whole. */
function endItem(event: SendEvent, { content }: Reply, item: Item, at: number, place: object): void {
  const { id, arguments: text } = item;
  const own = { item_id: id, output_index: at };
  if (item.type === 'message') {
    event('response.output_text.done', { ...place, text: content, logprobs: [] });
    event('response.content_part.done', { ...place, part: item.content?.[0] });
  } else {
    const begun = { ...item, status: 'in_progress', arguments: '' };
    event('response.output_item.added', { output_index: at, item: begun });
    event('response.function_call_arguments.delta', { ...own, delta: text });
    event('response.function_call_arguments.done', { ...own, arguments: text });
  }
  event('response.output_item.done', { output_index: at, item });
}
