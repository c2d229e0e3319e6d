/** @file Settings of the database and the artifact store, and of how long history is kept. */
import { z } from 'zod';

export const databaseOptions = z.strictObject({
  kind: z
    .enum(['sqlite', 'postgres'])
    .default('sqlite')
    .describe('`sqlite`: a file, nothing to install; `postgres`: a PostgreSQL server, 13 or newer'),
  file: z
    .string()
    .min(1)
    .default('database.sqlite')
    .describe('the SQLite file; a relative path is resolved in the data folder'),
  lockSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(10)
    .describe('another process may hold the write lock of the SQLite file this long; then a write fails'),
  url: z
    .string()
    .default('')
    .describe(
      'address of PostgreSQL: postgres://user:password@host:5432/name; preferably set as ESPALIER__SERVER__DATABASE__URL',
    ),
  leaseSeconds: z
    .number()
    .min(1)
    .max(300)
    .default(3)
    .describe(
      'a server that has not renewed its lease on PostgreSQL for this long may be replaced by one that stands by',
    ),
  connections: z.int().min(2).max(200).default(10).describe('connections to PostgreSQL'),
  connectSeconds: z
    .number()
    .min(0.1)
    .max(3600)
    .default(10)
    .describe(
      'PostgreSQL may take this long to connect, and to answer beyond statementSeconds; then it is gone',
    ),
  statementSeconds: z
    .number()
    .min(0)
    .max(86_400)
    .default(60)
    .describe('timeout of a statement of PostgreSQL; 0: none'),
});
export type DatabaseOptions = z.infer<typeof databaseOptions>;

export const artifactStoreOptions = z.discriminatedUnion('driver', [
  z.strictObject({
    driver: z.literal('directory').describe('a folder on the server’s disk'),
    folder: z
      .string()
      .min(1)
      .default('artifacts')
      .describe('folder; a relative path is resolved in the data folder'),
  }),
  z.strictObject({
    driver: z
      .literal('s3')
      .describe('an S3-compatible bucket; credentials come from the environment, as the AWS SDK finds them'),
    bucket: z.string().min(1).describe('name of the bucket, which has to exist'),
    prefix: z
      .string()
      .regex(/^([^/\\]+(\/[^/\\]+)*)?$/, 'neither begins nor ends with a slash')
      .default('')
      .describe('folder within the bucket; empty: its root'),
    region: z.string().min(1).default('us-east-1').describe('region of the bucket'),
    endpoint: z.string().default('').describe('address of an S3-compatible server; empty: AWS'),
    forcePathStyle: z
      .boolean()
      .default(false)
      .describe('bucket in the path instead of the host name, as most servers other than AWS want it'),
    connectSeconds: z.number().min(0.1).max(600).default(5).describe('timeout for connecting to it'),
    requestSeconds: z
      .number()
      .min(0.1)
      .max(3600)
      .default(60)
      .describe('how long it may take to answer a request, of at most 8 MiB, and be silent while it answers'),
    tries: z.int().min(1).max(20).default(3).describe('tries of a request that it does not answer'),
  }),
]);
export type ArtifactStoreOptions = z.infer<typeof artifactStoreOptions>;

const days = (what: string) =>
  z.number().min(0).max(36_500).default(0).describe(`${what} older than this many days; 0: never`);

export const retentionOptions = z.strictObject({
  metricsDays: days(
    'deletes rows of metrics that are packed into blocks (history stays, following starts later)',
  ),
  trajectoriesDays: days('deletes trajectories from lists and search (their files stay)'),
  logsDays: days('deletes the output of processes'),
  workersDays: z
    .number()
    .min(0)
    .max(36_500)
    .default(30)
    .describe(
      'deletes workers that were disconnected for this many days and have no running attempt; 0: never',
    ),
  devicesDays: z
    .number()
    .min(0)
    .max(36_500)
    .default(7)
    .describe(
      'deletes what devices of workers did, one row a minute and worker, after this many days; 0: never',
    ),
});
