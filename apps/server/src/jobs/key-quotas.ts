import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiKey } from '../access/api-key.entity.js';
import type { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from './clock.js';

const freshMs = 5000;

/**
 * How many jobs of a key may have a place at once; read anew every few seconds. What a revoked key has made keeps its
 * limit. A name stands for the keys that have it now.
 */
@Injectable()
export class KeyQuotas {
  private readonly limits = new Map<string, number>();
  /** a key with those it replaced and that replaced it, by the id of each */
  private readonly families = new Map<string, string[]>();
  private readUntil = -1;

  constructor(
    private readonly source: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @param createdBy id or name of a key; of several with one name the smallest limit counts. @returns null: no limit */
  async limitOf(createdBy: string): Promise<number | null> {
    if (this.clock.steady() >= this.readUntil) await this.read();
    return this.limits.get(createdBy) ?? null;
  }

  /** Jobs with a place that count for a key: its own, and those of the keys it replaced. */
  runningOf(createdBy: string, pool: Pick<WorkerPool, 'runningOf'>): number {
    const ids = this.families.get(createdBy) ?? [createdBy];
    return ids.reduce((sum, id) => sum + pool.runningOf(id), 0);
  }

  /** Reads the limits now. */
  async read(): Promise<void> {
    const keys = await this.source.getRepository(ApiKey).find();
    this.readUntil = this.clock.steady() + freshMs;
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
