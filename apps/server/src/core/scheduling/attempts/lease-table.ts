/**
 * @file The lease of every attempt, in memory and by a monotonic clock: after a restart of the server every lease lasts
 * its full time and at least `returnSeconds`, so that workers can reconnect.
 */
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { Clock } from '../../database/clock.js';

@Injectable()
export class LeaseTable {
  readonly leaseMs: number;
  private readonly restartMs: number;
  private readonly until = new Map<string, number>();
  private lastCheck: number;

  constructor(
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) options: ServerOptions,
  ) {
    this.leaseMs = options.leaseSeconds * 1000;
    this.restartMs = Math.max(this.leaseMs, options.returnSeconds * 1000);
    this.lastCheck = clock.steady();
  }

  /** Starts or renews the lease of an attempt. */
  renew(attemptId: string): void {
    this.until.set(attemptId, this.clock.steady() + this.leaseMs);
  }

  /** Starts the lease of an attempt from before this server's start: its worker has to reconnect first. */
  extend(attemptId: string): void {
    this.until.set(attemptId, this.clock.steady() + this.restartMs);
  }

  /** Returns whether the lease of an attempt has expired. */
  isOver(attemptId: string): boolean {
    const until = this.until.get(attemptId);
    return until !== undefined && until <= this.clock.steady();
  }

  end(attemptId: string): void {
    this.until.delete(attemptId);
  }

  /**
   * Lists the attempts whose lease has expired. Time in which this process was suspended (stopped, or the machine
   * asleep) does not count: the messages that would have renewed the leases are still unread.
   */
  expired(): string[] {
    const now = this.clock.steady();
    const pausedMs = now - this.lastCheck - this.leaseMs / 3;
    this.lastCheck = now;
    if (pausedMs > 0)
      for (const [attemptId, until] of this.until)
        this.until.set(attemptId, until + pausedMs + this.leaseMs / 3);
    return [...this.until].filter(([, until]) => until <= now).map(([attemptId]) => attemptId);
  }
}
