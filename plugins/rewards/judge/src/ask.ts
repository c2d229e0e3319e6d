/** @file One question to a judge. */
import { AppError } from '@espalier/plugin-kit';
import { askChat, type ChatEndpoint } from '@espalier/plugin-kit/chat';
import type { Spent } from './budget.js';
import type { Message } from './prompt.js';

export interface Endpoint extends ChatEndpoint {
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

/** @throws ChatError; plugin.failed; the reason of `signal` */
export async function ask(
  endpoint: Endpoint,
  { messages, temperature, maxTokens, seed }: Question,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Reply> {
  const fields = { temperature, max_tokens: maxTokens, seed };
  const key = readKey(endpoint);
  const { text, isCut, usage } = await askChat(endpoint, { messages, fields }, { key, timeoutMs, signal });
  // an answer that was cut off has no last line
  return { text: isCut ? '' : text, spent: usage ?? { input: 0, output: 0 } };
}
