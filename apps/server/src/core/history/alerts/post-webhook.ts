/** @file One message to a webhook, signed as Standard Webhooks 1.0 says. */
import { createHmac } from 'node:crypto';
import { fetchFailure } from '@espalier/contracts/fetch-failure';
import { cleanText } from '@espalier/protocol/bounds';
import type { WebhookOptions } from '../../../config/webhook-options.js';

const timeoutMs = 15_000;
/** of an answer that is no success, for the log */
const shownBytes = 200;
/** A receiver may not ask for a longer pause. */
const longestAskedMs = 3_600_000;

/** A receiver that did not take a message. */
export class NotTaken extends Error {
  /** @param pauseMs it asked for, 0: none */
  constructor(
    message: string,
    readonly pauseMs: number,
  ) {
    super(message);
  }
}

/**
 * Posts a message; resolves when the receiver has answered with 2xx.
 *
 * @param id the same for each try, so that the receiver can tell a repetition
 * @throws Error saying what went wrong; NotTaken for an answer other than 2xx
 */
export async function postWebhook(
  { url, secret }: Pick<WebhookOptions, 'url' | 'secret'>,
  id: string,
  message: object,
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'espalier',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      ...(secret === undefined ? {} : { 'webhook-signature': sign(secret, `${id}.${timestamp}.${body}`) }),
    },
    body,
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  }).catch((error: unknown) => {
    throw new Error(fetchFailure(error, timeoutMs), { cause: error });
  });
  if (answer.ok) return void (await answer.body?.cancel());
  const said = await readStart(answer);
  const pauseMs = Math.min(longestAskedMs, 1000 * (Number(answer.headers.get('retry-after')) || 0));
  throw new NotTaken(
    `it answered ${answer.status}${said === '' ? '' : `, ${JSON.stringify(said)}`}`,
    pauseMs,
  );
}

/** The beginning of an answer: services say there what they do not like. */
async function readStart({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const first = await reader?.read().catch(() => undefined);
  await reader?.cancel().catch(() => undefined);
  const bytes = (first?.value ?? new Uint8Array()).subarray(0, shownBytes);
  return cleanText(new TextDecoder().decode(bytes), shownBytes).trim();
}

const sign = (secret: string, text: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')}`;
