/** @file The key of the client, and the projects that it sees. */
import {
  ListProjectsDocument,
  type ListProjectsQuery,
  ShowMeDocument,
  type ShowMeQuery,
} from './generated/operations.js';
import { pageVariables, readPages, toPage } from './pages.js';
import type { Transport } from './transport.js';

/** A key: its role, projects, limits, and what is left of them. */
export type Me = NonNullable<ShowMeQuery['me']>;
/** A project, with how many of its runs are in which state. */
export type Project = NonNullable<ListProjectsQuery['projects']>['nodes'][number];

export interface MeApi {
  /** Reads what the key of this client may do. */
  me(): Promise<Me>;
  /** Iterates over all projects that have runs, by name. */
  projects(): AsyncGenerator<Project>;
}

export function createMeApi({ request }: Transport): MeApi {
  return {
    me: async () => (await request(ShowMeDocument, {})).me,
    projects: () =>
      readPages(async (page) =>
        toPage((await request(ListProjectsDocument, pageVariables(page))).projects, (project) => project),
      ),
  };
}
