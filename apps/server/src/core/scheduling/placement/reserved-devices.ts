/**
 * @file The free devices for each queue: healthy ones that are not in use, without those reserved for jobs that have
 * waited long. Every pass computes the reservations again, so none outlives its job, worker or quota.
 */
import { Inject, Injectable } from '@nestjs/common';
import { SERVER_OPTIONS, type ServerOptions } from '../../../config/server-options.js';
import { type PoolWorker, WorkerPool } from '../../workers/worker-pool.js';
import {
  chooseReservedSlot,
  type ReservedSlot,
  withoutReserved,
  type WorkerCapacity,
} from './choose-reserved-slot.js';
import { type FreeWorker, hasPinnedPlugins } from './choose-slot.js';
import { Clock } from '../../database/clock.js';
import { compareEntries, needsClass, type QueueEntry, type QueueHead } from '../job-queue.js';

/** Devices reserved for a job. */
export interface Reservation extends ReservedSlot {
  readonly head: QueueEntry;
}

/** Interval between passes while no device is free, ms. */
const idlePassMs = 1000;

@Injectable()
export class ReservedDevices {
  /** found by the last complete pass */
  private reservations: readonly Reservation[] = [];
  /** found by the current pass so far */
  private found: Reservation[] = [];
  /** all workers that accept new jobs, if the current pass needed them */
  private workers: readonly WorkerCapacity[] | null = null;
  /**
   * needs that the current pass has considered: of several jobs with the same needs, only the first gets a reservation
   */
  private readonly considered = new Set<string>();
  private lastPass = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly pool: WorkerPool,
    private readonly clock: Clock,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  /** Starts a pass; false if none is needed, because no device is free and the last pass was just now. */
  beginPass(): boolean {
    const now = this.clock.steady();
    this.pool.endBackoffs(now);
    this.workers = null;
    this.found = [];
    this.considered.clear();
    if (this.freeWorkers().length === 0 && now - this.lastPass < idlePassMs) return false;
    this.lastPass = now;
    return true;
  }

  /** The free devices for the queue that the current pass has reached. */
  freeWorkers(): FreeWorker[] {
    const workers: FreeWorker[] = [];
    for (const worker of this.usable()) {
      const free = this.pool.freeOf(worker);
      const { id, labels } = worker.row;
      if (free.length > 0) workers.push({ id, labels, free, plugins: worker.plugins });
    }
    return withoutReserved(workers, this.found);
  }

  /** Returns whether the first job of a queue has waited long enough for a reservation. */
  hasWaitedLong({ needs, queuedAt }: Pick<QueueHead, 'needs' | 'queuedAt'>): boolean {
    const waited = this.clock.now() - queuedAt;
    return needs.count > 1 && waited >= this.options.reserveAfterSeconds * 1000;
  }

  /** Reserves devices for the first job of a queue, which did not fit in this pass, if it is its turn. */
  reserveFor(head: QueueEntry & Pick<QueueHead, 'needs' | 'plugins'>): boolean {
    const { id, priority, queuedAt, needs, plugins } = head;
    const name = needsClass(needs, plugins);
    if (this.considered.has(name)) return false;
    this.considered.add(name);
    this.workers ??= this.workerCapacities();
    const compatible = this.workers.filter((worker) => hasPinnedPlugins(plugins, worker));
    const previous = this.reservations.find((slot) => slot.head.id === id)?.workerId ?? null;
    const slot = chooseReservedSlot(needs, compatible, this.found, previous);
    if (slot !== null) this.found.push({ ...slot, head: { id, priority, queuedAt } });
    return slot !== null;
  }

  /** Ends a complete pass; returns whether devices that were reserved before are available again. */
  finishPass(): boolean {
    const before = this.reservations;
    this.reservations = this.found;
    return before.some(
      (old) => !this.found.some(({ workerId, head }) => workerId === old.workerId && head.id === old.head.id),
    );
  }

  /** The reservation of a job. */
  reservationOf(jobId: string): Reservation | undefined {
    return this.reservations.find(({ head }) => head.id === jobId);
  }

  /** Reservations of jobs ahead of a queue entry. */
  before(entry: QueueEntry): readonly Reservation[] {
    return this.reservations.filter(({ head }) => compareEntries(head, entry) < 0);
  }

  private workerCapacities(): WorkerCapacity[] {
    return this.usable().map((worker) => ({
      id: worker.row.id,
      labels: worker.row.labels,
      free: this.pool.freeOf(worker),
      plugins: worker.plugins,
      devices: worker.row.devices.filter(({ faults }) => faults.length === 0),
    }));
  }

  /** Workers that accept new jobs. */
  private usable(): PoolWorker[] {
    const now = this.clock.steady();
    const workers = this.pool.connected();
    return workers.filter(
      ({ row, backoffUntil, isSuspended }) => !row.draining && !isSuspended && backoffUntil <= now,
    );
  }
}
