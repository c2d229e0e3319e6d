/** @file What a page shows of all runs at once: rows with their devices, workers, the queue, plugins, recipes, alerts. */
import {
  AcknowledgeAlertDocument,
  AcknowledgeAlertsDocument,
  type AlertFilter,
  type AlertOrder,
  AssignAlertDocument,
  type JobState,
  ListAssigneesDocument,
  type ListAssigneesQuery,
  ListAlertsDocument,
  type ListAlertsQuery,
  ListJobRowsDocument,
  type ListJobRowsQuery,
  ListPluginsDocument,
  type ListPluginsQuery,
  ListRecipesDocument,
  type ListRecipesQuery,
  ListRunRowsDocument,
  type ListRunRowsQuery,
  ListWorkerRowsDocument,
  type ListWorkerRowsQuery,
  type RunFilter,
  type RunOrder,
  ShowServerDocument,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import type { Answered, Transport } from './transport.js';
import { unwrapResult } from './unwrap-result.js';

/** A run with what is left of it and its newest attempt. */
export type RunRow = Answered<ListRunRowsQuery>['runs']['nodes'][number];
export type WorkerRow = Answered<ListWorkerRowsQuery>['workers']['nodes'][number];
/** A job with the reason why it waits. */
export type JobRow = Answered<ListJobRowsQuery>['jobs']['nodes'][number];
export type PluginRow = Answered<ListPluginsQuery>['plugins'][number];
export type Recipe = Answered<ListRecipesQuery>['recipes'][number];
export type AlertAssignee = Answered<ListAssigneesQuery>['assignees'][number];
export type Alert = Answered<ListAlertsQuery>['alerts']['nodes'][number];

export interface OverviewApi {
  /** Lists a page of runs with devices, newest first unless ordered otherwise. */
  runs(
    filter?: RunFilter,
    page?: Pick<PageRequest, 'first' | 'after'> & { readonly orderBy?: RunOrder },
  ): Promise<Page<RunRow>>;
  /** Lists a page of workers with devices and present jobs. */
  workers(page?: Pick<PageRequest, 'first' | 'after'>): Promise<Page<WorkerRow>>;
  /** Lists a page of jobs in these states, those that wait longest first. */
  jobs(states: readonly JobState[], page?: Pick<PageRequest, 'first' | 'after'>): Promise<Page<JobRow>>;
  plugins(): Promise<readonly PluginRow[]>;
  /** Lists the configurations that come with the server. */
  recipes(): Promise<readonly Recipe[]>;
  alerts(
    filter?: AlertFilter,
    page?: Pick<PageRequest, 'first' | 'after'> & { readonly orderBy?: AlertOrder },
  ): Promise<Page<Alert>>;
  acknowledge(alertId: string): Promise<unknown>;
  /** Acknowledges several alerts, all or none. */
  acknowledgeAll(alertIds: readonly string[]): Promise<unknown>;
  /** Lists who may look after alerts of a project; needs the operator role. */
  assignees(project: string): Promise<readonly AlertAssignee[]>;
  /** Says who looks after an alert. @param keyId null: nobody */
  assign(alertId: string, keyId: string | null): Promise<unknown>;
  /** Reads the version of the server. */
  version(): Promise<string>;
}

/** Creates these calls. */
export function createOverviewApi({ request }: Transport): OverviewApi {
  return {
    async runs(filter = {}, { orderBy = null, ...page } = {}) {
      const { first, after } = pageVariables(page);
      return toPage((await request(ListRunRowsDocument, { filter, orderBy, first, after })).runs);
    },
    async workers(page = {}) {
      const { first, after } = pageVariables(page);
      return toPage((await request(ListWorkerRowsDocument, { first, after })).workers);
    },
    async jobs(states, page = {}) {
      const { first, after } = pageVariables(page);
      return toPage((await request(ListJobRowsDocument, { states: [...states], first, after })).jobs);
    },
    plugins: async () => (await request(ListPluginsDocument, {})).plugins,
    recipes: async () => (await request(ListRecipesDocument, {})).recipes,
    async alerts(filter = {}, { orderBy = null, ...page } = {}) {
      const { first, after } = pageVariables(page);
      return toPage((await request(ListAlertsDocument, { filter, orderBy, first, after })).alerts);
    },
    acknowledge: async (alertId) =>
      unwrapResult((await request(AcknowledgeAlertDocument, { input: { alertId } })).acknowledgeAlert),
    acknowledgeAll: async (alertIds) =>
      unwrapResult(
        (await request(AcknowledgeAlertsDocument, { input: { alertIds: [...alertIds] } })).acknowledgeAlerts,
      ),
    assignees: async (project) => (await request(ListAssigneesDocument, { project })).assignees,
    assign: async (alertId, keyId) =>
      unwrapResult((await request(AssignAlertDocument, { input: { alertId, keyId } })).assignAlert),
    version: async () => (await request(ShowServerDocument, {})).version,
  };
}
