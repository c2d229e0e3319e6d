import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type WorkerLink, WorkerPool } from './worker-pool.js';
import { WorkerRows } from './worker-rows.service.js';

const flushMs = 3000;

/** Records which workers leave, and keeps their rows current. */
@Injectable()
export class WorkerPresence implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private isClosing = false;
  /** workers that left but whose row is not updated yet */
  private readonly left = new Set<string>();
  private current: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: WorkerPool,
    private readonly rows: WorkerRows,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.current = this.current.then(() => this.look()).catch(() => undefined);
    }, flushMs);
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.current;
  }

  /** A connection has ended. Its worker keeps its attempts until their leases expire. */
  async leave(workerId: string, link: WorkerLink, isGoodbye: boolean): Promise<void> {
    if (!this.pool.disconnect(workerId, link, isGoodbye) || this.isClosing) return;
    this.left.add(workerId);
    await this.noteLeft(workerId);
  }

  private async look(): Promise<void> {
    for (const workerId of this.left) await this.noteLeft(workerId);
    await this.rows.flush();
  }

  /** Workers also leave because the database is away; what cannot be written then is written later. */
  private async noteLeft(workerId: string): Promise<void> {
    try {
      if ((this.pool.worker(workerId)?.link ?? null) === null) await this.rows.leave(workerId);
      this.left.delete(workerId);
    } catch {
      // With the next look.
    }
  }
}
