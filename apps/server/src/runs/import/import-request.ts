import { attemptEvent } from '@espalier/protocol';
import { z } from 'zod';
import { importedDevice } from '../../jobs/attempt-device.type.js';
import { runRequest } from '../run-request.js';

const { name, project, tags, note } = runRequest.shape;
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'write 64 lower-case hexadecimal digits');
const moment = z.number().nullable().default(null).describe('ms since the epoch');

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
  fingerprint: hash
    .nullable()
    .default(null)
    .describe(
      'which run it is, in 64 hexadecimal digits that stay the same while the run grows; by it an import goes on that broke off, and a second one is noticed',
    ),
  content: hash.nullable().default(null).describe('what its folder holds now; changes when the run goes on'),
  again: z
    .boolean()
    .default(false)
    .describe('make one more run of what was imported before; an import that broke off goes on all the same'),
  startedAt: moment,
  host: z.string().max(300).nullable().default(null).describe('where it ran'),
  hardware: z.array(importedDevice).max(64).nullable().default(null).describe('devices it ran on'),
  gitRevision: z.string().max(100).nullable().default(null).describe('of the installation it ran with'),
  versions: z
    .record(z.string().max(100), z.string().max(300))
    .nullable()
    .default(null)
    .describe('of libraries it ran with'),
  plugins: z
    .array(
      z.strictObject({
        ...{ kind: z.string().max(40), id: z.string().max(200), version: z.string().max(100) },
        sha256: z.string().max(64),
      }),
    )
    .max(100)
    .nullable()
    .default(null)
    .describe('it was made with'),
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

const count = z.int().min(0);

/** How an imported run ended, and what must have arrived of it. */
export const importEndRequest = z.strictObject({
  state: z.enum(['finished', 'failed', 'cancelled']).describe('how it ended; `cancelled` if it was stopped'),
  message: z.string().max(20_000).default('').describe('why, in a sentence'),
  endedAt: moment,
  events: z.array(count).max(10_000).describe('events of each attempt, from the first on'),
  files: z
    .strictObject({
      count: count.describe('files'),
      bytes: count.describe('their sizes, summed'),
      sha256: hash.describe(
        'of the lines `<sha256>  <path>\\n` of all files, sorted by path in the order of UTF-16 units',
      ),
    })
    .describe('the newest of each path'),
});
export type ImportEndRequest = z.output<typeof importEndRequest>;
