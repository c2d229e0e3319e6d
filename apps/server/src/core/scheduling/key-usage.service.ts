/** @file What a key may do, and how much of it is left. */
import type { Role } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { type Rate, RateLimits } from '../access/rate-limits.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { KeyQuotas } from './key-quotas.js';
import { KeyLimits } from './key-limits.js';

/** How much of something a key may have; null: as much as it likes. */
export class Allowance {
  limit!: number | null;
  used!: number;
  left!: number | null;
}

export class KeyAllowances {
  requestsPerMinute!: Allowance;
  sentKbPerMinute!: Allowance;
  runningJobs!: Allowance;
  queuedJobs!: Allowance;
  storedBytes!: Allowance;
}

/** The key that a request came with. */
export class Me {
  keyId!: string;
  name!: string;
  role!: Role;
  projects!: readonly string[];
  limits!: KeyAllowances;
}

const gib = 1024 ** 3;

@Injectable()
export class KeyUsage {
  constructor(
    private readonly rates: RateLimits,
    private readonly quotas: KeyQuotas,
    private readonly keyLimits: KeyLimits,
    private readonly pool: WorkerPool,
    @Inject(SERVER_OPTIONS) private readonly options: Pick<ServerOptions, 'limits'>,
  ) {}

  async of({ keyId }: Pick<Caller, 'keyId'>): Promise<KeyAllowances> {
    const { limits } = this.options;
    const rate = async (name: Rate): Promise<Allowance> => {
      const { limit, used } = await this.rates.usage(name, keyId);
      return allowance(limit, used);
    };
    const maxRunning = await this.quotas.limitOf(keyId);
    return Object.assign(new KeyAllowances(), {
      requestsPerMinute: await rate('requests'),
      sentKbPerMinute: await rate('sentKb'),
      runningJobs: allowance(maxRunning, this.quotas.runningOf(keyId, this.pool)),
      queuedJobs: allowance(limits.queuedJobsPerKey, await this.keyLimits.countQueued(keyId)),
      storedBytes: allowance(
        Math.round(limits.storedGbPerKey * gib),
        await this.keyLimits.countStored(keyId),
      ),
    });
  }
}

export function allowance(limit: number | null, used: number): Allowance {
  const left = limit === null ? null : Math.max(0, limit - used);
  return Object.assign(new Allowance(), { limit, used, left });
}
