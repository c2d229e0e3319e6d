import type { StreamBatch } from '@espalier/protocol';
import { type ArtifactsApi, createArtifactsApi } from './artifacts.js';
import { type ChatsApi, createChatsApi } from './chats.js';
import { createConnection } from './addresses.js';
import type { Connection } from './connection.js';
import { createEnvironmentsApi, type EnvironmentsApi } from './environments.js';
import type { FollowOptions } from './follow-run.js';
import { callRest, request } from './graphql-http.js';
import type { Subscriber } from './graphql-socket.js';
import { createKeysApi, type KeysApi } from './keys.js';
import { createLaunchersApi, type LaunchersApi } from './launchers.js';
import { createLiveApi, type LiveApi } from './live.js';
import { createMeApi, type MeApi } from './me.js';
import { createOverviewApi, type OverviewApi } from './overview.js';
import { createRatingsApi, type RatingsApi } from './ratings.js';
import {
  createEventsApi,
  createLogsApi,
  createMetricsApi,
  createTrajectoriesApi,
  type EventsApi,
  type LogsApi,
  type MetricsApi,
  type TrajectoriesApi,
} from './records.js';
import { createReportsApi, type ReportsApi } from './reports.js';
import { createRunsApi, type RunsApi } from './runs.js';
import type { Transport } from './transport.js';
import { createVerdictsApi, type VerdictsApi } from './verdicts.js';
import { createTotalsApi, type TotalsApi } from './totals.js';
import { createWorkersApi, type WorkersApi } from './workers.js';

/** A client of one server. Every call may throw client.unreachable and client.refused. */
export interface Client extends Transport, MeApi {
  readonly connection: Connection;
  readonly runs: RunsApi;
  readonly keys: KeysApi;
  readonly workers: WorkersApi;
  readonly launchers: LaunchersApi;
  /** Environments, played by hand. */
  readonly environments: EnvironmentsApi;
  readonly metrics: MetricsApi;
  readonly logs: LogsApi;
  /** What happened to a run besides metrics and trajectories. */
  readonly events: EventsApi;
  readonly trajectories: TrajectoriesApi;
  readonly artifacts: ArtifactsApi;
  /** Chats with checkpoints. */
  readonly chats: ChatsApi;
  readonly reports: ReportsApi;
  /** What people say of alerts, with the evidence. */
  readonly verdicts: VerdictsApi;
  /** Trajectories that people rate blind. */
  readonly ratings: RatingsApi;
  /** What happens to a run, pushed over the GraphQL socket. */
  readonly live: LiveApi;
  /** How long lists are. */
  readonly totals: TotalsApi;
  /** Lists for a page: runs with devices, workers, queue, plugins, recipes, alerts. */
  readonly overview: OverviewApi;
  /** Follows a run live. Yields each record exactly once, even across reconnects. */
  follow(runId: string, options?: FollowOptions): AsyncGenerator<StreamBatch>;
  /** Calls the REST API, for binary content. */
  rest(path: string, init?: RequestInit): Promise<Response>;
  /** Closes the subscription socket. */
  dispose(): Promise<void>;
}

/** Where a server is. */
export interface ClientOptions {
  /** its address, or those of all servers of which one serves and the others stand by */
  readonly url: string | readonly string[];
  /** API key */
  readonly key: string;
}

/** Creates a client; it sends nothing before the first call. Sockets are loaded when one is opened: most commands open none. */
export function createClient({ url, key }: ClientOptions): Client {
  const connection = createConnection(url, key);
  let subscriber: Promise<Subscriber> | undefined;
  const openSubscriber = async (): Promise<Subscriber> =>
    (await import('./graphql-socket.js')).createSubscriber(connection);
  const transport: Transport = {
    request: (document, variables) => request(connection, document, variables),
    async *subscribe(document, variables) {
      yield* (await (subscriber ??= openSubscriber())).subscribe(document, variables);
    },
  };
  return {
    ...transport,
    connection,
    ...createMeApi(transport),
    runs: createRunsApi(transport),
    keys: createKeysApi(transport),
    workers: createWorkersApi(transport),
    launchers: createLaunchersApi(transport),
    environments: createEnvironmentsApi(transport),
    metrics: createMetricsApi(transport),
    logs: createLogsApi(transport),
    events: createEventsApi(transport),
    trajectories: createTrajectoriesApi(transport),
    artifacts: createArtifactsApi(connection),
    chats: createChatsApi(transport, connection),
    reports: createReportsApi(connection),
    verdicts: createVerdictsApi(transport),
    ratings: createRatingsApi(transport, connection),
    live: createLiveApi(transport),
    overview: createOverviewApi(transport),
    totals: createTotalsApi(transport),
    async *follow(runId, options) {
      const { followRun } = await import('./follow-run.js');
      yield* followRun(connection, runId, options);
    },
    rest: (path, init) => callRest(connection, path, init),
    dispose: async () => (await subscriber)?.dispose(),
  };
}
