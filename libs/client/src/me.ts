/** @file The key of the client, and the projects that it sees. */
import {
  CreateTicketDocument,
  type CreateTicketMutation,
  ListProjectsDocument,
  type ListProjectsQuery,
  ShowMeDocument,
  type ShowMeQuery,
  ShowViewDocument,
  type TicketPurpose,
  WatchShownViewsDocument,
} from './generated/operations.js';
import { pageVariables, readPages, toPage } from './pages.js';
import { type ResultOf, unwrapResult } from './unwrap-result.js';
import type { Transport } from './transport.js';

/** A key: its role, projects, limits, and what is left of them. */
export type Me = NonNullable<ShowMeQuery['me']>;
/** A project, with how many of its runs are in which state. */
export type Project = NonNullable<ListProjectsQuery['projects']>['nodes'][number];

/** Stands for a key, for one purpose and a minute. */
export type Ticket = ResultOf<NonNullable<CreateTicketMutation['createTicket']>>;

export interface MeApi {
  /** Reads what the key of this client may do. */
  me(): Promise<Me>;
  /** Creates a ticket, which stands for the key for a minute and one purpose. @param path of a download */
  createTicket(purpose: TicketPurpose, path?: string): Promise<Ticket>;
  /** Iterates over all projects that have runs, by name. */
  projects(): AsyncGenerator<Project>;
  /**
   * Asks the open pages of this key to show a view.
   *
   * @param path path and search parameters of the page, such as `/runs/<id>?step=4`
   * @param note why, shown above the view
   * @returns how many pages were asked
   */
  showView(path: string, note?: string): Promise<{ readonly pages: number }>;
  /** Yields each view that this key is asked to show. */
  shownViews(): AsyncGenerator<{ readonly path: string; readonly note: string | null }>;
}

export function createMeApi({ request, subscribe }: Transport): MeApi {
  return {
    me: async () => (await request(ShowMeDocument, {})).me,
    async createTicket(purpose, path) {
      const input = path === undefined ? { purpose } : { purpose, path };
      return unwrapResult((await request(CreateTicketDocument, { input })).createTicket);
    },
    projects: () =>
      readPages(async (page) => toPage((await request(ListProjectsDocument, pageVariables(page))).projects)),
    async showView(path, note) {
      const input = note === undefined ? { path } : { path, note };
      return unwrapResult((await request(ShowViewDocument, { input })).showView);
    },
    async *shownViews() {
      for await (const { viewShown } of subscribe(WatchShownViewsDocument, {})) yield viewShown;
    },
  };
}
