import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKey } from '../database/entities/api-key.js';
import { LiveBus } from '../database/live-bus.js';
import { WorkerPool } from '../workers/worker-pool.js';

/**
 * How many jobs of a key may run at once. Jobs of a revoked key keep its limit, and count for the keys that replaced it.
 * A name stands for the keys that have it now.
 */
@Injectable()
export class ConcurrencyLimits {
  private readonly limits = new Map<string, number>();
  /** a key with those it replaced and that replaced it, by the id of each */
  private readonly lineages = new Map<string, string[]>();
  /** counts changes of keys; the limits are those of the change they were read after */
  private changes = 0;
  private readAfter = -1;

  constructor(
    private readonly source: DataSource,
    private readonly pool: WorkerPool,
    bus: LiveBus,
  ) {
    for (const topic of ['keyCreated', 'keyRevoked'] as const)
      bus.on(topic, '*', () => void (this.changes += 1));
  }

  /** Reads the limits if a key was created or revoked since they were read. */
  async refresh(): Promise<void> {
    if (this.readAfter !== this.changes) await this.read();
  }

  /** @param createdBy id or name of a key; of several with one name the smallest limit counts. @returns null: no limit */
  limitOf(createdBy: string): number | null {
    return this.limits.get(createdBy) ?? null;
  }

  /** Running jobs that count for a key: its own, and those of the keys it replaced. */
  runningOf(createdBy: string): number {
    return this.lineageOf(createdBy).reduce((sum, id) => sum + this.pool.runningOf(id), 0);
  }

  /** Returns whether a key may start no more jobs now. */
  isExhausted(createdBy: string): boolean {
    const limit = this.limitOf(createdBy);
    return limit !== null && this.runningOf(createdBy) >= limit;
  }

  /** Ids of a key, of those it replaced and of those that replaced it. */
  lineageOf(id: string): readonly string[] {
    return this.lineages.get(id) ?? [id];
  }

  /** Reads the limits now. */
  async read(): Promise<void> {
    const { changes } = this;
    const keys = await this.source.getRepository(ApiKey).find();
    this.readAfter = changes;
    this.limits.clear();
    this.lineages.clear();
    const lineages = new Map<string, string[]>();
    for (const { id, lineage } of keys) {
      const ids = lineages.get(lineage) ?? [];
      lineages.set(lineage, ids);
      ids.push(id);
      this.lineages.set(id, ids);
    }
    const valid = new Set(keys.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name));
    for (const { id, name, maxRunning, revokedAt } of keys) {
      if (maxRunning === null) continue;
      for (const idOrName of revokedAt !== null && valid.has(name) ? [id] : [id, name])
        this.limits.set(idOrName, Math.min(maxRunning, this.limits.get(idOrName) ?? maxRunning));
    }
  }
}
