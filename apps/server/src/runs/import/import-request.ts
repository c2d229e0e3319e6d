import { attemptEvent } from '@espalier/protocol';
import { z } from 'zod';
import { runRequest } from '../run-request.js';

const { name, project, tags, note } = runRequest.shape;

/** A run that was made without this server, as it is announced. */
export const importRequest = z.strictObject({
  spec: z
    .looseObject({
      name: z.string().min(1).max(200),
      steps: z.int().min(1),
      seed: z.number().optional(),
      environment: z.looseObject({ use: z.string() }),
      algorithm: z.looseObject({ use: z.string() }),
      model: z.looseObject({ use: z.string() }),
    })
    .describe('its spec.json'),
  ...{ name, project, tags, note },
  state: z.enum(['finished', 'failed', 'cancelled']).describe('how it ended'),
  message: z.string().max(20_000).default('').describe('why, in a sentence'),
  startedAt: z.number().nullable().default(null).describe('ms since the epoch'),
  endedAt: z.number().nullable().default(null).describe('ms since the epoch'),
  host: z.string().max(300).nullable().default(null).describe('where it ran'),
  gitRevision: z.string().max(100).nullable().default(null).describe('of the installation it ran with'),
  versions: z
    .record(z.string().max(100), z.string().max(300))
    .nullable()
    .default(null)
    .describe('of libraries it ran with'),
});
export type ImportRequest = z.output<typeof importRequest>;

/** Events of one attempt of an imported run. */
export const importEventsRequest = z.strictObject({
  attempt: z.int().min(1).max(10_000).describe('number of the attempt, from 1; attempts come in order'),
  events: z
    .array(z.strictObject({ sequence: z.int().min(1), event: attemptEvent }))
    .min(1)
    .max(2000)
    .describe('numbered from 1 within the attempt, in order'),
});
export type ImportEventsRequest = z.output<typeof importEventsRequest>;
