/** @file Settings of webhooks: addresses that are told of alerts. */
import { z } from 'zod';

/** What Standard Webhooks calls a symmetric secret: `whsec_` and 24 to 64 bytes as base64. */
const secret = z
  .string()
  .regex(
    /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
    'expected whsec_ and 24 to 64 bytes as base64, e.g. from: echo whsec_$(openssl rand -base64 32)',
  );

const webhook = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, 'expected lower-case letters, digits and dashes')
    .describe('name in logs; what waits for a webhook that is renamed is dropped'),
  url: z.url({ protocol: /^https?$/ }).describe('address that each alert is posted to'),
  secret: secret
    .optional()
    .describe('signs each message as Standard Webhooks says, so that the receiver knows who sent it'),
  severity: z
    .enum(['info', 'warning', 'error'])
    .default('warning')
    .describe('the least severe alerts that it is told of'),
  projects: z
    .array(z.string().min(1).max(100))
    .default([])
    .describe('projects whose alerts it is told of; empty: all'),
});
export type WebhookOptions = z.infer<typeof webhook>;

export const webhookOptions = z
  .array(webhook)
  .max(32)
  .refine(
    (list) => new Set(list.map(({ name }) => name)).size === list.length,
    'two webhooks have the same name',
  )
  .default([]);
