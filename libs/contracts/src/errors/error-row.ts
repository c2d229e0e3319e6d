/** @file The columns of the table of errors. */

/** What a command that ends with an error exits with, by name; `apps/cli/src/exit-codes.ts` has the numbers. */
export type ExitName = 'usage' | 'invalid' | 'notFound' | 'failed' | 'unavailable' | 'temporary' | 'denied';

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
}
