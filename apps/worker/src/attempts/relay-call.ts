/**
 * @file Calls the endpoint of a chat and sends its reply to the server, piece by piece. Each piece waits until the one
 * before is acknowledged; when nobody waits for the reply any more, sampling ends.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type CallMessage, type ReplyAnswer, replyPiece, type ReplyPiece } from '@espalier/protocol/chat';
import { z } from 'zod';
import type { ServerConnection } from '../connection.js';
import type { AttemptFolder } from './attempt-folder.js';

export interface RelayParts {
  readonly folder: Pick<AttemptFolder, 'resultFile' | 'state'>;
  readonly connection: Pick<ServerConnection, 'send'>;
  /** aborted when the worker lets go of the attempt */
  readonly signal: AbortSignal;
  readonly pollMs: number;
}

/** A failure that the server tells whoever called. */
class RelayError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Relays a call; never rejects. */
export async function relayCall({ body, ...call }: CallMessage, parts: RelayParts): Promise<void> {
  const unwanted = new AbortController();
  const signal = AbortSignal.any([parts.signal, unwanted.signal]);
  const send = async (piece: ReplyPiece): Promise<void> => {
    const answer = await parts.connection.send<ReplyAnswer>('reply', { ...call, ...piece });
    if (!answer.ok || !answer.value.isWanted) unwanted.abort();
    signal.throwIfAborted();
  };
  try {
    const url = await waitForAddress(parts, signal);
    let isOver = false;
    for await (const piece of ask(url, parts.folder.state().endpointKey ?? '', body, signal)) {
      await send(piece);
      isOver ||= piece.end !== undefined || piece.error !== undefined;
    }
    if (!isOver) throw new RelayError('chat.failed', 'its process ended before the reply did');
  } catch (error) {
    if (signal.aborted) return;
    const code = error instanceof RelayError ? error.code : 'chat.failed';
    const message = error instanceof Error ? error.message : String(error);
    await send({ text: '', tokens: [], error: { code, message } }).catch(() => undefined);
  }
}

const announcement = z.object({ url: z.string() });

/** Waits until the process has loaded its model and says where it listens. */
async function waitForAddress({ folder, pollMs }: RelayParts, signal: AbortSignal): Promise<string> {
  for (;;) {
    signal.throwIfAborted();
    const url = readAddress(folder.resultFile);
    if (url !== undefined) return url;
    if (folder.state().phase === 'ended')
      throw new RelayError('chat.unavailable', 'its process ended before it could reply');
    await wait(Math.min(pollMs, 100), undefined, { signal });
  }
}

function readAddress(file: string): string | undefined {
  try {
    const [line = ''] = readFileSync(file, 'utf8').split('\n', 1);
    return announcement.parse(JSON.parse(line)).url;
  } catch {
    // not there yet, or not whole
    return undefined;
  }
}

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/** Asks the endpoint for a stream, and yields what arrives together as one piece. */
async function* ask(
  url: string,
  key: string,
  body: CallMessage['body'],
  signal: AbortSignal,
): AsyncGenerator<ReplyPiece> {
  const wanted = { ...body, stream: true, logprobs: true, return_token_ids: true };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
    signal,
  });
  if (!response.ok) {
    const { error } = refusal.parse(await response.json());
    throw new RelayError(error.code, error.message);
  }
  const read = createReader();
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body ?? []) {
    const lines = (rest + decoder.decode(bytes as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    const piece = read(lines);
    if (piece !== undefined) yield piece;
  }
}

const chunk = z.object({
  error: refusal.shape.error.optional(),
  prompt_token_ids: z.array(z.number()).optional(),
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).optional(),
        logprobs: z
          .object({ content: z.array(z.object({ token: z.string(), logprob: z.number().nullable() })) })
          .nullish(),
        token_ids: z.array(z.number()).optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
});

/** Reads the lines of an event stream; what belongs to no piece gives undefined. */
function createReader(): (lines: readonly string[]) => ReplyPiece | undefined {
  let finish: 'stop' | 'length' | undefined;
  return (lines) => {
    const piece: { -readonly [Key in keyof ReplyPiece]: ReplyPiece[Key] } = { text: '', tokens: [] };
    for (const line of lines) {
      if (line === 'data: [DONE]' && finish !== undefined) piece.end = finish;
      if (!line.startsWith('data: {')) continue;
      const event = chunk.parse(JSON.parse(line.slice('data: '.length)));
      if (event.error !== undefined) piece.error = event.error;
      if (event.prompt_token_ids !== undefined) piece.prompt = event.prompt_token_ids;
      for (const { delta, logprobs, token_ids: ids = [], finish_reason: reason } of event.choices) {
        piece.text += delta?.content ?? '';
        logprobs?.content.forEach(({ token, logprob }, at) =>
          piece.tokens.push({ id: ids[at] ?? 0, text: token.slice(0, 1000), logprob }),
        );
        if (reason === 'stop' || reason === 'length') finish = reason;
      }
    }
    const { text, tokens, ...marks } = piece;
    const isEmpty = text === '' && tokens.length === 0 && Object.keys(marks).length === 0;
    return isEmpty ? undefined : replyPiece.parse(piece);
  };
}
