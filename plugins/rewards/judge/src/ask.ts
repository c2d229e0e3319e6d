/** @file One question over the API of chat completions. What the other side says is never trusted, and the key is never shown. */
import { AppError } from '@espalier/plugin-kit';
import type { Spent } from './budget.js';
import type { Message } from './prompt.js';

export interface Endpoint {
  readonly baseUrl: string;
  readonly model: string;
  /** name of the variable with the key */
  readonly apiKeyFrom?: string | undefined;
}

export interface Question {
  readonly messages: readonly Message[];
  readonly temperature: number;
  readonly maxTokens: number;
  readonly seed: number;
}

export interface Reply {
  readonly text: string;
  readonly spent: Spent;
}

/** What went wrong with one request, and whether another may go better. */
export class AskError extends Error {
  constructor(
    message: string,
    readonly mayRetry: boolean,
    /** what the server asks to wait, milliseconds */
    readonly waitMs = 0,
  ) {
    super(message);
  }
}

/** Largest answer in bytes. */
const maxAnswer = 2 ** 20;

/** The key of an endpoint. @throws plugin.failed where its variable is not set */
export function readKey({ apiKeyFrom }: Endpoint): string | undefined {
  if (apiKeyFrom === undefined) return undefined;
  const key = process.env[apiKeyFrom];
  if (key !== undefined && key !== '') return key;
  throw new AppError(
    'plugin.failed',
    `ask the judge: the variable ${apiKeyFrom} is not set; set it to the API key`,
  );
}

/** @throws AskError; the reason of `signal` */
export async function ask(
  endpoint: Endpoint,
  question: Question,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reply> {
  const key = readKey(endpoint);
  const hide = (text: string): string => (key === undefined ? text : text.replaceAll(key, '[key]'));
  const { messages, temperature, maxTokens, seed } = question;
  let body: string;
  try {
    const response = await fetch(`${endpoint.baseUrl.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ model: endpoint.model, messages, temperature, max_tokens: maxTokens, seed }),
      // the key goes where the spec says, nowhere else
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    body = hide(await readBody(response));
    if (!response.ok) throw refusal(response, body);
  } catch (error) {
    if (error instanceof AskError) throw error;
    signal?.throwIfAborted();
    const { name, message, cause } = error as Error & { cause?: Error };
    if (name === 'TimeoutError') throw new AskError(`it did not answer within ${timeoutMs} ms`, true);
    throw new AskError(hide(`the connection failed (${cause?.message ?? message})`), true);
  }
  return readReply(body, hide);
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxAnswer) throw new AskError(`it sent more than ${maxAnswer} bytes`, false);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal({ status, headers }: Response, body: string): AskError {
  const mayRetry = status === 408 || status === 409 || status === 429 || status >= 500;
  const after = headers.get('retry-after') ?? '';
  const waitMs = /^\d{1,6}$/.test(after)
    ? Number(after) * 1000
    : Math.max(0, Date.parse(after) - Date.now()) || 0;
  return new AskError(`HTTP ${status}: ${JSON.stringify(body.slice(0, 200))}`, mayRetry, waitMs);
}

function readReply(body: string, hide: (text: string) => string): Reply {
  interface Completion {
    readonly choices?: readonly {
      readonly message?: { readonly content?: unknown };
      readonly finish_reason?: unknown;
    }[];
    readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
  }
  let completion: Completion | null;
  try {
    completion = JSON.parse(body) as Completion | null;
  } catch {
    throw new AskError(`it answered what is no JSON: ${JSON.stringify(body.slice(0, 80))}`, true);
  }
  const count = (value: unknown): number =>
    typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : 0;
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  const text = choice?.message?.content;
  if (typeof text !== 'string')
    throw new AskError('its answer has no text in choices[0].message.content', true);
  const { prompt_tokens: input, completion_tokens: output } = completion?.usage ?? {};
  return {
    // an answer that was cut off has no last line; JSON may have escaped the key
    text: choice?.finish_reason === 'length' ? '' : hide(text),
    spent: { input: count(input), output: count(output) },
  };
}
