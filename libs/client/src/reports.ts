/** @file Reports that the server makes. */
import type { Connection } from './connection.js';
import { callRest } from './graphql-http.js';

export interface ReportsApi {
  /**
   * Makes a report on runs: one HTML file that opens from disk. Takes some seconds.
   *
   * @param runIds at least one
   */
  make(
    runIds: readonly [string, ...string[]],
    options?: { readonly title?: string; readonly signal?: AbortSignal },
  ): Promise<Blob>;
}

/** Creates these calls. */
export function createReportsApi(connection: Connection): ReportsApi {
  return {
    async make([first, ...also], { title = 'Report', signal } = {}) {
      const query = new URLSearchParams({ also: also.join(','), title });
      const path = `/api/v1/runs/${encodeURIComponent(first)}/report?${query.toString()}`;
      const response = await callRest(connection, path, signal === undefined ? {} : { signal });
      return response.blob();
    },
  };
}
