/**
 * @file POST /v1/chat/completions, with what vLLM adds to it: `return_token_ids`, `continue_final_message` and
 * `chat_template_kwargs`; `continue_token_ids` gives what came before the messages as ids.
 */
import { z } from 'zod';
import type { AgentRequest, Reply, ReplyToken } from '../request.js';
import { type Dialect, invalid, openAiError, parseBody, refuseFields } from './dialect.js';
import { openAiFields, otherDistributions, readOpenAi, tokenIds, usageOf } from './openai.js';
import {
  chatMessages,
  chatTools,
  chooseTools,
  readChatMessages,
  readChatTools,
  readConversation,
} from './messages-in.js';

/** Longest conversation that is given as ids. */
const maxContinued = 1_048_576;

const body = z.looseObject({
  ...openAiFields,
  messages: chatMessages,
  tools: chatTools,
  tool_choice: z.unknown().optional(),
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).nullish(),
  continue_final_message: z.boolean().nullish(),
  continue_token_ids: z.array(z.int().min(0)).max(maxContinued).nullish(),
  chat_template_kwargs: z.record(z.string(), z.unknown()).nullish(),
});

/** Fields that ask for something else than the policy's own distribution. */
const neutral = {
  ...otherDistributions,
  response_format: [{ type: 'text' }],
  functions: [[]],
  function_call: ['auto', 'none'],
  modalities: [['text']],
};

function parse(given: unknown): AgentRequest {
  const read = parseBody(body, given);
  refuseFields(read, neutral, Object.keys(body.shape));
  if ((read.top_logprobs ?? 0) > 0)
    throw invalid(
      'top_logprobs',
      'only log-probabilities of the sampled tokens are known; leave it out, or give 0',
    );
  const tools = chooseTools(readChatTools(read.tools), read.tool_choice);
  const continued = read.continue_token_ids ?? undefined;
  if (read.messages.length === 0 && continued === undefined)
    throw invalid('messages', 'expected at least one message');
  if (continued !== undefined && tools.length > 0)
    throw invalid(
      'tools',
      'they belong to the start of a conversation, which `continue_token_ids` has already',
    );
  const conversation = readConversation(
    readChatMessages(read.messages),
    tools,
    read.continue_final_message ?? false,
  );
  return {
    ...readOpenAi(read),
    prompts: [{ ...conversation, continued, variables: read.chat_template_kwargs ?? undefined }],
    maxTokens: read.max_completion_tokens ?? read.max_tokens ?? undefined,
    logprobs: read.logprobs ?? false,
  };
}

const logprobOf = ({ text, logprob }: ReplyToken) => ({
  token: text,
  logprob,
  bytes: [...Buffer.from(text)],
  top_logprobs: [],
});

const toolCallsOf = ({ toolCalls }: Reply) =>
  toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));

export const chat: Dialect = {
  path: 'chat/completions',
  idPrefix: 'chatcmpl-',
  parse,
  error: openAiError,
  answer(start, replies) {
    const { id, created, model, request } = start;
    const [first] = replies;
    return {
      id,
      object: 'chat.completion',
      created,
      model,
      choices: replies.map((reply, index) => ({
        index,
        message: {
          role: 'assistant',
          content: reply.toolCalls.length > 0 && reply.content === '' ? null : reply.content,
          refusal: null,
          ...(reply.toolCalls.length === 0 ? {} : { tool_calls: toolCallsOf(reply) }),
        },
        logprobs: request.logprobs ? { content: reply.tokens.map(logprobOf), refusal: null } : null,
        finish_reason: reply.finish,
        ...(request.returnsTokenIds ? tokenIds(reply.tokens) : {}),
      })),
      usage: usageOf(start, replies),
      ...(request.returnsTokenIds ? { prompt_token_ids: [...(first?.prompt ?? [])] } : {}),
    };
  },
  stream(start, send) {
    const { id, created, model, request, prompts } = start;
    const chunk = (choices: unknown[], more: object = {}): void =>
      send({ id, object: 'chat.completion.chunk', created, model, choices, ...more });
    const part = (index: number, delta: object, finish: string | null = null, more: object = {}): void =>
      chunk([{ index, delta, finish_reason: finish, logprobs: null, ...more }]);
    if (request.returnsTokenIds) chunk([], { prompt_token_ids: [...(prompts[0] ?? [])] });
    for (let index = 0; index < request.n; index += 1) part(index, { role: 'assistant', content: '' });
    return {
      delta(index, { text, tokens }) {
        const ids = request.returnsTokenIds ? tokenIds(tokens) : {};
        const logprobs = request.logprobs
          ? { logprobs: { content: tokens.map(logprobOf), refusal: null } }
          : {};
        const isEmpty =
          text === '' && (tokens.length === 0 || !(request.logprobs || request.returnsTokenIds));
        if (!isEmpty) part(index, { content: text }, null, { ...logprobs, ...ids });
      },
      end(replies) {
        replies.forEach((reply, index) => {
          const calls = toolCallsOf(reply).map((call, at) => ({ index: at, ...call }));
          if (calls.length > 0) part(index, { tool_calls: calls });
          part(index, {}, reply.finish);
        });
        if (request.streamsUsage) chunk([], { usage: usageOf(start, replies) });
        send('[DONE]');
      },
    };
  },
};
