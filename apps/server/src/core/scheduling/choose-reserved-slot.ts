/**
 * @file Where devices are kept for a job that has waited long, so that smaller jobs do not pass it for ever. Pure.
 * Only jobs that need several devices of one worker can be passed for ever: whoever needs one gets the next in its turn.
 */
import type { Device, JobNeeds } from '@espalier/protocol';
import { type FreeWorker, hasLabels, memoryOf } from './choose-slot.js';

/** A worker with all its healthy devices, busy or not. */
export interface WorkerCapacity extends FreeWorker {
  readonly devices: readonly Device[];
}

/** On this worker, devices that suit these needs are kept as they become free. */
export interface ReservedSlot {
  readonly workerId: string;
  readonly needs: JobNeeds;
}

/** Tells whether a free device of a worker is kept. */
export function isReserved({ workerId, needs }: ReservedSlot, ownerId: string, device: Device): boolean {
  return workerId === ownerId && device.kind === needs.kind && memoryOf(device) >= needs.memoryMb;
}

/** Takes what is kept off what is free. */
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

/** Devices that would suit if they were free: a busy one by all its memory. */
function suitableWhenFree(needs: JobNeeds, { devices, free }: WorkerCapacity): Device[] {
  const idle = new Set(free.map(({ id }) => id));
  return devices.filter(
    (device) =>
      device.kind === needs.kind &&
      (idle.has(device.id) ? memoryOf(device) : device.memoryMb) >= needs.memoryMb,
  );
}

/**
 * Chooses the worker on which the fewest devices have to become free; of several the one chosen before, then the one
 * with the fewest devices, so that most stay open to others. Jobs that want the same devices take turns, in order:
 * while some are kept for a job, none are kept for another that could be placed there too.
 *
 * @param workers those that take new jobs
 * @param reserved what is kept for jobs before
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
