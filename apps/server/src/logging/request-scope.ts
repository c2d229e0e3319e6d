/**
 * @file The current request, available anywhere in its asynchronous context: its id, for logs and errors. Outside of
 * requests (timers, workers' events) there is none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface RequestScope {
  readonly requestId: string;
  /** address of the client, for the throttle */
  readonly address: string;
  /** entries of the audit log written so far in the course of this request */
  audited: number;
  /** seconds after which what was refused may be tried again: the header `retry-after` of the answer */
  retryAfter?: number;
}

export const requestScope = new AsyncLocalStorage<RequestScope>();

/** Gives the id of the request being worked on; empty outside of requests. */
export function currentRequestId(): string {
  return requestScope.getStore()?.requestId ?? '';
}
