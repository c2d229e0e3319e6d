/**
 * @file One request to an endpoint of the chat completions API. What the other side says is never trusted, and the key is
 * never shown.
 */

export interface ChatEndpoint {
  /** up to `/v1` */
  readonly baseUrl: string;
  readonly model: string;
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  /** further fields of the body, such as `temperature`, `max_tokens` and `seed` */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface ChatReply {
  /** may be empty */
  readonly text: string;
  /** where the server tells the reasoning apart (`reasoning_content`) */
  readonly reasoning?: string;
  /** the reply reached the limit of its tokens */
  readonly isCut: boolean;
  /** tokens; undefined: the server does not say */
  readonly usage?: { readonly input: number; readonly output: number };
}

/** What went wrong with one request, and whether another may go better. */
export class ChatError extends Error {
  constructor(
    message: string,
    readonly mayRetry: boolean,
    /** what the server asks to wait, milliseconds */
    readonly waitMs = 0,
    /** of the HTTP answer; undefined: there was none, or its content was wrong */
    readonly status?: number,
  ) {
    super(message);
  }
}

/** Largest answer in bytes. */
const maxAnswer = 2 ** 20;

/**
 * Asks once.
 *
 * @param key sent as a bearer token to this address only, and replaced by `[key]` where the server repeats it
 * @throws ChatError; the reason of `signal`
 */
export async function askChat(
  { baseUrl, model }: ChatEndpoint,
  { messages, fields }: ChatRequest,
  {
    key,
    timeoutMs,
    signal,
  }: {
    readonly key?: string | undefined;
    readonly timeoutMs: number;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<ChatReply> {
  const hide = (text: string): string => (key === undefined ? text : text.replaceAll(key, '[key]'));
  let body: string;
  try {
    const response = await fetch(`${baseUrl.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(key !== undefined && { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify({ ...fields, model, messages }),
      // the key goes where it is meant to go, nowhere else
      redirect: 'error',
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
    });
    body = hide(await readBody(response));
    if (!response.ok) throw refusal(response, body);
  } catch (error) {
    if (error instanceof ChatError) throw error;
    signal?.throwIfAborted();
    const { name, message, cause } = error as Error & { cause?: Error };
    if (name === 'TimeoutError') throw new ChatError(`it did not answer within ${timeoutMs} ms`, true);
    throw new ChatError(hide(`the connection failed (${cause?.message ?? message})`), true);
  }
  return readReply(body, hide);
}

async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > maxAnswer) throw new ChatError(`it sent more than ${maxAnswer} bytes`, false);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function refusal({ status, headers }: Response, body: string): ChatError {
  const isTemporary = status === 408 || status === 409 || status === 429 || status >= 500;
  // OpenAI says 429 also where an account has no money left
  const mayRetry = isTemporary && !body.includes('insufficient_quota');
  const after = headers.get('retry-after') ?? '';
  const waitMs = /^\d{1,6}$/.test(after)
    ? Number(after) * 1000
    : Math.max(0, Date.parse(after) - Date.now()) || 0;
  return new ChatError(`HTTP ${status}: ${JSON.stringify(body.slice(0, 200))}`, mayRetry, waitMs, status);
}

interface Completion {
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown; readonly reasoning_content?: unknown };
    readonly finish_reason?: unknown;
  }[];
  readonly usage?: { readonly prompt_tokens?: unknown; readonly completion_tokens?: unknown };
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value);

function readReply(body: string, hide: (text: string) => string): ChatReply {
  let completion: Completion | null;
  try {
    completion = JSON.parse(body) as Completion | null;
  } catch {
    throw new ChatError(`it answered what is no JSON: ${JSON.stringify(body.slice(0, 80))}`, true);
  }
  const choice = Array.isArray(completion?.choices) ? completion.choices[0] : undefined;
  const isCut = choice?.finish_reason === 'length';
  const { content, reasoning_content: reasoning } = choice?.message ?? {};
  // a reply that was cut off within its reasoning has no content
  const text = isCut && content === null ? '' : content;
  if (typeof text !== 'string')
    throw new ChatError('its answer has no text in choices[0].message.content', true);
  const { prompt_tokens: input, completion_tokens: output } = completion?.usage ?? {};
  return {
    // JSON may have escaped the key
    text: hide(text),
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning: hide(reasoning) } : {}),
    isCut,
    ...(isCount(input) && isCount(output) ? { usage: { input, output } } : {}),
  };
}
