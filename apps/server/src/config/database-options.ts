import { z } from 'zod';

/** Where the server keeps what it knows. */
export const databaseOptions = z.strictObject({
  kind: z
    .enum(['sqlite', 'postgres'])
    .default('sqlite')
    .describe('`sqlite`: a file, nothing to install; `postgres`: a PostgreSQL server, 13 or newer'),
  file: z
    .string()
    .min(1)
    .default('database.sqlite')
    .describe('the SQLite file; a relative path lies in the data folder'),
  url: z
    .string()
    .default('')
    .describe(
      'of PostgreSQL: postgres://user:password@host:5432/name; better given as ESPALIER__SERVER__DATABASE__URL',
    ),
  connections: z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe('connections to PostgreSQL; more wait for each other'),
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
    .describe('PostgreSQL gives up a statement after this time; 0: never'),
});
export type DatabaseOptions = z.infer<typeof databaseOptions>;
