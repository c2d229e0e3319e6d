/** @file What a person may ask for when making runs; one schema for GraphQL and REST. */
import { AppError } from '@espalier/contracts';
import { jobNeeds } from '@espalier/protocol';
import { z } from 'zod';
import { sayIssue } from '../http/say-issue.js';

const nameLength = 'expected 1 to 200 characters';
const tagLength = 'expected a tag of 1 to 64 characters';
const priorityRange = 'expected a whole number from -100 to 100';

const name = z
  .string()
  .trim()
  .min(1, nameLength)
  .max(200, nameLength)
  .describe('name for people; default: that of the spec');
const tags = z
  .array(z.string().trim().min(1, tagLength).max(64, tagLength))
  .max(32, 'expected at most 32 tags')
  .transform((given) => [...new Set(given)])
  .describe('labels for finding it again');
const note = z.string().max(20_000).describe('anything worth remembering about it');
const overrides = z.array(z.string().max(10_000)).max(200).default([]).describe('changes, `path=value` each');
const priority = z
  .int(priorityRange)
  .min(-100, priorityRange)
  .max(100, priorityRange)
  .describe('higher is placed first');

const dryRun = z.boolean().default(false).describe('check and resolve it, make nothing');

/** Needs as a person states them. */
const wantedNeeds = jobNeeds.extend({
  kind: jobNeeds.shape.kind
    .removeDefault()
    .optional()
    .describe('kind of device; default: `gpu` where device.provider is cuda, else `cpu`'),
});

/** Facts that every way of making a run takes. */
const labels = {
  name: name.optional(),
  priority: priority.default(0),
  tags: tags.default([]),
  note: note.default(''),
};

export const runRequest = z.strictObject({
  source: z.string().optional().describe('the spec as YAML text'),
  spec: z.record(z.string(), z.unknown()).optional().describe('the spec as JSON; instead of `source`'),
  overrides,
  project: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9-]{0,62}$/,
      'expected 1 to 63 lower-case letters, digits and dashes, no dash first',
    )
    .optional()
    .describe(
      'project it belongs to: lower-case letters, digits, dashes; default: the first of the key, or `default`',
    ),
  ...labels,
  needs: wantedNeeds.optional().describe('what it asks of a place; default: one GPU or CPU slot, see `kind`'),
  dryRun,
});
export type RunRequest = z.output<typeof runRequest>;

export const forkRequest = z.strictObject({
  step: z.int().min(0).optional().describe('step of the checkpoint to begin from; default: the newest'),
  checkpoint: z.string().max(1000).optional().describe('its folder among the artifacts; instead of `step`'),
  overrides,
  ...labels,
  needs: wantedNeeds.optional().describe('what it asks of a place; default: as its parent'),
  dryRun,
});
export type ForkRequest = z.output<typeof forkRequest>;

export const evaluateRequest = z.strictObject({
  step: z.int().min(0).optional().describe('step of the checkpoint; default: the newest'),
  episodes: z
    .int()
    .min(1)
    .max(20_000)
    .default(128)
    .describe('initial states to play; of 20000 a share is known to 0.7 points'),
  split: z.enum(['validation', 'test']).default('test').describe('which states'),
  priority: priority.default(0),
});
export type EvaluateRun = z.output<typeof evaluateRequest>;

export const tagsRequest = z.strictObject({ tags });
export const noteRequest = z.strictObject({ note });
export const priorityRequest = z.strictObject({ priority });
export const changeRequest = z.strictObject({
  priority: priority.optional(),
  tags: tags.optional(),
  note: note.optional(),
});
export const cancelRequest = z.strictObject({
  now: z.boolean().default(false).describe('end its process at once; without, it saves first'),
});

export const resumeRequest = z.strictObject({
  acceptPlugins: z
    .boolean()
    .default(false)
    .describe('go on with the plugins installed now, though they are not those it was made with'),
});

/**
 * Checks a request.
 *
 * @param attempt what is asked for, such as `create a run`
 * @throws run.invalid_request naming every flaw
 */
export function parseRequest<T>(schema: z.ZodType<T>, given: unknown, attempt: string): T {
  const request = dropUndefined(given ?? {});
  const parsed = schema.safeParse(request);
  if (parsed.success) return parsed.data;
  const flaws = parsed.error.issues
    .slice(0, 10)
    .map((issue) => sayIssue(issue, request, 'the request', schema));
  throw new AppError('run.invalid_request', `${attempt}: ${flaws.join('; ')}; correct the request`, {
    details: { flaws },
  });
}

/** GraphQL gives null or undefined where nothing was written. */
function dropUndefined(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}
