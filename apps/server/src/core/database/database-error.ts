/**
 * @file Maps transient database errors to messages for clients, by the codes of SQLite and PostgreSQL and the messages
 * of their drivers. Every other database error is internal.
 */
import { AppError } from '@espalier/contracts';
import { QueryFailedError } from 'typeorm';

const unreachable = 'PostgreSQL does not answer; see that it runs and can be reached, and try again';

/** by code; the first that fits counts */
const byCode: readonly (readonly [RegExp, string])[] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'another process holds its file; close what else has it open, such as a shell or a backup, and try again',
  ],
  [/^SQLITE_FULL|^53100$/, 'its disk is full; make room, and try again'],
  [
    /^SQLITE_IOERR|^58030$/,
    'its disk failed to read or write; look at the disk and at the log of its machine, and try again',
  ],
  [/^SQLITE_(READONLY|CANTOPEN|PERM)/, 'its file may not be written; look at its owner and its mode'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'its file is damaged; stop the server and restore the file from a backup'],
  [
    /^57014$/,
    'it took too long; ask for less, try again when less is going on, or raise database.statementSeconds',
  ],
  [/^(40001|40P01|55P03)$/, 'another transaction was changing the same; try again'],
  [/^53300$/, 'PostgreSQL has no connection left; lower database.connections or raise its max_connections'],
  [/^(57P0\d|08\w{3})$/, unreachable],
];
/** of any connection; of that to PostgreSQL, if it was a statement that failed or a connection that was not made */
const connectionErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH)$/;
/** of the driver of PostgreSQL, which has no codes for them */
const driverTimeouts =
  /^(Query read timeout|timeout expired|timeout exceeded when trying|Connection terminated)/;

/** Returns the client error for a transient database error; undefined for any other error. */
export function toDatabaseError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const known = typeof code === 'string' ? byCode.find(([pattern]) => pattern.test(code))?.[1] : undefined;
  const isOurs = error instanceof QueryFailedError || syscall === 'connect';
  const isAway =
    driverTimeouts.test(error.message) || (isOurs && typeof code === 'string' && connectionErrors.test(code));
  const finding = known ?? (isAway ? unreachable : undefined);
  if (finding === undefined) return undefined;
  return new AppError('server.database_unavailable', `use the database: ${finding}`, { cause: error });
}
