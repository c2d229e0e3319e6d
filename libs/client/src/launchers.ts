/** @file The launchers of a server, and the workers they have started. */
import {
  type LaunchedWorkerFieldsFragment,
  type LauncherFieldsFragment,
  ListLaunchedWorkersDocument,
  ListLaunchersDocument,
  StopLaunchedWorkerDocument,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import type { Transport } from './transport.js';
import { unwrapResult } from './unwrap-result.js';

export type Launcher = LauncherFieldsFragment;
export type LaunchedWorker = LaunchedWorkerFieldsFragment;

export interface LaunchersApi {
  /** Lists the launchers in the settings of the server. */
  list(): Promise<readonly Launcher[]>;
  /** Lists a page of the workers that launchers have started, newest first; `ended`: those that are over too. */
  workers(
    page?: PageRequest & { readonly launcher?: string; readonly ended?: boolean },
  ): Promise<Page<LaunchedWorker>>;
  /** Stops a launched worker, by its name; its jobs save and continue elsewhere. Needs an admin key. */
  stop(name: string): Promise<LaunchedWorker>;
}

/** Creates the calls about launchers. */
export function createLaunchersApi({ request }: Transport): LaunchersApi {
  return {
    list: async () => (await request(ListLaunchersDocument, {})).launchers,
    async workers({ launcher, ended, ...page } = {}) {
      const variables = { launcher: launcher ?? null, ended: ended ?? null, ...pageVariables(page) };
      return toPage((await request(ListLaunchedWorkersDocument, variables)).launchedWorkers);
    },
    stop: async (name) =>
      unwrapResult((await request(StopLaunchedWorkerDocument, { input: { name } })).stopLaunchedWorker),
  };
}
