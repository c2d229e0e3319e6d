/** @file The messages of an import: requests, and the answers to them. */
import { attemptEvent, type JobState, jobStates, pluginVersion } from '@espalier/protocol';
import { count, printedText, size, text, time } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { importedDevice } from '../../database/entities/attempt-device.js';
import { runRequest } from '../run-request.js';

const { name, project, tags, note, idempotencyKey } = runRequest.shape;
const used = z.looseObject({ use: text(1000) });
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'write 64 lower-case hexadecimal digits');
const moment = time.nullable().default(null);

/** Announces a run that was created without this server. */
export const importRequest = z.strictObject({
  spec: z
    .looseObject({
      name: text(200, { least: 1 }),
      steps: count.min(1),
      seed: z.number().optional(),
      environment: used.optional(),
      environments: z.record(z.string().max(64), z.looseObject({ environment: used })).optional(),
      algorithm: used,
      model: z.looseObject({}),
    })
    .refine(
      ({ environment, environments }) => environment !== undefined || environments !== undefined,
      'name its environment, or its environments by tag',
    )
    .describe('its spec.json'),
  name,
  project,
  tags,
  note,
  idempotencyKey,
  fingerprint: hash
    .nullable()
    .default(null)
    .describe(
      'identifies the run, in 64 hexadecimal digits that stay the same while the run grows; an interrupted import continues by it, and a second import is detected',
    ),
  content: hash
    .nullable()
    .default(null)
    .describe('hash of the content of its folder; changes when the run continues'),
  again: z
    .boolean()
    .default(false)
    .describe('create another run although it was imported before; an interrupted import still continues'),
  startedAt: moment,
  host: text(300).nullable().default(null).describe('host it ran on'),
  hardware: z.array(importedDevice).max(64).nullable().default(null).describe('devices it ran on'),
  gitRevision: text(100).nullable().default(null).describe('of the installation it ran with'),
  versions: z.record(text(100), text(300)).nullable().default(null).describe('of libraries it ran with'),
  plugins: z
    .array(pluginVersion.omit({ isExternal: true }).strict())
    .max(100)
    .nullable()
    .default(null)
    .describe('it was created with'),
});
export type ImportRequest = z.output<typeof importRequest>;

/** Events of one attempt of an imported run. */
export const importEventsRequest = z.strictObject({
  attempt: z.int().min(1).max(10_000).describe('number of the attempt, from 1; attempts come in order'),
  events: z
    .array(z.strictObject({ sequence: count.min(1), event: attemptEvent }))
    .min(1)
    .max(2000)
    .describe('numbered from 1 within the attempt, in order'),
});
export type ImportEventsRequest = z.output<typeof importEventsRequest>;

/** Ends an import: the final state of the run, and what must have arrived. */
export const importEndRequest = z.strictObject({
  state: z.enum(['finished', 'failed', 'cancelled']).describe('how it ended; `cancelled` if it was stopped'),
  message: printedText(20_000).default('').describe('why, in a sentence'),
  endedAt: moment,
  events: z.array(count).max(10_000).describe('events of each attempt, from the first on'),
  files: z
    .strictObject({
      count: count.describe('files'),
      bytes: size.describe('their sizes, summed'),
      sha256: hash.describe(
        'of the lines `<sha256>  <path>\\n` of all files, sorted by path in the order of UTF-16 units',
      ),
    })
    .describe('the newest of each path'),
});
export type ImportEndRequest = z.output<typeof importEndRequest>;

/** What to address uploads to an attempt of an imported run with. */
export const importHandle = z.object({
  runId: z.string(),
  attemptId: z.string(),
  token: z.int(),
  acked: z.int().describe('last sequence of the attempt that is stored'),
});
export type ImportHandle = z.infer<typeof importHandle>;

/** The answer to the announcement of a run; the handle is that of its newest attempt. */
export const importAnswer = importHandle.extend({
  name: z.string(),
  state: z
    .enum(Object.keys(jobStates) as [JobState])
    .describe('`importing` until the import is ended; in any other state there is nothing to do'),
  isNew: z.boolean().describe('this request created it; false: it was announced before'),
  isChanged: z.boolean().describe('the content was different when the run was announced'),
  attempts: z.array(z.object({ attempt: z.int(), acked: z.int() })).describe('stored events by attempt'),
});
export type ImportAnswer = z.infer<typeof importAnswer>;
