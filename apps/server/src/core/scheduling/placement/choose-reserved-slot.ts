/**
 * @file Chooses where devices are reserved for a job that has waited long, so that smaller jobs do not starve it. Pure.
 * Only jobs that need several devices of one worker can starve: a job that needs one gets the next free device.
 */
import type { Device, JobNeeds } from '@espalier/protocol';
import { type FreeWorker, hasLabels, memoryOf } from './choose-slot.js';

/** A worker with all its healthy devices, busy or not. */
export interface WorkerCapacity extends FreeWorker {
  readonly devices: readonly Device[];
}

/** On this worker, devices that meet these needs are reserved as they become free. */
export interface ReservedSlot {
  readonly workerId: string;
  readonly needs: JobNeeds;
}

/** Returns whether a free device of a worker is reserved. */
export function isReserved({ workerId, needs }: ReservedSlot, ownerId: string, device: Device): boolean {
  return workerId === ownerId && device.kind === needs.kind && memoryOf(device) >= needs.memoryMb;
}

/** Removes reserved devices from the free ones. */
export function withoutReserved<W extends FreeWorker>(
  workers: readonly W[],
  reserved: readonly ReservedSlot[],
): W[] {
  if (reserved.length === 0) return [...workers];
  return workers
    .map((worker) => {
      const own = reserved.filter(({ workerId }) => workerId === worker.id);
      if (own.length === 0) return worker;
      return {
        ...worker,
        free: worker.free.filter((device) => !own.some((slot) => isReserved(slot, worker.id, device))),
      };
    })
    .filter(({ free }) => free.length > 0);
}

/** Devices that meet the needs when free; a busy one is judged by its total memory. */
function suitableWhenFree(needs: JobNeeds, { devices, free }: WorkerCapacity): Device[] {
  const idle = new Set(free.map(({ id }) => id));
  return devices.filter(
    (device) =>
      device.kind === needs.kind &&
      (idle.has(device.id) ? memoryOf(device) : device.memoryMb) >= needs.memoryMb,
  );
}

/**
 * Chooses the worker on which the fewest devices have to become free; among equals the previous choice, then the one
 * with the fewest devices, so that most stay open to others. Jobs that compete for the same devices take turns: while
 * devices are reserved for one job, none are reserved for another that would fit there too.
 *
 * @param workers workers that accept new jobs
 * @param reserved slots reserved for earlier jobs
 * @returns null when no worker would do, or it is not this job's turn
 */
export function chooseReservedSlot(
  needs: JobNeeds,
  workers: readonly WorkerCapacity[],
  reserved: readonly ReservedSlot[],
  previousId: string | null,
): ReservedSlot | null {
  let best: { readonly id: string; readonly missing: number; readonly size: number } | null = null;
  for (const worker of workers) {
    if (!hasLabels(needs, worker.labels)) continue;
    const suitable = suitableWhenFree(needs, worker);
    if (suitable.length < needs.count) continue;
    if (reserved.some((slot) => slot.workerId === worker.id && slot.needs.kind === needs.kind)) return null;
    const idle = new Set(worker.free.map(({ id }) => id));
    const missing = Math.max(0, needs.count - suitable.filter(({ id }) => idle.has(id)).length);
    const candidate = { id: worker.id, missing, size: suitable.length };
    if (best === null || isSooner(candidate, best, previousId)) best = candidate;
  }
  return best === null ? null : { workerId: best.id, needs };
}

type Candidate = { readonly id: string; readonly missing: number; readonly size: number };

function isSooner(a: Candidate, b: Candidate, previousId: string | null): boolean {
  if (a.missing !== b.missing) return a.missing < b.missing;
  if (a.id === previousId || b.id === previousId) return a.id === previousId;
  return a.size < b.size;
}
