import type { StreamBatch } from '@espalier/protocol';
import { type ArtifactsApi, createArtifactsApi } from './artifacts.js';
import type { Connection } from './connection.js';
import { type FollowOptions, followRun } from './follow-run.js';
import { callRest, request } from './graphql-http.js';
import { createSubscriber } from './graphql-socket.js';
import { createKeysApi, type KeysApi } from './keys.js';
import { createMeApi, type MeApi } from './me.js';
import {
  createLogsApi,
  createMetricsApi,
  createTrajectoriesApi,
  type LogsApi,
  type MetricsApi,
  type TrajectoriesApi,
} from './records.js';
import { createRunsApi, type RunsApi } from './runs.js';
import type { Transport } from './transport.js';
import { createWorkersApi, type WorkersApi } from './workers.js';

/** A client of one server. Every call may throw client.unreachable and client.refused. */
export interface Client extends Transport, MeApi {
  readonly connection: Connection;
  readonly runs: RunsApi;
  readonly keys: KeysApi;
  readonly workers: WorkersApi;
  readonly metrics: MetricsApi;
  readonly logs: LogsApi;
  readonly trajectories: TrajectoriesApi;
  readonly artifacts: ArtifactsApi;
  /** Follows a run live. Yields each record exactly once, even across reconnects. */
  follow(runId: string, options?: FollowOptions): AsyncGenerator<StreamBatch>;
  /** Calls the REST API, for binary content. */
  rest(path: string, init?: RequestInit): Promise<Response>;
  /** Closes the subscription socket. */
  dispose(): Promise<void>;
}

/** Creates a client; it sends nothing before the first call. */
export function createClient(given: Connection): Client {
  const connection = { ...given, url: given.url.replace(/(?<!\/)\/+$/, '') };
  let subscriber: ReturnType<typeof createSubscriber> | undefined;
  const transport: Transport = {
    request: (document, variables) => request(connection, document, variables),
    subscribe: (document, variables) =>
      (subscriber ??= createSubscriber(connection)).subscribe(document, variables),
  };
  return {
    ...transport,
    connection,
    ...createMeApi(transport),
    runs: createRunsApi(transport),
    keys: createKeysApi(transport),
    workers: createWorkersApi(transport),
    metrics: createMetricsApi(transport),
    logs: createLogsApi(transport),
    trajectories: createTrajectoriesApi(transport),
    artifacts: createArtifactsApi(connection),
    follow: (runId, options) => followRun(connection, runId, options),
    rest: (path, init) => callRest(connection, path, init),
    dispose: async () => subscriber?.dispose(),
  };
}
