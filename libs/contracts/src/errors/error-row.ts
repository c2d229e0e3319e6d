/** @file The columns of the table of errors. */

/** What a command that ends with an error exits with, by name; `apps/cli/src/exit-codes.ts` has the numbers. */
export type ExitName = 'usage' | 'invalid' | 'notFound' | 'failed' | 'unavailable' | 'temporary' | 'denied';

/** A member of the unions that mutations of the GraphQL API return, next to their result. */
export type RefusalName = 'InvalidInput' | 'NotFound' | 'WrongState' | 'NotPossible';

/** What is known about an error code. */
export interface ErrorRow {
  /** the finding, in a sentence without a full stop */
  readonly meaning: string;
  /** of a command that throws it, or that a server refuses with it */
  readonly exit: ExitName;
  /** HTTP status of an answer of the server; absent: a client gets `server.internal`, and the details are in the log */
  readonly status?: number;
  /** the same operation may succeed later without any change */
  readonly retry?: true;
  /** the refusals that may carry it; a mutation that expects none of them throws the error */
  readonly refusals?: readonly RefusalName[];
  /** of the alert that it raises about a run as a warning; absent: it is never a warning */
  readonly severity?: 'warning' | 'error';
}
