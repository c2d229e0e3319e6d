/**
 * @file The lease of one server on a PostgreSQL database: a row with an epoch, a fencing token that grows with each takeover, and
 * the time at which it expires by the database's clock. The holder renews it; another server takes it over once it has expired.
 * Every write locks the row of its epoch, so a holder that slept through a takeover writes nothing any more.
 */
import { randomUUID } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import type { Client } from 'pg';
import type { EntityManager } from 'typeorm';
import type { DatabaseOptions } from '../../../config/storage-options.js';

/** an arbitrary number that no other program is likely to use */
const lockNumber = 4_707_118_351;
/** renewals in the time of a lease */
const renewals = 4;

/** Who holds the lease. */
export interface LeaseHolder {
  readonly epoch: number;
  /** where it listens, as it was told */
  readonly address: string;
  readonly version: string;
}

const now = 'extract(epoch FROM clock_timestamp())::double precision';

/** Name of the connections of a holder, by which a takeover ends those that still hold locks. */
export const applicationName = (epoch: number): string => `espalier ${epoch}`;

type Settings = Pick<DatabaseOptions, 'url' | 'connectSeconds' | 'leaseSeconds'>;

/** The lock of this process on a PostgreSQL database. */
export class PostgresLease {
  epoch = 0;
  private readonly instance = randomUUID();
  private client: Client | undefined;
  private isPrepared = false;
  private timer: NodeJS.Timeout | undefined;
  private renewal: Promise<void> | undefined;
  private lost: AppError | undefined;
  private isReleased = false;
  private readonly listeners = new Set<(error: AppError) => void>();

  constructor(
    private readonly settings: Settings,
    private readonly self: Pick<LeaseHolder, 'address' | 'version'>,
  ) {}

  /** whether it is held at this moment */
  get isHeld(): boolean {
    return this.epoch > 0 && this.lost === undefined;
  }

  /** Takes the lease if nobody holds it. @returns null: it is held now; otherwise who holds it */
  async tryTake(): Promise<LeaseHolder | null> {
    const client = await this.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SET LOCAL lock_timeout = '2s'`);
      const holder = await this.takeOrRead(client);
      await client.query('COMMIT');
      if (holder === null) this.keep();
      return holder;
    } catch (error) {
      await this.disconnect();
      throw error;
    }
  }

  private async takeOrRead(client: Client): Promise<LeaseHolder | null> {
    await client.query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    if (!this.isPrepared)
      await client.query(
        'CREATE TABLE IF NOT EXISTS server_lease (epoch bigint PRIMARY KEY, instance text NOT NULL, address text NOT NULL, version text NOT NULL, expires double precision NOT NULL)',
      );
    this.isPrepared = true;
    const { rows } = await client.query<{ epoch: string; address: string; version: string; rest: number }>(
      `SELECT epoch, address, version, expires - ${now} AS rest FROM server_lease`,
    );
    const [row] = rows;
    const { address, version } = this.self;
    const { leaseSeconds } = this.settings;
    if (row === undefined)
      await client.query(`INSERT INTO server_lease VALUES (1, $1, $2, $3, ${now} + $4)`, [
        this.instance,
        address,
        version,
        leaseSeconds,
      ]);
    else if (row.rest > 0) return { epoch: Number(row.epoch), address: row.address, version: row.version };
    else await this.replace(client, Number(row.epoch));
    this.epoch = Number(row?.epoch ?? 0) + 1;
    return null;
  }

  /** Ends what its holder left open, such as a transaction of a process that is stopped, and raises the epoch. */
  private async replace(client: Client, epoch: number): Promise<void> {
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user AND application_name = $1',
      [applicationName(epoch)],
    );
    const { address, version } = this.self;
    await client.query(
      `UPDATE server_lease SET epoch = $1, instance = $2, address = $3, version = $4, expires = ${now} + $5 WHERE epoch = $6`,
      [epoch + 1, this.instance, address, version, this.settings.leaseSeconds, epoch],
    );
  }

  /**
   * Locks the epoch until the end of a transaction: no takeover ends in between.
   *
   * @throws server.already_running when another server has taken over
   */
  async fence(manager: EntityManager): Promise<void> {
    if (this.lost !== undefined) throw this.lost;
    const rows = (await manager.query('SELECT 1 FROM server_lease WHERE epoch = $1 FOR KEY SHARE', [
      this.epoch,
    ])) as unknown[];
    if (rows.length === 0) throw this.lose();
  }

  /** Calls back once, when another server has it: this one may never write again. */
  onLost(listener: (error: AppError) => void): void {
    this.listeners.add(listener);
  }

  /** Lets another server take over at once. */
  async release(): Promise<void> {
    if (this.isReleased) return;
    this.isReleased = true;
    clearInterval(this.timer);
    await this.renewal;
    if (this.isHeld)
      await this.connect()
        .then((client) =>
          client.query('UPDATE server_lease SET expires = 0 WHERE epoch = $1 AND instance = $2', [
            this.epoch,
            this.instance,
          ]),
        )
        .catch(() => undefined);
    await this.disconnect();
  }

  private keep(): void {
    const everyMs = (this.settings.leaseSeconds * 1000) / renewals;
    this.timer = setInterval(() => {
      this.renewal ??= this.renew().finally(() => (this.renewal = undefined));
    }, everyMs);
  }

  /** A renewal that fails is tried again: nobody else may write before somebody has taken over. */
  private async renew(): Promise<void> {
    if (!this.isHeld || this.isReleased) return;
    try {
      const client = await this.connect();
      const { rowCount } = await client.query(
        `UPDATE server_lease SET expires = ${now} + $1 WHERE epoch = $2 AND instance = $3`,
        [this.settings.leaseSeconds, this.epoch, this.instance],
      );
      if (rowCount === 0) this.lose();
    } catch {
      await this.disconnect();
    }
  }

  private lose(): AppError {
    if (this.lost !== undefined) return this.lost;
    this.lost = new AppError(
      'server.already_running',
      'write: another server has taken over this database, because this one did not renew its lease; start it again, and it stands by',
    );
    clearInterval(this.timer);
    for (const listener of this.listeners) listener(this.lost);
    return this.lost;
  }

  private async connect(): Promise<Client> {
    if (this.client !== undefined) return this.client;
    const { default: pg } = await import('pg');
    const patienceMs = this.settings.connectSeconds * 1000;
    const client = new pg.Client({
      connectionString: this.settings.url,
      application_name: 'espalier lease',
      keepAlive: true,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
    });
    const drop = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', drop);
    client.on('end', drop);
    await client.connect();
    this.client = client;
    return client;
  }

  private async disconnect(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    // one that is silent would not even say goodbye
    if (client !== undefined) await Promise.race([client.end().catch(() => undefined), pause(1000)]);
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms).unref());
