/** @file The workers of a server. */
import type { PluginVersion } from '@espalier/protocol';
import {
  ForgetWorkerDocument,
  ListWorkersDocument,
  type WorkerFieldsFragment,
} from './generated/operations.js';
import type { Page, PageRequest } from './runs.js';
import { settle } from './settle.js';
import type { Transport } from './transport.js';

export type Worker = Omit<WorkerFieldsFragment, 'plugins'> & {
  /** what it has that did not come with Espalier; null: it is not connected, or does not say */
  readonly plugins: readonly PluginVersion[] | null;
};

export interface WorkersApi {
  /** A page of workers, by name. */
  list(page?: PageRequest): Promise<Page<Worker>>;
  /** Takes a worker that is gone for good off the lists; gives it as it was. Needs an admin key. */
  forget(id: string): Promise<Worker>;
}

/** Builds the calls about workers. */
export function createWorkersApi({ request }: Transport): WorkersApi {
  return {
    async list({ first = 50, after = null } = {}) {
      const { items, pageInfo } = (await request(ListWorkersDocument, { first, after })).workers;
      return { items: items as readonly Worker[], next: pageInfo.hasNextPage ? pageInfo.endCursor : null };
    },
    async forget(id) {
      const { __typename: _kind, ...worker } = settle(
        (await request(ForgetWorkerDocument, { id })).forgetWorker,
      );
      return worker as Worker;
    },
  };
}
