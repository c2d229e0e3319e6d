/** @file Limits of a key: how many of its jobs are queued, how much its runs have stored, and what is left of each. */
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { type Rate, RateLimits } from '../access/rate-limits.js';
import { Artifact } from '../database/entities/artifact.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { isPostgres, runSql } from '../database/run-sql.js';
import { Clock } from '../database/clock.js';
import { Job } from '../database/entities/job.js';
import { ConcurrencyLimits } from './concurrency-limits.js';

/** How much of something a key may use; null: no limit. */
export class Allowance {
  limit!: number | null;
  used!: number;
  left!: number | null;
}

export class KeyAllowances {
  requestsPerMinute!: Allowance;
  sentKbPerMinute!: Allowance;
  runningJobs!: Allowance;
  queuedJobs!: Allowance;
  storedBytes!: Allowance;
}

/** The key of a request. */
export class Me {
  keyId!: string;
  name!: string;
  role!: Role;
  projects!: readonly string[];
  limits!: KeyAllowances;
}

/** Minimum time between two sums of all artifact sizes of a key, ms. */
const freshMs = 30_000;
const gib = 1024 ** 3;
/** Jobs may start and files be removed at any time: an estimate, s. */
const retryAfter = 60;

@Injectable()
export class UsageQuotas {
  private readonly stored = new Map<string, { readonly bytes: number; readonly readAt: number }>();

  constructor(
    private readonly source: DataSource,
    private readonly concurrency: ConcurrencyLimits,
    private readonly rates: RateLimits,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'limits'>,
  ) {}

  /**
   * Rejects a key with too many queued jobs.
   *
   * @param manager of the transaction that creates the job, so that concurrent requests are counted
   * @throws access.limit_exceeded
   */
  async checkQueued(manager: EntityManager, keyId: string): Promise<void> {
    const limit = this.options.limits.queuedJobsPerKey;
    await this.concurrency.refresh();
    await lockKeys(manager, this.concurrency.lineageOf(keyId));
    const queued = await this.countQueued(keyId, manager);
    if (queued < limit) return;
    throw new AppError(
      'access.limit_exceeded',
      `queue a job: ${queued} created with this key wait or are paused; cancel some, wait, or raise limits.queuedJobsPerKey`,
      { details: { retryAfter } },
    );
  }

  /** Rejects a key whose runs have stored too much. @throws access.limit_exceeded */
  async checkStorage(keyId: string): Promise<void> {
    const limit = this.options.limits.storedGbPerKey;
    const bytes = await this.countStored(keyId);
    if (bytes < limit * gib) return;
    // so that a key that has freed space is accepted at once
    this.stored.delete(keyId);
    throw new AppError(
      'access.limit_exceeded',
      `create a run: those created with this key have stored ${(bytes / gib).toFixed(1)} GiB of at most ${limit}; delete runs, set artifacts.keepCheckpoints, or raise limits.storedGbPerKey`,
      { details: { retryAfter } },
    );
  }

  /** The limits of a key, and what is left of them. */
  async allowancesOf(keyId: string): Promise<KeyAllowances> {
    const { queuedJobsPerKey, storedGbPerKey } = this.options.limits;
    const ofRate = async (rate: Rate): Promise<Allowance> => {
      const { limit, used } = await this.rates.usage(rate, keyId);
      return allowance(limit, used);
    };
    await this.concurrency.refresh();
    return Object.assign(new KeyAllowances(), {
      requestsPerMinute: await ofRate('requests'),
      sentKbPerMinute: await ofRate('sentKb'),
      runningJobs: allowance(this.concurrency.limitOf(keyId), this.concurrency.runningOf(keyId)),
      queuedJobs: allowance(queuedJobsPerKey, await this.countQueued(keyId, this.source.manager)),
      storedBytes: allowance(Math.round(storedGbPerKey * gib), await this.countStored(keyId)),
    });
  }

  private async countQueued(keyId: string, manager: EntityManager): Promise<number> {
    const createdBy = In([...this.concurrency.lineageOf(keyId)]);
    return manager.countBy(Job, { createdBy, state: In(['queued', 'paused']) });
  }

  /** Bytes that the runs of a key have stored, as of half a minute ago at most. */
  private async countStored(keyId: string): Promise<number> {
    const known = this.stored.get(keyId);
    const now = this.clock.steady();
    if (known !== undefined && now - known.readAt < freshMs) return known.bytes;
    const bytes = await this.readStored(keyId);
    this.stored.set(keyId, { bytes, readAt: now });
    return bytes;
  }

  private async readStored(keyId: string): Promise<number> {
    await this.concurrency.refresh();
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
      .setParameter('ids', this.concurrency.lineageOf(keyId));
    const found = await limitConcurrency(() => query.getRawOne<{ bytes: unknown }>());
    return Number(found?.bytes ?? 0);
  }
}

function allowance(limit: number | null, used: number): Allowance {
  const left = limit === null ? null : Math.max(0, limit - used);
  return Object.assign(new Allowance(), { limit, used, left });
}

/** Serialises transactions that create jobs with these keys. Rows are locked in one order, so that none deadlock. */
async function lockKeys(manager: EntityManager, ids: readonly string[]): Promise<void> {
  if (!isPostgres(manager)) return;
  const parameters = ids.map(() => '?').join(', ');
  await runSql(manager, `SELECT id FROM api_key WHERE id IN (${parameters}) ORDER BY id FOR UPDATE`, ids);
}
