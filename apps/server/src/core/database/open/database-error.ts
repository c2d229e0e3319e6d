/**
 * @file Maps transient database errors to messages for clients, by the codes of SQLite and PostgreSQL and the messages
 * of their drivers. Every other database error is internal.
 */
import { AppError } from '@espalier/contracts';
import { QueryFailedError } from 'typeorm';

const unreachable = 'PostgreSQL does not answer; check that it is running and reachable, and try again';

/** by code; the first match counts */
const byCode: readonly (readonly [RegExp, string])[] = [
  [
    /^SQLITE_(BUSY|LOCKED)/,
    'another process holds its file; close other programs that use it, such as a shell or a backup, and try again',
  ],
  [/^SQLITE_FULL|^53100$/, 'its disk is full; free space, and try again'],
  [
    /^SQLITE_IOERR|^58030$/,
    'its disk failed to read or write; check the disk and the system log, and try again',
  ],
  [/^SQLITE_(READONLY|CANTOPEN|PERM)/, 'its file is not writable; check its owner and mode'],
  [/^SQLITE_(CORRUPT|NOTADB)/, 'its file is damaged; stop the server and restore the file from a backup'],
  [
    /^57014$/,
    'it took too long; request less, try again when the server is less busy, or raise database.statementSeconds',
  ],
  [/^(40001|40P01|55P03)$/, 'another transaction was changing the same rows; try again'],
  [/^53300$/, 'PostgreSQL has no connection left; lower database.connections or raise its max_connections'],
  [/^(57P0\d|08\w{3})$/, unreachable],
];
/** codes of any socket; of PostgreSQL's if a statement failed or no connection was established */
const connectionErrors = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH)$/;
/** messages of PostgreSQL's driver, which has no codes for them */
const driverTimeouts =
  /^(Query read timeout|timeout expired|timeout exceeded when trying|Connection terminated)/;

/** Returns the client error for a transient database error; undefined for any other error. */
export function toDatabaseError(error: unknown): AppError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  const known = typeof code === 'string' ? byCode.find(([pattern]) => pattern.test(code))?.[1] : undefined;
  const isDatabase = error instanceof QueryFailedError || syscall === 'connect';
  const isUnreachable =
    driverTimeouts.test(error.message) ||
    (isDatabase && typeof code === 'string' && connectionErrors.test(code));
  const finding = known ?? (isUnreachable ? unreachable : undefined);
  if (finding === undefined) return undefined;
  return new AppError('server.database_unavailable', `use the database: ${finding}`, { cause: error });
}
