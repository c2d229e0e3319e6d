/**
 * @file The current workers in memory: connections, devices and allocations. Rows in the database follow it
 * (worker-rows.service.ts); nothing here reads them.
 */
import type { Answer, Assignment, ControlMessage, Device, PluginVersion } from '@espalier/protocol';
import type { CallMessage } from '@espalier/protocol/chat';
import { Injectable } from '@nestjs/common';
import type { Worker } from '../database/entities/worker.js';

/** The connection to a worker. */
export interface WorkerLink {
  /** @throws when there is no answer in time */
  assign(message: Assignment): Promise<Answer<null>>;
  control(message: ControlMessage): void;
  /** Lets a chat reply. @throws when there is no answer in time */
  call(message: CallMessage): Promise<Answer<null>>;
  /** @throws when there is no answer in time */
  drain(deadlineMs: number): Promise<Answer<null>>;
  /** Sends the reason, then disconnects. */
  dismiss(code: string, message: string): void;
}

/** Devices of a worker that belong to an attempt. */
export interface Allocation {
  readonly attemptId: string;
  readonly token: number;
  readonly workerId: string;
  readonly devices: readonly string[];
  readonly createdBy: string;
  /** its job was reassigned, but the worker has not reported yet that the process has ended */
  isOrphan: boolean;
  /** the command to repeat until the attempt is over */
  control: ControlMessage['action'] | null;
}

/** A worker as the scheduler sees it. */
export interface PoolWorker {
  row: Worker;
  /** its plugins that are not built in */
  plugins: readonly PluginVersion[];
  link: WorkerLink | null;
  /** it disconnected cleanly, so its attempts did not take it down */
  leftCleanly: boolean;
  /** end of its backoff after it refused an attempt (steady time, ms) */
  backoffUntil: number;
  /** it gets nothing new until it responds: it was silent for a lease, or its handshake is incomplete */
  isSuspended: boolean;
  /** healthy devices that are not in use; null: to be computed */
  free: readonly Device[] | null;
}

@Injectable()
export class WorkerPool {
  /** Grows whenever devices may have become free. */
  version = 0;
  private readonly workers = new Map<string, PoolWorker>();
  private readonly allocations = new Map<string, Allocation>();
  private readonly byWorker = new Map<string, Set<Allocation>>();
  private readonly running = new Map<string, number>();
  private readonly listeners = new Set<() => void>();

  /** Calls back whenever devices may have become free. */
  onCapacity(listener: () => void): void {
    this.listeners.add(listener);
  }

  /**
   * Connects a worker, which gets no jobs before `resume`. The caller dismisses its earlier link, if any.
   */
  connect(row: Worker, link: WorkerLink, plugins: readonly PluginVersion[] = []): void {
    const known = this.workers.get(row.id);
    const fresh = {
      leftCleanly: false,
      backoffUntil: known?.backoffUntil ?? 0,
      isSuspended: true,
      free: null,
    };
    this.workers.set(row.id, { row, plugins, link, ...fresh });
    this.capacityChanged();
  }

  /**
   * Ends a connection, unless the worker has a newer one.
   *
   * @param isClean the worker ended it itself
   * @returns whether it was ended
   */
  disconnect(workerId: string, link: WorkerLink, isClean = false): boolean {
    const worker = this.workers.get(workerId);
    if (worker?.link !== link) return false;
    worker.link = null;
    worker.leftCleanly = isClean;
    return true;
  }

  /** Lets a worker get jobs, once its attempts are reconciled; no effect if it has a newer link than this. */
  resume(workerId: string, link?: WorkerLink): void {
    const worker = this.workers.get(workerId);
    if (worker?.isSuspended !== true || (link !== undefined && worker.link !== link)) return;
    worker.isSuspended = false;
    this.capacityChanged();
  }

  /** Gives a worker no jobs until it reports again, unless it has since a time. @param since ms since the epoch */
  suspendIfSilent(workerId: string | undefined, since: number): void {
    const worker = this.workers.get(workerId ?? '');
    if (worker !== undefined && worker.row.lastSeenAt <= since) worker.isSuspended = true;
  }

  /** Removes a disconnected worker with its allocations. */
  forget(workerId: string): void {
    if ((this.workers.get(workerId)?.link ?? null) !== null) return;
    for (const { attemptId } of this.allocationsOf(workerId)) this.release(attemptId);
    this.workers.delete(workerId);
    this.byWorker.delete(workerId);
  }

  /** Returns whether a worker was connected since the server started, and has not disconnected cleanly. */
  hasVanished(workerId: string | undefined): boolean {
    return this.workers.get(workerId ?? '')?.leftCleanly === false;
  }

  worker(workerId: string): PoolWorker | undefined {
    return this.workers.get(workerId);
  }

  named(name: string): PoolWorker | undefined {
    for (const worker of this.workers.values()) if (worker.row.name === name) return worker;
    return undefined;
  }

  connected(): PoolWorker[] {
    return [...this.workers.values()].filter(({ link }) => link !== null);
  }

