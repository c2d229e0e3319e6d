/** @file The artifacts of a run, over REST. */
import type { Connection } from './connection.js';
import { callRest } from './graphql-http.js';
import { collectPages, type Page } from './pages.js';

export interface StoredFile {
  /** path inside the run, such as checkpoints/step-000010/policy/model.safetensors */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** null: it belongs to none */
  readonly step: number | null;
  readonly attempt: number;
}

export interface ArtifactsApi {
  /** Lists the newest file of each path that starts with a prefix. */
  list(runId: string, prefix?: string): Promise<readonly StoredFile[]>;
  /** Fetches a file. */
  open(runId: string, path: string): Promise<Response>;
}

/** Creates the calls about artifacts. */
export function createArtifactsApi(connection: Connection): ArtifactsApi {
  const address = (runId: string): string => `/api/v1/runs/${encodeURIComponent(runId)}/artifacts`;
  return {
    list: (runId, path = '') =>
      collectPages(async ({ first, after }) => {
        const query = new URLSearchParams({ path, first: `${first}`, ...(after === null ? {} : { after }) });
        const response = await callRest(connection, `${address(runId)}?${query}`);
        return (await response.json()) as Page<StoredFile>;
      }),
    open: async (runId, path) =>
      callRest(connection, `${address(runId)}/${path.split('/').map(encodeURIComponent).join('/')}`),
  };
}
