/** @file The rows of workers in the database, a few seconds behind the pool. */
import type { helloMessage } from '@espalier/protocol';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { z } from 'zod';
import { createId } from '../database/create-id.js';
import { repeat } from '../database/repeat.js';
import { updateRow } from '../database/rows.js';
import { LiveBus } from '../database/live-bus.js';
import { RunLog } from '../database/run-log.js';
import { Clock } from '../database/clock.js';
import { type WorkerLink, WorkerPool } from './worker-pool.js';
import { Worker } from '../database/entities/worker.js';

/** `hello` with its defaults filled in. */
export type Hello = z.output<typeof helloMessage>;

const rowsPerWrite = 50;
const flushMs = 3000;

@Injectable()
export class WorkerRows implements OnApplicationBootstrap, OnModuleDestroy {
  /** workers that reported since the last flush */
  private readonly dirty = new Set<string>();
  /** workers that disconnected but whose row is not updated yet */
  private readonly disconnected = new Set<string>();
  private isClosing = false;
  private stop = (): Promise<void> => Promise.resolve();

  constructor(
    private readonly log: RunLog,
    private readonly bus: LiveBus,
    private readonly pool: WorkerPool,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    // what could not be written is written by the next flush
    this.stop = repeat(
      () => this.flush(),
      flushMs,
      () => undefined,
    );
  }

  async onModuleDestroy(): Promise<void> {
    this.isClosing = true;
    await this.stop();
  }

  /** Stores a worker that connects: a new row, or that of its name. */
  async upsert(hello: Hello, keyId: string): Promise<Worker> {
    const { name, instance, host, version, node, labels, devices } = hello;
    const now = this.clock.now();
    return this.log.write('workers', async (manager) => {
      const known = await manager.findOneBy(Worker, { name });
      const row: Worker = {
        id: known?.id ?? createId('worker', now),
        name,
        instance,
        host,
        version,
        node,
        labels,
        devices,
        online: true,
        draining: known?.draining ?? false,
        connectedAt: now,
        lastSeenAt: now,
        keyId,
      };
      if (known === null) await manager.insert(Worker, row as never);
      else await manager.update(Worker, { id: row.id }, row as never);
      this.log.afterCommit(manager, () => this.bus.publish('worker', row.id, row));
      return row;
    });
  }

  /** Marks a worker as seen; its row is updated by the next `flush`. */
  touch(workerId: string): void {
    this.dirty.add(workerId);
  }

  /** Ends a connection and stores that. The worker keeps its attempts until their leases expire. */
  async disconnect(workerId: string, link: WorkerLink, isClean: boolean): Promise<void> {
    if (!this.pool.disconnect(workerId, link, isClean) || this.isClosing) return;
    this.disconnected.add(workerId);
    await this.storeDisconnected(workerId);
  }

  /** Stores what a user decided, or a disconnection; null when there is no such worker. */
  async change(
    workerId: string,
    patch: Partial<Pick<Worker, 'online' | 'draining'>>,
  ): Promise<Worker | null> {
    return this.log.write('workers', async (manager) => {
      const row = await manager.findOneBy(Worker, { id: workerId });
      if (row === null) return null;
      Object.assign(row, patch);
      await manager.update(Worker, { id: workerId }, patch);
      this.log.afterCommit(manager, () => {
        const { draining } = patch;
        if (draining !== undefined) this.pool.update(workerId, { draining });
        this.bus.publish('worker', workerId, row);
      });
      return row;
    });
  }

  /** Writes what changed since the last call. */
  async flush(): Promise<void> {
    for (const workerId of this.disconnected) await this.storeDisconnected(workerId);
    const ids = [...this.dirty];
    this.dirty.clear();
    for (let from = 0; from < ids.length; from += rowsPerWrite)
      await this.log.write('workers', async (manager) => {
        for (const id of ids.slice(from, from + rowsPerWrite)) {
          const row = this.pool.worker(id)?.row;
          if (row === undefined) continue;
          const { devices, lastSeenAt } = row;
          await updateRow(manager, Worker, id, { devices, lastSeenAt });
          this.log.afterCommit(manager, () => this.bus.publish('worker', id, row));
        }
      });
  }

  /** Workers also disconnect because the database is unavailable; the next flush then tries again. */
  private async storeDisconnected(workerId: string): Promise<void> {
    try {
      if ((this.pool.worker(workerId)?.link ?? null) === null) await this.change(workerId, { online: false });
      this.disconnected.delete(workerId);
    } catch {
      // stays in the set
    }
  }
}
