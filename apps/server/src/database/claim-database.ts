/**
 * @file One server per database. A second one would give leases away and count cursors anew. SQLite is guarded by the
 * lock of the data folder; in PostgreSQL a session of its own holds an advisory lock, which ends with the process.
 */
import { setTimeout } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import type { DataSource } from 'typeorm';

/** any number that nobody else would choose */
const lockNumber = 4_707_118_351;
/** the session of a server that was killed may live on for a moment */
const tries = 20;

/**
 * Claims a PostgreSQL database for this process, until the connection ends.
 *
 * @throws server.already_running
 */
export async function claimDatabase(source: DataSource): Promise<void> {
  if (source.options.type !== 'postgres') return;
  const runner = source.createQueryRunner();
  for (let i = 0; i < tries; i++) {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS held', [lockNumber])) as {
      held: boolean;
    }[];
    if (row?.held === true) return;
    await setTimeout(250);
  }
  await runner.release();
  throw new AppError(
    'server.already_running',
    'start server: another server uses this database; stop it, or give this server a database of its own',
  );
}
