/** @file The settings of the server: `config/server.yaml`, then variables such as ESPALIER__SERVER__PORT on top. */
import { isAbsolute, join } from 'node:path';
import { passEnvironment } from '@espalier/protocol';
import { z } from 'zod';
import { accessOptions, graphqlLimits, httpOptions, streamOptions } from './api-options.js';
import { launcherOptions } from './launcher-options.js';
import { limitOptions } from './limit-options.js';
import { webhookOptions } from './webhook-options.js';
import { artifactStoreOptions, databaseOptions, retentionOptions } from './storage-options.js';

/** A worker that misses two reports and sends the third in time keeps its jobs. */
const beatsPerLease = 3;
const defaultLeaseSeconds = 15;

const pluginOptions = z.strictObject({
  callSeconds: z
    .number()
    .min(1)
    .max(600)
    .default(30)
    .describe('timeout for an answer of the process that loads plugins; then it is replaced'),
  cli: z
    .string()
    .default('')
    .describe(
      'program that estimates what a run costs and makes reports; empty: the command line of this installation',
    ),
  passEnvironment,
  planSeconds: z.number().min(1).max(3600).default(90).describe('timeout of an estimate'),
});

const artifactOptions = z.strictObject({
  store: artifactStoreOptions.prefault({ driver: 'directory' }).describe('where they are stored'),
  keepCheckpoints: z
    .int()
    .min(0)
    .default(0)
    .describe('newest checkpoints to keep of a run that has ended; 0: all'),
});

const settings = z.strictObject({
  host: z
    .string()
    .default('127.0.0.1')
    .describe('address to listen on; 0.0.0.0 for all, then put TLS in front'),
  port: z.int().min(0).max(65535).default(4500).describe('port to listen on; 0: any free one'),
  data: z.string().min(1).default('data').describe('folder of everything the server stores on disk'),
  root: z
    .string()
    .default('')
    .describe(
      'folder with plugins/ and config/plugins.yaml; empty: the installation, or the current folder if it has plugins',
    ),
  modelRoots: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'absolute folders whose models runs may name by path; without one, runs use model plugins and checkpoints of their project; a worker has its own list',
    ),
  database: databaseOptions.prefault({}).describe('where runs, metrics and everything else are stored'),
  plugins: pluginOptions.prefault({}).describe('how the server loads plugins'),
  artifacts: artifactOptions.prefault({}).describe('files of runs'),
  leaseSeconds: z
    .number()
    .min(1)
    .max(3600)
    .default(defaultLeaseSeconds)
    .describe('a job is reassigned after its worker was silent for this long; at least 3 × heartbeatSeconds'),
  returnSeconds: z
    .number()
    .min(0)
    .max(3600)
    .default(20)
    .describe(
      'after a restart of the server, workers have at least this long to reconnect and keep their attempts; more than their longest wait (timing.reconnectMaxMs and half as much)',
    ),
  heartbeatSeconds: z.number().min(0.2).max(600).default(3).describe('how often workers report'),
  maxFailures: z
    .int()
    .min(1)
    .max(100)
    .default(3)
    .describe(
      'a job fails after this many failures in a row without progress: its process failed or crashed, or its worker vanished',
    ),
  retrySeconds: z
    .number()
    .min(0)
    .max(300)
    .default(5)
    .describe('backoff after a failure; doubles with each in a row, up to 300'),
  reserveAfterSeconds: z
    .number()
    .min(0)
    .max(31_536_000)
    .default(300)
    .describe(
      'devices are reserved for a job that needs several and has waited this long, so that smaller jobs do not starve it; 0: at once',
    ),
  assignSeconds: z
    .number()
    .min(0.1)
    .max(600)
    .default(10)
    .describe('a worker that does not accept a job within this time loses it'),
  logLevel: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('least severe lines that are logged'),
  minFreeMb: z
    .number()
    .min(0)
    .default(200)
    .describe('free space on the data folder below which the server is not ready, MiB'),
  launchers: launcherOptions
    .default([])
    .describe(
      'where workers are started when jobs wait, and stopped when they are idle; docs/use/launchers.md',
    ),
  access: accessOptions.prefault({}).describe('keys from the settings'),
  limits: limitOptions
    .prefault({})
    .describe('how often, how much and how many at once, by key and by address; beyond it: 429'),
  http: httpOptions.prefault({}).describe('HTTP and sockets: hosts, proxies and limits'),
  graphql: graphqlLimits
    .prefault({})
    .describe('limits of GraphQL operations; beyond them nothing is executed'),
  retention: retentionOptions
    .prefault({})
    .describe('how long the history of runs and disconnected workers are kept'),
  stream: streamOptions.prefault({}).describe('following runs live'),
  webhooks: webhookOptions.describe('addresses that are told of alerts'),
});
/** The settings; contradictory ones are rejected. */
export const serverOptions = settings.superRefine(findContradictions);
export type ServerOptions = z.infer<typeof settings>;

/** Token of the settings for injection. */
export const SERVER_OPTIONS = Symbol.for('espalier.server-options');

/** Reports contradictory settings, each at the setting to change. */
function findContradictions(
  options: Pick<z.infer<typeof settings>, 'leaseSeconds' | 'heartbeatSeconds' | 'database'>,
  { addIssue }: Pick<z.RefinementCtx, 'addIssue'>,
): void {
  const add = (path: string[], message: string): void =>
    addIssue({ code: 'custom', path, message, input: options });
  const { leaseSeconds, heartbeatSeconds, database } = options;
  if (leaseSeconds < beatsPerLease * heartbeatSeconds)
    add(
      [leaseSeconds === defaultLeaseSeconds ? 'heartbeatSeconds' : 'leaseSeconds'],
      `with leaseSeconds ${leaseSeconds} and heartbeatSeconds ${heartbeatSeconds} healthy workers would lose their jobs; make leaseSeconds at least ${beatsPerLease} × heartbeatSeconds`,
    );
  if (database.kind === 'postgres' && database.url === '')
    add(['database', 'kind'], 'name the PostgreSQL server in database.url');
  // reported at the kind, because a URL may hold a password
  if (database.kind === 'sqlite' && database.url !== '')
    add(
      ['database', 'kind'],
      'database.url names a PostgreSQL server, which would not be used; set database.kind to postgres, or leave database.url out',
    );
}

/** Folder of the artifacts in the data folder, unless the settings name another. */
export const artifactFolder = 'artifacts';

/** Resolves the paths of the database file and of the artifacts in the data folder. */
export function locateData({ data, database, artifacts }: ServerOptions): {
  readonly database: string;
  readonly artifacts: string;
} {
  const inData = (path: string): string => (isAbsolute(path) ? path : join(data, path));
  const { store } = artifacts;
  return {
    database: inData(database.file),
    artifacts: inData(store.driver === 'directory' ? store.folder : artifactFolder),
  };
}
