/** @file The artifacts of a run, over REST. */
import type { Connection } from './connection.js';
import { callRest } from './graphql-http.js';

export interface StoredFile {
  /** path inside the run, such as checkpoints/step-000010/policy/model.safetensors */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly step: number;
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
    async list(runId, prefix = '') {
      const found: StoredFile[] = [];
      for (let after = ''; ;) {
        const query = new URLSearchParams({ path: prefix, ...(after === '' ? {} : { after }) });
        const response = await callRest(connection, `${address(runId)}?${query}`);
        const { items, next } = (await response.json()) as { items: StoredFile[]; next: string | null };
        found.push(...items);
        if (next === null) return found;
        after = next;
      }
    },
    open: async (runId, path) =>
      callRest(connection, `${address(runId)}/${path.split('/').map(encodeURIComponent).join('/')}`),
  };
}
