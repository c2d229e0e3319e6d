/** @file What OpenAI's /v1/chat/completions and /v1/completions have in common, with what vLLM adds to both. */
import { z } from 'zod';
import type { Reply } from '../request.js';
import {
  type AnswerStart,
  readSampling,
  readStops,
  sampledTokens,
  samplingFields,
  stopField,
} from './dialect.js';

export const openAiFields = {
  ...samplingFields,
  n: z.int().min(1).max(64).nullish(),
  max_tokens: z.int().min(1).nullish(),
  stop: stopField,
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  return_token_ids: z.boolean().nullish(),
};

type OpenAiFields = {
  readonly [Name in keyof typeof openAiFields]?: z.output<(typeof openAiFields)[Name]>;
};

/** Fields that ask for something else than the policy's own distribution, and what asks for nothing. */
export const otherDistributions = {
  frequency_penalty: [0],
  presence_penalty: [0],
  repetition_penalty: [1],
  min_p: [0],
  logit_bias: [{}],
};

/** Reads {@link openAiFields}. */
export function readOpenAi(body: OpenAiFields) {
  return {
    ...readSampling(body),
    n: body.n ?? 1,
    maxTokens: body.max_tokens ?? undefined,
    stop: readStops(body.stop),
    streamsUsage: body.stream_options?.include_usage ?? false,
    returnsTokenIds: body.return_token_ids ?? false,
  };
}

export function usageOf({ promptTokens }: AnswerStart, replies: readonly Reply[]) {
  const completion = sampledTokens(replies);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
  };
}

export const tokenIds = (tokens: readonly { readonly id: number }[]) => ({
  token_ids: tokens.map(({ id }) => id),
});
