/** @file The key of the client, and the projects that it sees. */
import {
  ListProjectsDocument,
  type ListProjectsQuery,
  ShowMeDocument,
  type ShowMeQuery,
} from './generated/operations.js';
import { readPages } from './read-pages.js';
import type { Transport } from './transport.js';

/** A key: its role, projects, limits, and what is left of them. */
export type Me = NonNullable<ShowMeQuery['me']>;
/** A project, with how many of its runs are in which state. */
export type Project = NonNullable<ListProjectsQuery['projects']>['items'][number];

export interface MeApi {
  /** Reads what the key of this client may do. */
  me(): Promise<Me>;
  /** Iterates over all projects that have runs, by name. */
  projects(): AsyncGenerator<Project>;
}

const none = { items: [], pageInfo: { hasNextPage: false, endCursor: null } };

export function createMeApi({ request }: Transport): MeApi {
  return {
    // null only together with an error, which is thrown
    me: async () => (await request(ShowMeDocument, {})).me as Me,
    projects: () =>
      readPages(async ({ first = 200, after = null }) => {
        const { items, pageInfo } = (await request(ListProjectsDocument, { first, after })).projects ?? none;
        return { items, next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
      }),
  };
}
