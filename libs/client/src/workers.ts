/** @file The workers of a server. */
import {
  DrainWorkerDocument,
  ForgetWorkerDocument,
  ListWorkersDocument,
  UndrainWorkerDocument,
  type WorkerFieldsFragment,
} from './generated/operations.js';
import { type Page, type PageRequest, pageVariables, toPage } from './pages.js';
import { unwrapResult } from './unwrap-result.js';
import type { Transport } from './transport.js';

/** A worker; `plugins` are its external ones, null if it is not connected or does not report them. */
export type Worker = WorkerFieldsFragment;

export interface WorkersApi {
  /** Lists a page of workers, by name. */
  list(page?: PageRequest): Promise<Page<Worker>>;
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
    list: async (page = {}) =>
      toPage((await request(ListWorkersDocument, pageVariables(page))).workers, (worker) => worker as Worker),
    async forget(id) {
      const { __typename: _kind, ...worker } = unwrapResult(
        (await request(ForgetWorkerDocument, { id })).forgetWorker,
      );
      return worker;
    },
    async drain(id, { deadlineSeconds } = {}) {
      const wish = { id, deadlineSeconds: deadlineSeconds ?? null };
      const { __typename: _kind, ...worker } = unwrapResult(
        (await request(DrainWorkerDocument, wish)).drainWorker,
      );
      return worker as Worker;
    },
    async undrain(id) {
      const { __typename: _kind, ...worker } = unwrapResult(
        (await request(UndrainWorkerDocument, { id })).undrainWorker,
      );
      return worker as Worker;
    },
  };
}
