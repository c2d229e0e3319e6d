import type { RunLog } from '../events/run-log.js';
import type { DispatchQueue } from './dispatch.provider.js';

/**
 * Calls the dispatch queue where it may be called: between writes when it is in the database, because SQLite has one
 * connection; elsewhere never there, because a service that hangs would hold every write up.
 */
export async function askQueue<T>(queue: DispatchQueue, log: RunLog, call: () => Promise<T>): Promise<T> {
  return queue.isInDatabase ? log.pause(call) : call();
}
