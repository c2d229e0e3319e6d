/** @file The workers of a server. */
import {
  DrainWorkerDocument,
  ForgetWorkerDocument,
  ListDeviceHistoryDocument,
  type ListDeviceHistoryQuery,
  ListWorkersDocument,
  UndrainWorkerDocument,
  type WorkerFieldsFragment,
  type WorkerOrder,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import { unwrapResult } from './unwrap-result.js';
import type { Answered, Transport } from './transport.js';

/** A worker; `plugins` are its external ones, null if it is not connected. */
export type Worker = WorkerFieldsFragment;

/** Means of what devices reported in a span of time; spans without a report are absent. */
export type DeviceSpan = Answered<ListDeviceHistoryQuery>['worker']['deviceHistory'][number];

export interface WorkersApi {
  /** Lists a page of workers, by name unless ordered otherwise. */
  list(page?: PageRequest & { readonly orderBy?: WorkerOrder }): Promise<Page<Worker>>;
  /**
   * Reads what the devices of a worker did, oldest first.
   *
   * @param options how far back (24 hours), and into how many equal spans that is divided (96)
   */
  deviceHistory(
    id: string,
    options?: { readonly hours?: number; readonly points?: number },
  ): Promise<readonly DeviceSpan[]>;
  /** Removes a worker that will not return from the lists. Needs an admin key. @returns the worker as it was */
  forget(id: string): Promise<Worker>;
  /**
   * Gives a worker no new jobs. Those it has continue there; with a deadline they save, stop and continue on other
   * workers, and are killed if they run after it. Needs an admin key.
   */
  drain(id: string, options?: { readonly deadlineSeconds?: number }): Promise<Worker>;
  /** Gives a worker new jobs again. Needs an admin key. */
  undrain(id: string): Promise<Worker>;
}

/** Creates the calls about workers. */
export function createWorkersApi({ request }: Transport): WorkersApi {
  return {
    async list({ orderBy = null, ...page } = {}) {
      const variables = { orderBy, ...pageVariables(page) };
      return toPage((await request(ListWorkersDocument, variables)).workers);
    },
    deviceHistory: async (id, { hours = 24, points = 96 } = {}) =>
      (await request(ListDeviceHistoryDocument, { id, hours, points })).worker.deviceHistory,
    forget: async (workerId) =>
      unwrapResult((await request(ForgetWorkerDocument, { input: { workerId } })).forgetWorker),
    drain: async (workerId, options) =>
      unwrapResult((await request(DrainWorkerDocument, { input: { workerId, ...options } })).drainWorker),
    undrain: async (workerId) =>
      unwrapResult((await request(UndrainWorkerDocument, { input: { workerId } })).undrainWorker),
  };
}
