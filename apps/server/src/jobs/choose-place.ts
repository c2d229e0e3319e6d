/** @file Which worker and which of its devices a job gets. Pure: the same pool and needs give the same place. */
import type { Device, JobNeeds } from '@espalier/protocol';

/** What a worker has left. */
export interface FreeWorker {
  readonly id: string;
  readonly labels: readonly string[];
  /** healthy devices that nobody has */
  readonly free: readonly Device[];
}

export interface ChosenPlace {
  readonly workerId: string;
  readonly devices: readonly Device[];
}

/** Memory that counts for a job, MiB: what is free on a GPU; a CPU slot’s share of the machine. */
export function memoryOf(device: Device): number {
  return device.kind === 'gpu' ? device.freeMemoryMb : device.memoryMb;
}

/** Devices of a worker that a job could use. */
export function suitableDevices(needs: JobNeeds, devices: readonly Device[]): Device[] {
  return devices.filter((device) => device.kind === needs.kind && memoryOf(device) >= needs.memoryMb);
}

export function hasLabels(needs: JobNeeds, labels: readonly string[]): boolean {
  return needs.labels.every((label) => labels.includes(label));
}

/**
 * Chooses a place: the preferred worker if the job fits there, otherwise the one that would have the fewest free
 * devices left; on it the devices with the least memory that suffices.
 *
 * @returns null when the job fits nowhere now
 */
export function choosePlace(
  needs: JobNeeds,
  workers: Iterable<FreeWorker>,
  preferredId: string | null,
): ChosenPlace | null {
  let best: { readonly worker: FreeWorker; readonly suitable: Device[] } | null = null;
  for (const worker of workers) {
    if (worker.free.length < needs.count || !hasLabels(needs, worker.labels)) continue;
    const suitable = suitableDevices(needs, worker.free);
    if (suitable.length < needs.count) continue;
    if (worker.id === preferredId) return placeOn(worker, suitable, needs.count);
    if (best === null || worker.free.length < best.worker.free.length) best = { worker, suitable };
  }
  return best === null ? null : placeOn(best.worker, best.suitable, needs.count);
}

function placeOn({ id }: FreeWorker, suitable: readonly Device[], count: number): ChosenPlace {
  const tightest = [...suitable].sort((a, b) => memoryOf(a) - memoryOf(b) || a.index - b.index);
  return { workerId: id, devices: tightest.slice(0, count).sort((a, b) => a.index - b.index) };
}
