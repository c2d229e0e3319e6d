import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { isPostgres, runSql } from '../database/run-sql.js';
import { RunLog } from '../database/run-log.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from '../database/clock.js';
import { JobCounters } from './job-counters.js';
import { LeaseTable } from './lease-table.js';

/** Leases renewed with one statement, which is prepared once. */
const rowsPerStatement = 20;
const places = Array.from({ length: rowsPerStatement }, () => '?').join(', ');
const held = `id IN (${places}) AND "attemptId" IN (${places})`;
const renewal = `UPDATE job SET "leaseUntil" = ? WHERE ${held}`;
/** what is being written about is renewed the next time */
const renewalInPostgres = `UPDATE job SET "leaseUntil" = ? WHERE id IN (SELECT id FROM job WHERE ${held} FOR UPDATE SKIP LOCKED)`;

/** Mirrors leases into the database for users, and checks that no device has two attempts. */
@Injectable()
export class LeaseStore {
  private readonly logger = new Logger('jobs');

  constructor(
    private readonly log: RunLog,
    private readonly leases: LeaseTable,
    private readonly pool: WorkerPool,
    private readonly counters: JobCounters,
    private readonly clock: Clock,
  ) {}

  async write(): Promise<void> {
    this.checkConflicts();
    const changed = this.leases.takeChanged();
    const leaseUntil = this.clock.now() + this.leases.leaseMs;
    for (let from = 0; from < changed.length; from += 500)
      await this.log.write('leases', async (manager) => {
        const part = changed.slice(from, from + 500);
        for (let first = 0; first < part.length; first += rowsPerStatement)
          await this.renew(manager, part.slice(first, first + rowsPerStatement), leaseUntil);
      });
  }

  private async renew(
    manager: EntityManager,
    attempts: readonly string[],
    leaseUntil: number,
  ): Promise<void> {
    // as many as the statement has parameters: a duplicate changes nothing
    const all = Array.from({ length: rowsPerStatement }, (_, index) => attempts[index] ?? attempts[0] ?? '');
    const jobIds = all.map((attemptId) => this.pool.allocation(attemptId)?.jobId ?? '');
    const statement = isPostgres(manager) ? renewalInPostgres : renewal;
    await runSql(manager, statement, [leaseUntil, ...jobIds, ...all]);
  }

  private checkConflicts(): void {
    const conflicts = this.pool.countConflicts();
    if (conflicts === 0) return;
    this.counters.add('conflicts', conflicts);
    this.logger.error(`${conflicts} devices have two attempts at once; this is a defect, report it`);
  }
}
