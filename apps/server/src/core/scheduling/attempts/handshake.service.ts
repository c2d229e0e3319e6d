/** @file `hello` and `heartbeat`: reconciles what a worker reports with what the server knows. */
import { AppError } from '@espalier/contracts';
import {
  type HeartbeatAnswer,
  type heartbeatMessage,
  type Welcome,
  workerProtocol,
} from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import type { z } from 'zod';
import { ApiKey } from '../../database/entities/api-key.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { Attempt } from '../../database/entities/attempt.js';
import { AttemptService } from './attempt.service.js';
import { ClaimService } from '../placement/claims.service.js';
import { Clock } from '../../database/clock.js';
import { JobCounters } from '../job-counters.js';
import { DeviceHistory } from '../../workers/device-history.service.js';
import { type WorkerLink, WorkerPool } from '../../workers/worker-pool.js';
import { type Hello, WorkerRows } from '../../workers/worker-rows.service.js';

type Heartbeat = z.output<typeof heartbeatMessage>;
type Held = Hello['holding'][number];

/** An accepted worker. */
export interface Handshake {
  readonly workerId: string;
  readonly welcome: Welcome;
}

@Injectable()
export class HandshakeService {
  /** replaced instances, by name */
  private readonly replaced = new Map<string, Set<string>>();

  constructor(
    private readonly source: DataSource,
    private readonly rows: WorkerRows,
    private readonly history: DeviceHistory,
    private readonly pool: WorkerPool,
    private readonly attempts: AttemptService,
    private readonly claims: ClaimService,
    private readonly counters: JobCounters,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Accepts a worker. @throws worker.name_taken */
  async connect(hello: Hello, keyId: string, link: WorkerLink): Promise<Handshake> {
    this.checkNameFree(hello);
    await this.checkNameOwner(hello, keyId);
    const row = await this.rows.upsert(hello, keyId);
    const before = this.pool.worker(row.id);
    const isCounted = this.pool.hasVanished(row.id);
    // The worker receives what is assigned from here on; earlier attempts that it does not report are lost.
    const allocated = this.pool.allocationsOf(row.id);
    const known = new Map(hello.holding.map((held) => [held.attemptId, held]));
    if (before !== undefined && before.link !== null) this.dismiss(before.link, before.row.instance, hello);
    this.pool.connect(row, link, hello.plugins);
    const resumed: Welcome['resumed'][number][] = [];
    const fenced: string[] = [];
    for (const held of hello.holding) {
      const { attemptId, token, state } = held;
      const claim = { attemptId, token, workerId: row.id, hasEnded: state === 'ended' };
      const acked = await this.claims.resume(claim);
      if (acked === null) fenced.push(attemptId);
      else resumed.push({ attemptId, acked });
      if (acked === null) await this.reserveForOrphan(held, row.id);
    }
    const reason = 'the worker reconnected without it';
    for (const allocation of allocated) {
      if (known.has(allocation.attemptId)) continue;
      if (allocation.isOrphan) this.pool.release(allocation.attemptId);
      else await this.attempts.lose(allocation.attemptId, { reason, isGone: true, isCounted });
    }
    this.pool.resume(row.id, link);
    const { leaseSeconds, heartbeatSeconds } = this.options;
    const intervals = { leaseMs: leaseSeconds * 1000, heartbeatMs: heartbeatSeconds * 1000 };
    return {
      workerId: row.id,
      welcome: { workerId: row.id, protocol: workerProtocol, ...intervals, resumed, fenced },
    };
  }

  /** Renews the attempts of a worker, and lists those it no longer holds. */
  async heartbeat(
    workerId: string,
    { devices, plugins, attempts, closing }: Heartbeat,
  ): Promise<HeartbeatAnswer> {
    // a worker that shuts down gets nothing new until it reconnects; its row keeps what a user decided
    const change = { devices, lastSeenAt: this.clock.now(), ...(closing === true ? { draining: true } : {}) };
    this.pool.update(workerId, change);
    this.pool.updatePlugins(workerId, plugins);
    this.rows.touch(workerId);
    this.history.note(workerId, devices);
    const named = new Set(attempts.map(({ attemptId }) => attemptId));
    for (const { attemptId, isOrphan } of this.pool.allocationsOf(workerId))
      if (isOrphan && !named.has(attemptId)) this.pool.release(attemptId);
    const fenced = await this.claims.renew(workerId, attempts);
    if (fenced.length > 0) this.counters.add('fenced', fenced.length);
    this.pool.resume(workerId);
    return { fenced };
  }

  /** An orphaned process keeps its devices until the worker reports that it has ended. */
  private async reserveForOrphan({ attemptId, state }: Held, workerId: string): Promise<void> {
    this.counters.add('fenced');
    if (state === 'ended' && this.pool.allocation(attemptId)?.workerId === workerId)
      return this.pool.release(attemptId);
    if (state === 'ended') return;
    const attempt = await this.source.getRepository(Attempt).findOneBy({ id: attemptId });
    if (attempt === null || attempt.workerId !== workerId || this.pool.allocation(attemptId) !== undefined)
      return;
    const { number: token } = attempt;
    const taken = new Set(this.pool.allocationsOf(workerId).flatMap((allocation) => allocation.devices));
    const devices = attempt.devices.filter((id) => !taken.has(id));
    this.pool.allocate({
      attemptId,
      token,
      workerId,
      devices,
      createdBy: '',
      isOrphan: true,
      control: null,
    });
  }

  /** A name belongs to one worker: the later connection wins, and the earlier one cannot return while it lasts. */
  private checkNameFree({ name, instance }: Hello): void {
    const holder = this.pool.named(name);
    if (holder === undefined || holder.link === null || holder.row.instance === instance) return;
    if (!(this.replaced.get(name)?.has(instance) ?? false)) return;
    throw new AppError(
      'worker.name_taken',
      `connect as "${name}": another worker took this name later, from ${holder.row.host}; rename one of them`,
    );
  }

  /** A name in use belongs to its key; another key can take neither the name nor its jobs. */
  private async checkNameOwner({ name }: Hello, keyId: string): Promise<void> {
    const holder = this.pool.named(name);
    if (holder === undefined || holder.link === null || holder.row.keyId === keyId) return;
    const keys = this.source.getRepository(ApiKey);
    if (!(await keys.existsBy({ id: holder.row.keyId, revokedAt: IsNull() }))) return;
    throw new AppError(
      'worker.name_taken',
      `connect as "${name}": a worker of this name is connected with another key, from ${holder.row.host}; choose another name, or stop that worker first`,
    );
  }

  private dismiss(link: WorkerLink, instance: string, hello: Hello): void {
    if (instance !== hello.instance) {
      const instances = this.replaced.get(hello.name) ?? new Set();
      this.replaced.set(hello.name, instances.add(instance));
    }
    link.dismiss(
      'worker.name_taken',
      `stay connected as "${hello.name}": another connection used the same name, from ${hello.host}; if that is another worker, rename one of them`,
    );
  }
}
