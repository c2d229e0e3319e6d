/** @file One message to a webhook, signed as Standard Webhooks 1.0 says. */
import { createHmac } from 'node:crypto';
import { fetchFailure } from '@espalier/contracts/fetch-failure';
import type { WebhookOptions } from '../../../config/webhook-options.js';

const timeoutMs = 15_000;

/**
 * Posts a message; resolves when the receiver has answered with 2xx.
 *
 * @param id the same for each try, so that the receiver can tell a repetition
 * @throws Error saying what went wrong
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
  await answer.body?.cancel();
  if (!answer.ok) throw new Error(`it answered ${answer.status}`);
}

const sign = (secret: string, text: string): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(text)
    .digest('base64')}`;
