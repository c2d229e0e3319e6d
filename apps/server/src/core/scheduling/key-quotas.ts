import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKey } from '../database/entities/api-key.js';
import { LiveBus } from '../database/live-bus.js';
import type { WorkerPool } from '../workers/worker-pool.js';

/**
 * How many jobs of a key may have a place at once; read again when a key was created or revoked. What a revoked key has
 * created keeps its limit. A name stands for the keys that have it now.
 */
@Injectable()
export class KeyQuotas {
  private readonly limits = new Map<string, number>();
  /** a key with those it replaced and that replaced it, by the id of each */
  private readonly families = new Map<string, string[]>();
  /** counts changes of keys; the limits are those of the change they were read after */
  private changes = 0;
  private readAfter = -1;

  constructor(
    private readonly source: DataSource,
    bus: LiveBus,
  ) {
    for (const topic of ['keyCreated', 'keyRevoked'] as const)
      bus.on(topic, '*', () => void (this.changes += 1));
  }

  /** @param createdBy id or name of a key; of several with one name the smallest limit counts. @returns null: no limit */
  async limitOf(createdBy: string): Promise<number | null> {
    if (this.readAfter !== this.changes) await this.read();
    return this.limits.get(createdBy) ?? null;
  }

  /** Jobs with a place that count for a key: its own, and those of the keys it replaced. */
  runningOf(createdBy: string, pool: Pick<WorkerPool, 'runningOf'>): number {
    const ids = this.families.get(createdBy) ?? [createdBy];
    return ids.reduce((sum, id) => sum + pool.runningOf(id), 0);
  }

  /** Ids of a key, of those it replaced and of those that replaced it. */
  async familyOf(id: string): Promise<readonly string[]> {
    if (this.readAfter !== this.changes) await this.read();
    return this.families.get(id) ?? [id];
  }

  /** Reads the limits now. */
  async read(): Promise<void> {
    const { changes } = this;
    const keys = await this.source.getRepository(ApiKey).find();
    this.readAfter = changes;
    this.limits.clear();
    this.families.clear();
    const families = new Map<string, string[]>();
    for (const { id, lineage } of keys) {
      const ids = families.get(lineage) ?? [];
      families.set(lineage, ids);
      ids.push(id);
      this.families.set(id, ids);
    }
    const held = new Set(keys.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name));
    for (const { id, name, maxRunning, revokedAt } of keys) {
      if (maxRunning === null) continue;
      for (const word of revokedAt !== null && held.has(name) ? [id] : [id, name])
        this.limits.set(word, Math.min(maxRunning, this.limits.get(word) ?? maxRunning));
    }
  }
}
