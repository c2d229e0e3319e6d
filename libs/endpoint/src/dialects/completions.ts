/** @file POST /v1/completions: text or tokens are continued as they are, without a chat template. */
import { z } from 'zod';
import type { AgentPrompt, AgentRequest, ReplyToken } from '../request.js';
import { type Dialect, invalid, openAiError, parseBody, refuseFields } from './dialect.js';
import { openAiFields, otherDistributions, readOpenAi, tokenIds, usageOf } from './openai.js';

const ids = z.array(z.int().min(0)).min(1);

const body = z.looseObject({
  ...openAiFields,
  prompt: z.union([
    z.string().min(1),
    z.array(z.string().min(1)).min(1).max(64),
    ids,
    z.array(ids).min(1).max(64),
  ]),
  logprobs: z.int().min(0).max(1).nullish(),
});

const neutral = {
  ...otherDistributions,
  echo: [false],
  suffix: [''],
};

/** What the API has always sampled unless it is told otherwise. */
const defaultMaxTokens = 16;

function parse(given: unknown): AgentRequest {
  const read = parseBody(body, given);
  refuseFields(read, neutral, Object.keys(body.shape));
  const best = (given as Record<string, unknown>)['best_of'];
  if (typeof best === 'number' && best !== (read.n ?? 1))
    throw invalid('best_of', 'this endpoint does not choose among replies; leave it out');
  return {
    ...readOpenAi(read),
    prompts: readPrompts(read.prompt),
    maxTokens: read.max_tokens ?? defaultMaxTokens,
    logprobs: typeof read.logprobs === 'number',
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

/** @param from characters of the reply before these tokens */
function logprobsOf(tokens: readonly ReplyToken[], from = 0) {
  let offset = from;
  const offsets = tokens.map(({ text }) => (offset += text.length) - text.length);
  return {
    tokens: tokens.map(({ text }) => text),
    token_logprobs: tokens.map(({ logprob }) => logprob),
    top_logprobs: null,
    text_offset: offsets,
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
          ? { prompt_token_ids: [...reply.prompt], ...tokenIds(reply.tokens) }
          : {}),
      })),
      usage: usageOf(start, replies),
    };
  },
  stream(start, send) {
    const { id, created, model, request } = start;
    const chunk = (choices: unknown[], more: object = {}): void =>
      send({ id, object: 'text_completion', created, model, choices, ...more });
    const sent: number[] = [];
    return {
      delta(index, { text, tokens }) {
        const logprobs = request.logprobs ? logprobsOf(tokens, sent[index]) : null;
        sent[index] = tokens.reduce((sum, token) => sum + token.text.length, sent[index] ?? 0);
        const own = request.returnsTokenIds ? tokenIds(tokens) : {};
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
