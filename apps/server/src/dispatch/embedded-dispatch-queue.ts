/**
 * @file The dispatch queue in the server's own database, through TypeORM: the table `dispatch_ticket` on SQLite or
 * PostgreSQL. Every change is one statement, so it needs no transaction and no two takers can meet: SQLite runs one
 * statement at a time, PostgreSQL picks with FOR UPDATE SKIP LOCKED. Time is the server's clock.
 */
import { AppError } from '@espalier/contracts';
import type { DataSource } from 'typeorm';
import {
  checkPriority,
  checkTicket,
  type DispatchCounts,
  type DispatchQueue,
  type Ticket,
} from './dispatch-queue.js';
import { OfferBell } from './offer-bell.js';

interface TicketRow {
  readonly job_id: string;
  readonly lane: string;
  readonly rank: number | string;
  readonly enqueued_at: number | string;
}

const fields = 'job_id, lane, rank, enqueued_at';
const order = 'rank, enqueued_at, job_id';

/** A dispatch queue in the table `dispatch_ticket` of an initialised data source, which stays the caller's. */
export class EmbeddedDispatchQueue implements DispatchQueue {
  readonly isInDatabase = true;
  readonly #bell = new OfferBell();
  readonly #isPostgres: boolean;
  #open = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly now: () => number = Date.now,
  ) {
    this.#isPostgres = dataSource.options.type === 'postgres';
  }

  async start(): Promise<void> {
    this.#open = true;
    await this.#run('SELECT job_id FROM dispatch_ticket LIMIT 1');
  }

  close(): Promise<void> {
    this.#open = false;
    return Promise.resolve();
  }

  async offer(ticket: Ticket): Promise<boolean> {
    checkTicket(ticket);
    const added = await this.#run(
      `INSERT INTO dispatch_ticket (${fields}, holder, free_at) VALUES (?, ?, ?, ?, NULL, 0)
       ON CONFLICT (job_id) DO NOTHING RETURNING job_id`,
      [ticket.jobId, ticket.lane, 0 - ticket.priority, ticket.enqueuedAt],
    );
    if (added.length > 0) this.#bell.ring(ticket.lane);
    return added.length > 0;
  }

  async take(lane: string, holder: string, holdMs: number): Promise<Ticket | null> {
    const now = this.now();
    const [row] = await this.#run(
      `UPDATE dispatch_ticket SET holder = ?, free_at = ? WHERE job_id = (
         SELECT job_id FROM dispatch_ticket WHERE lane = ? AND free_at <= ?
         ORDER BY ${order} LIMIT 1 ${this.#isPostgres ? 'FOR UPDATE SKIP LOCKED' : ''}
       ) RETURNING ${fields}`,
      [holder, now + holdMs, lane, now],
    );
    return row === undefined ? null : ticketOf(row);
  }

  async settle(jobId: string, holder: string): Promise<boolean> {
    const rows = await this.#run(
      'DELETE FROM dispatch_ticket WHERE job_id = ? AND holder = ? AND free_at > ? RETURNING job_id',
      [jobId, holder, this.now()],
    );
    return rows.length > 0;
  }

  async giveBack(jobId: string, holder: string, notBefore = 0): Promise<boolean> {
    const [row] = await this.#run(
      `UPDATE dispatch_ticket SET holder = NULL, free_at = ?
       WHERE job_id = ? AND holder = ? AND free_at > ? RETURNING ${fields}`,
      [notBefore, jobId, holder, this.now()],
    );
    if (row !== undefined && notBefore <= this.now()) this.#bell.ring(row.lane);
    return row !== undefined;
  }

  async extend(jobId: string, holder: string, holdMs: number): Promise<boolean> {
    const now = this.now();
    const rows = await this.#run(
      'UPDATE dispatch_ticket SET free_at = ? WHERE job_id = ? AND holder = ? AND free_at > ? RETURNING job_id',
      [now + holdMs, jobId, holder, now],
    );
    return rows.length > 0;
  }

  async withdraw(jobId: string): Promise<boolean> {
    const rows = await this.#run('DELETE FROM dispatch_ticket WHERE job_id = ? RETURNING job_id', [jobId]);
    return rows.length > 0;
  }

  async reprioritise(jobId: string, priority: number): Promise<boolean> {
    checkPriority(jobId, priority);
    const rows = await this.#run('UPDATE dispatch_ticket SET rank = ? WHERE job_id = ? RETURNING job_id', [
      0 - priority,
      jobId,
    ]);
    return rows.length > 0;
  }

  async waiting(lane: string | undefined, limit: number): Promise<readonly Ticket[]> {
    const rows = await this.#run(
      `SELECT ${fields} FROM dispatch_ticket WHERE ${lane === undefined ? '' : 'lane = ? AND '}free_at <= ?
       ORDER BY ${order} LIMIT ?`,
      [...(lane === undefined ? [] : [lane]), this.now(), limit],
    );
    return rows.map(ticketOf);
  }

  async count(lane?: string): Promise<DispatchCounts> {
    const now = this.now();
    const [row] = (await this.#run(
      `SELECT SUM(CASE WHEN free_at <= ? THEN 1 ELSE 0 END) AS waiting,
              SUM(CASE WHEN free_at > ? AND holder IS NULL THEN 1 ELSE 0 END) AS resting,
              SUM(CASE WHEN free_at > ? AND holder IS NOT NULL THEN 1 ELSE 0 END) AS held
       FROM dispatch_ticket ${lane === undefined ? '' : 'WHERE lane = ?'}`,
      [now, now, now, ...(lane === undefined ? [] : [lane])],
    )) as unknown as Record<keyof DispatchCounts, number | string | null>[];
    return {
      waiting: Number(row?.waiting ?? 0),
      resting: Number(row?.resting ?? 0),
      held: Number(row?.held ?? 0),
    };
  }

  async position(jobId: string): Promise<number | null> {
    const now = this.now();
    const [own] = await this.#run(`SELECT ${fields} FROM dispatch_ticket WHERE job_id = ? AND free_at <= ?`, [
      jobId,
      now,
    ]);
    if (own === undefined) return null;
    const [row] = (await this.#run(
      `SELECT COUNT(*) AS ahead FROM dispatch_ticket
       WHERE lane = ? AND free_at <= ? AND (rank, enqueued_at, job_id) < (?, ?, ?)`,
      [own.lane, now, Number(own.rank), Number(own.enqueued_at), jobId],
    )) as unknown as { ahead: number | string }[];
    return Number(row?.ahead ?? 0);
  }

  async lanes(): Promise<readonly string[]> {
    const rows = await this.#run(
      'SELECT lane FROM dispatch_ticket WHERE free_at <= ? GROUP BY lane ORDER BY lane',
      [this.now()],
    );
    return rows.map((row) => row.lane);
  }

  onOffer(listener: (lane: string) => void): () => void {
    return this.#bell.add(listener);
  }

  /** Runs one statement written with `?`; returns its rows whatever the driver wraps them in. */
  async #run(sql: string, values: readonly (string | number)[] = []): Promise<readonly TicketRow[]> {
    if (!this.#open)
      throw new AppError('dispatch.closed', 'dispatch queue: used while not open; call start() first');
    let index = 0;
    const text = this.#isPostgres ? sql.replaceAll('?', () => `$${++index}`) : sql;
    try {
      const raw = await this.dataSource.query<readonly unknown[]>(text, [...values]);
      const rows = this.#isPostgres && /^\s*(UPDATE|DELETE)/.test(text) ? raw[0] : raw;
      return rows as readonly TicketRow[];
    } catch (cause) {
      throw new AppError(
        'dispatch.unavailable',
        `dispatch queue: the database did not answer (${String(cause)}); the call can be tried again`,
        { cause },
      );
    }
  }
}

function ticketOf(row: TicketRow): Ticket {
  return {
    jobId: row.job_id,
    lane: row.lane,
    priority: 0 - Number(row.rank),
    enqueuedAt: Number(row.enqueued_at),
  };
}
