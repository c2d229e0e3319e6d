/** @file The row behind one ticket of the embedded dispatch queue. It is internal: no part of the API shows it. */
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** PostgreSQL returns bigint as text, SQLite as a number. */
const milliseconds = { to: (value: number) => value, from: (value: number | string) => Number(value) };

/** A ticket; `rank` orders before age so that one index serves the lane in order. */
@Entity('dispatch_ticket')
@Index('dispatch_ticket_order', ['lane', 'rank', 'enqueuedAt', 'jobId'])
export class DispatchTicket {
  @PrimaryColumn({ name: 'job_id', type: 'varchar', length: 200 })
  jobId!: string;

  @Column({ type: 'varchar', length: 120 })
  lane!: string;

  /** minus the priority: the lowest rank is served first */
  @Column({ type: 'int' })
  rank!: number;

  @Column({ name: 'enqueued_at', type: 'bigint', transformer: milliseconds })
  enqueuedAt!: number;

  /** who took it; null when nobody holds it */
  @Column({ type: 'varchar', length: 200, nullable: true })
  holder!: string | null;

  /** from when on it can be taken, ms since 1970: end of the hold or of a rest */
  @Column({ name: 'free_at', type: 'bigint', default: 0, transformer: milliseconds })
  freeAt!: number;
}
