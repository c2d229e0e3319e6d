/** @file What a dialect is: how requests are read, and how answers, streams and errors are written. */
import { AppError } from '@espalier/contracts';
import { editDistance } from '@espalier/contracts/nearest-key';
import { z } from 'zod';
import type { AgentRequest, Reply, ReplyDelta } from '../request.js';

/** What is known of an answer before it is sampled. */
export interface AnswerStart {
  readonly id: string;
  /** seconds since epoch */
  readonly created: number;
  readonly model: string;
  readonly request: AgentRequest;
  /** tokens of all prompts */
  readonly promptTokens: number;
  /** ids of each prompt */
  readonly prompts: readonly Int32Array[];
}

/** Sends one server-sent event; without a name, only its data. */
export type Send = (data: unknown, event?: string) => void;

/** An answer that is written while it is sampled. */
export interface AnswerStream {
  delta(choice: number, delta: ReplyDelta): void;
  end(replies: readonly Reply[]): void;
}

export interface Dialect {
  /** behind /v1/ */
  readonly path: string;
  /** begins the names of its answers */
  readonly idPrefix: string;
  /** @throws endpoint.invalid_request */
  parse(body: unknown): AgentRequest;
  answer(start: AnswerStart, replies: readonly Reply[]): unknown;
  stream(start: AnswerStart, send: Send): AnswerStream;
  error(error: AppError, status: number): unknown;
}

/** Parses a body; the message names the first field that is wrong. @throws endpoint.invalid_request */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalid(issue?.path.join('.') || 'body', issue?.message ?? 'is not valid');
}

export function invalid(field: string, finding: string): AppError {
  return new AppError('endpoint.invalid_request', `${field}: ${finding}`, { details: { param: field } });
}

/**
 * Refuses fields that would change the reply and that nothing here acts on, and names that are misspelt. Other unknown
 * fields are passed over: clients send many that only say who asks.
 *
 * @param neutral values of each that ask for nothing
 * @param known fields that are acted on
 */
export function refuseFields(
  body: Readonly<Record<string, unknown>>,
  neutral: Readonly<Record<string, readonly unknown[]>>,
  known: readonly string[],
): void {
  for (const name of Object.keys(body)) {
    if (known.includes(name) || name in neutral) continue;
    const meant = known.find((one) => editDistance(one, name) <= (name.length < 8 ? 1 : 2));
    if (meant !== undefined) throw invalid(name, `there is no such field; did you mean ${meant}?`);
  }
  for (const [name, values] of Object.entries(neutral)) {
    const value = body[name];
    const isNeutral =
      value === undefined ||
      value === null ||
      values.some((one) => JSON.stringify(one) === JSON.stringify(value));
    if (!isNeutral) throw invalid(name, 'this endpoint does not act on it; leave it out');
  }
}

/** Numbers of sampling that the dialects name alike. */
export const samplingFields = {
  model: z.string().nullish(),
  temperature: z.number().min(0).max(10).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish(),
  seed: z.int().nullish(),
  stream: z.boolean().nullish(),
};

export const stopField = z.union([z.string().min(1), z.array(z.string().min(1)).max(16)]).nullish();

type SamplingFields = {
  readonly [Name in keyof typeof samplingFields]?: z.output<(typeof samplingFields)[Name]>;
};

/** Reads {@link samplingFields}. */
export function readSampling(body: SamplingFields) {
  const { top_k: topK } = body;
  return {
    model: body.model ?? undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    // −1 is how vLLM turns it off
    topK: topK === null || topK === undefined ? undefined : Math.max(0, topK),
    // seeds are not negative here
    seed: body.seed === null || body.seed === undefined ? undefined : body.seed >>> 0,
    stream: body.stream ?? false,
  };
}

export const readStops = (stop: z.output<typeof stopField>): readonly string[] =>
  typeof stop === 'string' ? [stop] : (stop ?? []);

/** Errors as OpenAI writes them. */
export function openAiError({ message, code, details }: AppError, status: number): unknown {
  const param = (details as { readonly param?: unknown } | undefined)?.param;
  return { error: { message, type: typeOf(status), param: typeof param === 'string' ? param : null, code } };
}

/** Errors as Anthropic writes them. */
export function anthropicError({ message }: AppError, status: number): unknown {
  return { type: 'error', error: { type: status === 503 ? 'overloaded_error' : typeOf(status), message } };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404) return 'not_found_error';
  if (status === 413) return 'request_too_large';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'api_error' : 'invalid_request_error';
}

export const sampledTokens = (replies: readonly Reply[]): number =>
  replies.reduce((sum, { tokens }) => sum + tokens.length, 0);