  /** Applies what a worker reports, or what a user decided. */
  update(workerId: string, change: Partial<Pick<Worker, 'devices' | 'draining' | 'lastSeenAt'>>): void {
    const worker = this.workers.get(workerId);
    if (worker === undefined) return;
    const shape = shapeOf(worker.row);
    worker.row = { ...worker.row, ...change };
    worker.free = null;
    if (shapeOf(worker.row) !== shape) this.capacityChanged();
  }

  /** Applies which plugins a worker reports. */
  updatePlugins(workerId: string, plugins: readonly PluginVersion[]): void {
    const worker = this.workers.get(workerId);
    if (worker === undefined || JSON.stringify(worker.plugins) === JSON.stringify(plugins)) return;
    worker.plugins = plugins;
    this.capacityChanged();
  }

  /** Starts a backoff: the worker gets no jobs until then. */
  backOff(workerId: string, until: number): void {
    const worker = this.workers.get(workerId);
    if (worker !== undefined) worker.backoffUntil = until;
  }

  /** Ends the backoff of workers whose time is over. */
  endBackoffs(now: number): void {
    const over = [...this.workers.values()].filter(
      ({ backoffUntil }) => backoffUntil > 0 && backoffUntil <= now,
    );
    for (const worker of over) worker.backoffUntil = 0;
    if (over.length > 0) this.capacityChanged();
  }

  allocation(attemptId: string): Allocation | undefined {
    return this.allocations.get(attemptId);
  }

  allAllocations(): IterableIterator<Allocation> {
    return this.allocations.values();
  }

  allocationsOf(workerId: string): Allocation[] {
    return [...(this.byWorker.get(workerId) ?? [])];
  }

  /** Running jobs of a key. */
  runningOf(createdBy: string): number {
    return this.running.get(createdBy) ?? 0;
  }

  /** Allocates devices to an attempt. */
  allocate(allocation: Allocation): void {
    this.allocations.set(allocation.attemptId, allocation);
    const own = this.byWorker.get(allocation.workerId) ?? new Set();
    this.byWorker.set(allocation.workerId, own.add(allocation));
    if (!allocation.isOrphan) this.count(allocation.createdBy, 1);
    this.invalidateFree(allocation.workerId);
  }

  /** Releases devices: the process has ended. */
  release(attemptId: string): void {
    if (this.remove(attemptId)) this.capacityChanged();
  }

  /** Returns an attempt to its worker; false, without any change, if one of its devices is in use by now. */
  reallocate(allocation: Allocation): boolean {
    const { attemptId, workerId, devices } = allocation;
    const others = this.allocationsOf(workerId).filter((other) => other.attemptId !== attemptId);
    if (others.some((other) => devices.some((id) => other.devices.includes(id)))) return false;
    this.remove(attemptId);
    this.allocate(allocation);
    this.capacityChanged();
    return true;
  }

  /** The job was reassigned, but the process may still run: the devices stay allocated. */
  orphan(attemptId: string): void {
    const allocation = this.allocations.get(attemptId);
    if (allocation === undefined || allocation.isOrphan) return;
    allocation.isOrphan = true;
    allocation.control = null;
    this.count(allocation.createdBy, -1);
    this.capacityChanged();
  }

  /** Healthy, unused devices of a worker. */
  freeOf(worker: PoolWorker): readonly Device[] {
    worker.free ??= worker.row.devices.filter(
      (device) => device.faults.length === 0 && !this.isTaken(worker.row.id, device.id),
    );
    return worker.free;
  }

  /** Counts devices that more than one attempt has; anything but 0 is a defect. */
  countConflicts(): number {
    let conflicts = 0;
    for (const allocations of this.byWorker.values()) {
      const ids = [...allocations].flatMap(({ devices }) => devices);
      conflicts += ids.length - new Set(ids).size;
    }
    return conflicts;
  }

  private remove(attemptId: string): boolean {
    const allocation = this.allocations.get(attemptId);
    if (allocation === undefined) return false;
    this.allocations.delete(attemptId);
    this.byWorker.get(allocation.workerId)?.delete(allocation);
    if (!allocation.isOrphan) this.count(allocation.createdBy, -1);
    this.invalidateFree(allocation.workerId);
    return true;
  }

  private isTaken(workerId: string, deviceId: string): boolean {
    for (const { devices } of this.byWorker.get(workerId) ?? []) if (devices.includes(deviceId)) return true;
    return false;
  }

  private invalidateFree(workerId: string): void {
    const worker = this.workers.get(workerId);
    if (worker !== undefined) worker.free = null;
  }

  private count(createdBy: string, by: number): void {
    this.running.set(createdBy, this.runningOf(createdBy) + by);
  }

  private capacityChanged(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}

/** What matters for scheduling, apart from the load of the devices. */
function shapeOf({ devices, draining }: Worker): string {
  const parts = devices.map(({ id, faults, kind, freeMemoryMb, memoryMb }) => {
    const memory = kind === 'gpu' ? freeMemoryMb : memoryMb;
    return `${id}:${faults.length}:${Math.floor(memory / 256)}`;
  });
  return `${draining}|${parts.join()}`;
}
