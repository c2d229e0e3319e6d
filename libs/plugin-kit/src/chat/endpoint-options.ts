/** @file Options that all who ask an endpoint of the chat completions API have in common. */
import { z } from 'zod';

/** Address, model and the name of the variable with the key. */
export const chatEndpointOptions = {
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .refine((url) => !url.includes('@'), 'give the key by `apiKeyFrom`, not in the address')
    .describe('address of the API, up to `/v1`'),
  model: z.string().min(1).describe('name of the model, as the endpoint knows it'),
  apiKeyFrom: z
    .string()
    .regex(/^[A-Za-z_]\w{0,99}$/)
    .optional()
    .describe('name of the environment variable that holds the API key; the key itself is never in a spec'),
};

/** Price of a million tokens, in any currency. */
export const chatPriceOptions = z.strictObject({ input: z.number().min(0), output: z.number().min(0) });
