import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { ApiKey } from '../access/api-key.entity.js';
import { Clock } from './clock.js';

const freshMs = 5000;

/** How many jobs of a key may have a place at once; read anew every few seconds. */
@Injectable()
export class KeyQuotas {
  private readonly limits = new Map<string, number>();
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

  /** Reads the limits now. */
  async read(): Promise<void> {
    const keys = await this.source.getRepository(ApiKey).findBy({ revokedAt: IsNull() });
    this.readUntil = this.clock.steady() + freshMs;
    this.limits.clear();
    for (const { id, name, maxRunning } of keys) {
      if (maxRunning === null) continue;
      for (const word of [id, name])
        this.limits.set(word, Math.min(maxRunning, this.limits.get(word) ?? maxRunning));
    }
  }
}
