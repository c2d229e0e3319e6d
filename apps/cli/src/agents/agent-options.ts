/** @file An agent behind an API, as a command line names it: `api:FILE.yaml` or `api:MODEL@URL`. */
import { existsSync } from 'node:fs';
import { resolveDeployment } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import { chatEndpointOptions, chatPriceOptions } from '@espalier/plugin-kit/chat';
import { z } from 'zod';

/** Fields of a request that the evaluation itself decides. */
const reserved = [
  'messages',
  'model',
  'stream',
  'n',
  'seed',
  'temperature',
  'max_tokens',
  'max_completion_tokens',
];

export const agentOptions = z
  .strictObject({
    ...chatEndpointOptions,
    name: z.string().min(1).max(100).optional().describe('name in the table (default: `model`)'),
    temperature: z
      .union([z.number().min(0).max(2), z.literal(false)])
      .optional()
      .describe('sampling temperature (default: validation.temperature); false: none is sent'),
    maxTokens: z
      .int()
      .min(1)
      .max(1_000_000)
      .optional()
      .describe('tokens of a reply, reasoning included (default: rollout.maxResponseTokens)'),
    maxTokensField: z
      .enum(['max_tokens', 'max_completion_tokens'])
      .default('max_tokens')
      .describe('what the endpoint calls that limit'),
    seed: z.boolean().default(true).describe('send a seed with each request'),
    prefill: z
      .boolean()
      .default(false)
      .describe('send the tag that a reply begins with as a begun reply; the endpoint must continue it'),
    body: z
      .record(z.string(), z.unknown())
      .refine(
        (body) => reserved.every((key) => !(key in body)),
        `${reserved.join(', ')} have options of their own`,
      )
      .default({})
      .describe('further fields of each request, such as reasoning_effort'),
    concurrency: z.int().min(1).max(256).default(8).describe('episodes, and so requests, at once'),
    timeoutMs: z.int().min(1).max(3_600_000).default(120_000).describe('time limit of one request'),
    retries: z.int().min(0).max(20).default(6).describe('further tries where a request fails for a time'),
    backoffMs: z
      .int()
      .min(0)
      .max(60_000)
      .default(1000)
      .describe('wait before the first further try; doubled each time'),
    maxWaitMs: z
      .int()
      .min(0)
      .max(3_600_000)
      .default(300_000)
      .describe('longest wait, also where the server asks for a longer one'),
    price: chatPriceOptions.optional().describe('price of a million tokens, in any currency'),
    budget: z
      .strictObject({
        requests: z.int().min(1).optional(),
        tokens: z.int().min(1).optional(),
        cost: z.number().positive().optional(),
      })
      .refine(
        ({ requests, tokens, cost }) => (requests ?? tokens ?? cost) !== undefined,
        'give requests, tokens or cost',
      )
      .optional()
      .describe(
        'what the evaluation may take, with what is in its --keep file; then it ends with what it has',
      ),
  })
  .refine(
    ({ budget, price }) => budget?.cost === undefined || price !== undefined,
    '`budget.cost` needs a `price`',
  );

export type AgentOptions = z.output<typeof agentOptions>;

/** An agent of a table. */
export interface NamedAgent {
  /** in the table */
  readonly name: string;
  /** in messages: the word of the command line */
  readonly word: string;
  readonly options: AgentOptions;
}

const prefix = 'api:';

/** Whether a word of the command line names an agent behind an API. */
export const isAgent = (word: string): boolean => word.startsWith(prefix);

/**
 * Reads what such a word names.
 *
 * @throws cli.usage; config.unreadable, config.unknown_key, config.wrong_type with file and line
 */
export function readAgent(word: string): NamedAgent {
  const text = word.slice(prefix.length);
  const options = /\.(ya?ml|json)$/.test(text) ? readFile(text) : readInline(word, text);
  return { name: options.name ?? options.model, word, options };
}

function readFile(file: string): AgentOptions {
  if (!existsSync(file))
    throw new AppError(
      'config.unreadable',
      `${prefix}${file}: no such file; name the YAML file of an agent (docs/use/evaluation.md)`,
      { details: { path: file, missing: true, isConfig: false } },
    );
  return resolveDeployment(agentOptions, file, {}, 'agent');
}

function readInline(word: string, text: string): AgentOptions {
  const at = text.search(/@https?:\/\//);
  const parsed = agentOptions.safeParse({
    model: text.slice(0, Math.max(0, at)),
    baseUrl: text.slice(at + 1),
  });
  if (at > 0 && parsed.success) return parsed.data;
  const finding = at > 0 ? `: ${parsed.error?.issues[0]?.message ?? 'not an address'}` : '';
  throw new AppError(
    'cli.usage',
    `${word}: names no agent${finding}; write api:FILE.yaml, or api:MODEL@URL such as api:qwen3@http://127.0.0.1:8000/v1`,
  );
}

/** What an agent must have in common with one whose episodes were kept; prices, limits and waits may change. */
export function identityOf({ options }: NamedAgent): readonly unknown[] {
  const { baseUrl, model, temperature, maxTokens, maxTokensField, seed, prefill, body } = options;
  return [baseUrl, model, temperature, maxTokens, maxTokensField, seed, prefill, body];
}
