/** @file POST /v1/completions: text or tokens are continued as they are, without a chat template. */
import { z } from 'zod';
import type { AgentPrompt, AgentRequest, Reply, ReplyToken } from '../request.js';
import {
  type AnswerStart,
  type Dialect,
  invalid,
  openAiError,
  parseBody,
  readSampling,
  readStops,
  refuseFields,
  sampledTokens,
  samplingFields,
  stopField,
} from './dialect.js';

const ids = z.array(z.int().min(0)).min(1);

const body = z.looseObject({
  ...samplingFields,
  prompt: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(64),
    ids,
    z.array(ids).min(1).max(64),
  ]),
  n: z.int().min(1).max(64).nullish(),
  max_tokens: z.int().min(1).nullish(),
  stop: stopField,
  logprobs: z.int().min(0).max(1).nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  return_token_ids: z.boolean().nullish(),
});

const neutral = {
  frequency_penalty: [0],
  presence_penalty: [0],
  repetition_penalty: [1],
  min_p: [0],
  logit_bias: [{}],
  echo: [false],
  suffix: [''],
};

/** What the API has always sampled unless it is told otherwise. */
const defaultMaxTokens = 16;

function parse(given: unknown): AgentRequest {
  const read = parseBody(body, given);
  refuseFields(read, neutral);
  const best = (given as Record<string, unknown>)['best_of'];
  if (typeof best === 'number' && best !== (read.n ?? 1))
    throw invalid('best_of', 'this endpoint does not choose among replies; leave it out');
  return {
    ...readSampling(read),
    prompts: readPrompts(read.prompt),
    n: read.n ?? 1,
    maxTokens: read.max_tokens ?? defaultMaxTokens,
    stop: readStops(read.stop),
    logprobs: typeof read.logprobs === 'number',
    streamsUsage: read.stream_options?.include_usage ?? false,
    returnsTokenIds: read.return_token_ids ?? false,
  };
}

function readPrompts(prompt: z.output<typeof body>['prompt']): AgentPrompt[] {
  if (typeof prompt === 'string') return [{ text: prompt }];
  const [first] = prompt;
  if (typeof first === 'number') return [{ tokens: prompt as number[] }];
  return (prompt as (string | number[])[]).map((one) =>
    typeof one === 'string' ? { text: one } : { tokens: one },
  );
}

function logprobsOf(tokens: readonly ReplyToken[]) {
  let offset = 0;
  const offsets = tokens.map(({ text }) => (offset += text.length) - text.length);
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: null,
    text_offset: offsets,
  };
}

function usageOf({ promptTokens }: AnswerStart, replies: readonly Reply[]) {
  const completion = sampledTokens(replies);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
  };
}

export const completions: Dialect = {
  path: 'completions',
  idPrefix: 'cmpl-',
  parse,
  error: openAiError,
  answer(start, replies) {
    const { id, created, model, request } = start;
    return {
      id,
      object: 'text_completion',
      created,
      model,
      choices: replies.map((reply, index) => ({
        index,
        text: reply.content,
        logprobs: request.logprobs ? logprobsOf(reply.tokens) : null,
        finish_reason: reply.finish,
        ...(request.returnsTokenIds
          ? { prompt_token_ids: [...reply.prompt], token_ids: reply.tokens.map((token) => token.id) }
          : {}),
      })),
      usage: usageOf(start, replies),
    };
  },
  stream(start, send) {
    const { id, created, model, request } = start;
    const chunk = (choices: unknown[], more: object = {}): void =>
      send({ id, object: 'text_completion', created, model, choices, ...more });
    return {
      delta(index, { text, tokens }) {
        const logprobs = request.logprobs ? logprobsOf(tokens) : null;
        const own = request.returnsTokenIds ? { token_ids: tokens.map((token) => token.id) } : {};
        if (text !== '' || logprobs !== null || request.returnsTokenIds)
          chunk([{ index, text, logprobs, finish_reason: null, ...own }]);
      },
      end(replies) {
        replies.forEach((reply, index) => {
          const own = request.returnsTokenIds ? { prompt_token_ids: [...reply.prompt] } : {};
          chunk([{ index, text: '', logprobs: null, finish_reason: reply.finish, ...own }]);
        });
        if (request.streamsUsage) chunk([], { usage: usageOf(start, replies) });
        send('[DONE]');
      },
    };
  },
};
