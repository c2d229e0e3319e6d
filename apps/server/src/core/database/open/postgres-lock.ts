/**
 * @file Locks a PostgreSQL database by an advisory lock, which ends with the session that holds it: with the process,
 * but also when PostgreSQL restarts or the connection breaks. After that nothing is written until a new connection has
 * acquired the lock, or ever, if another server was faster.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import type { Client } from 'pg';
import type { DatabaseLock } from './database-lock.js';

/** an arbitrary number that no other program is likely to use */
const lockNumber = 4_707_118_351;
/** the session of a killed server may last a moment longer */
const tries = 20;
const retryMs = 250;

/** A backend of PostgreSQL; process ids are reused, so its start time counts too. */
interface Backend {
  readonly pid: number;
  readonly started: string;
}

export class PostgresLock implements DatabaseLock {
  private client: Client | undefined;
  private backend: Backend | undefined;
  private acquiring: Promise<void> | undefined;
  private lost: AppError | undefined;
  private isReleased = false;
  private readonly listeners = new Set<(error: AppError) => void>();

  /** @param patienceMs how long PostgreSQL may take to connect and to answer */
  constructor(
    private readonly url: string,
    private readonly patienceMs: number,
  ) {}

  get isHeld(): boolean {
    return this.client !== undefined;
  }

  /** Acquires the lock for the first time. @throws server.already_running */
  async start(): Promise<void> {
    const client = await this.connect();
    if (await this.tryLock(client, tries)) return this.watch(client);
    await client.end();
    throw alreadyRunning('start server: another server uses this database');
  }

  async acquire(): Promise<void> {
    if (this.lost !== undefined) throw this.lost;
    if (this.client !== undefined) return;
    this.acquiring ??= this.reacquireOnce().finally(() => (this.acquiring = undefined));
    await this.acquiring;
  }

  onLost(listener: (error: AppError) => void): void {
    this.listeners.add(listener);
  }

  async release(): Promise<void> {
    this.isReleased = true;
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Connects again; fails like any query while the database is unavailable. */
  private async reacquireOnce(): Promise<void> {
    const client = await this.connect();
    try {
      await this.endOwn(client);
      if (await this.tryLock(client, tries)) return this.watch(client);
      this.lost = alreadyRunning(
        'write: the connection that locked this database broke, and another server uses it now',
      );
      for (const listener of this.listeners) listener(this.lost);
      throw this.lost;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
  }

  private async connect(): Promise<Client> {
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'espalier lock',
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: this.patienceMs,
      query_timeout: this.patienceMs,
    });
    client.on('error', () => this.drop(client));
    client.on('end', () => this.drop(client));
    await client.connect();
    return client;
  }

  /** After a network failure the old session may still hold the lock. */
  private async endOwn(client: Client): Promise<void> {
    if (this.backend === undefined) return;
    await client.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start::text = $2',
      [this.backend.pid, this.backend.started],
    );
  }

  private async tryLock(client: Client, most: number): Promise<boolean> {
    for (let i = 0; i < most; i += 1) {
      if (i > 0) await sleep(retryMs);
      const { rows } = await client.query<{ held: boolean }>('SELECT pg_try_advisory_lock($1) AS held', [
        lockNumber,
      ]);
      if (rows[0]?.held === true) return true;
    }
    return false;
  }

  private async watch(client: Client): Promise<void> {
    const { rows } = await client.query<Backend>(
      'SELECT pid, backend_start::text AS started FROM pg_stat_activity WHERE pid = pg_backend_pid()',
    );
    this.backend = rows[0];
    if (this.isReleased) return void (await client.end());
    this.client = client;
  }

  /** The session has ended, and the lock with it. */
  private drop(client: Client): void {
    if (this.client !== client) return;
    this.client = undefined;
    if (!this.isReleased) void this.reacquire();
  }

  /** Acquires the lock again at once, before another server does. */
  private async reacquire(): Promise<void> {
    while (!this.isReleased && this.client === undefined && this.lost === undefined) {
      await this.acquire().catch(() => sleep(retryMs, undefined, { ref: false }));
    }
  }
}

function alreadyRunning(finding: string): AppError {
  return new AppError(
    'server.already_running',
    `${finding}; stop it, or give this server a database of its own`,
  );
}
