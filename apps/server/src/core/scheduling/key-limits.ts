/** @file Limits of a key: how many of its jobs are queued, and how much its runs have stored. */
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { Artifact } from '../database/entities/artifact.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { isPostgres, runSql } from '../database/run-sql.js';
import { Clock } from '../database/clock.js';
import { Job } from '../database/entities/job.js';
import { KeyQuotas } from './key-quotas.js';

/** Minimum time between two sums of all artifact sizes of a key, ms. */
const freshMs = 30_000;
const gib = 1024 ** 3;
/** Jobs may start and files be removed at any time: an estimate, s. */
const retryAfter = 60;

@Injectable()
export class KeyLimits {
  private readonly stored = new Map<string, { readonly bytes: number; readonly readAt: number }>();

  constructor(
    private readonly source: DataSource,
    private readonly quotas: KeyQuotas,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'limits'>,
  ) {}

  /**
   * Refuses a key with too many jobs that wait.
   *
   * @param manager of the transaction that creates the job, so that concurrent requests are counted
   * @throws access.too_many_queued
   */
  async checkQueued(manager: EntityManager, keyId: string): Promise<void> {
    const limit = this.options.limits.queuedJobsPerKey;
    await lockKeys(manager, await this.quotas.familyOf(keyId));
    const waiting = await this.countQueued(keyId, manager);
    if (waiting < limit) return;
    throw new AppError(
      'access.too_many_queued',
      `queue a job: ${waiting} created with this key wait or are paused; cancel some, wait, or raise limits.queuedJobsPerKey`,
      { details: { retryAfter } },
    );
  }

  /** Refuses a key whose runs have stored too much. @throws access.too_much_stored */
  async checkStorage(keyId: string): Promise<void> {
    const limit = this.options.limits.storedGbPerKey;
    const bytes = await this.countStored(keyId);
    if (bytes < limit * gib) return;
    // so that a key that has freed space is accepted at once
    this.stored.delete(keyId);
    throw new AppError(
      'access.too_much_stored',
      `create a run: those created with this key have stored ${(bytes / gib).toFixed(1)} GiB of at most ${limit}; delete runs or checkpoints, or raise limits.storedGbPerKey`,
      { details: { retryAfter } },
    );
  }

  /** Jobs of a key that wait or are paused. */
  async countQueued(keyId: string, manager: EntityManager = this.source.manager): Promise<number> {
    const createdBy = In(await this.quotas.familyOf(keyId));
    return manager.countBy(Job, { createdBy, state: In(['queued', 'paused']) });
  }

  /** Bytes that the runs of a key have stored, as they were half a minute ago at most. */
  async countStored(keyId: string): Promise<number> {
    const known = this.stored.get(keyId);
    const now = this.clock.steady();
    if (known !== undefined && now - known.readAt < freshMs) return known.bytes;
    const bytes = await this.readStored(keyId);
    this.stored.set(keyId, { bytes, readAt: now });
    return bytes;
  }

  private async readStored(keyId: string): Promise<number> {
    const ids = await this.quotas.familyOf(keyId);
    const query = this.source
      .getRepository(Artifact)
      .createQueryBuilder('artifact')
      .select('SUM(artifact.bytes)', 'bytes')
      .where((all) => {
        const runs = all
          .subQuery()
          .select('job.runId')
          .from(Job, 'job')
          .where(`job.createdBy IN (:...ids) AND job.kind = 'train'`)
          .getQuery();
        return `artifact.runId IN ${runs}`;
      })
      .setParameter('ids', ids);
    const found = await limitConcurrency(() => query.getRawOne<{ bytes: unknown }>());
    return Number(found?.bytes ?? 0);
  }
}

/** Whoever else creates a job with one of these keys waits until this transaction is over. Rows are locked in one order. */
async function lockKeys(manager: EntityManager, ids: readonly string[]): Promise<void> {
  if (!isPostgres(manager)) return;
  const places = ids.map(() => '?').join(', ');
  await runSql(manager, `SELECT id FROM api_key WHERE id IN (${places}) ORDER BY id FOR UPDATE`, ids);
}
