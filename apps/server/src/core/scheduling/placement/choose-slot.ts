/** @file Chooses the worker and the devices for a job. Pure: equal pools and needs lead to equal slots. */
import { type Device, type JobNeeds, listPluginConflicts, type PluginVersion } from '@espalier/protocol';

/** The free devices of a worker. */
export interface FreeWorker {
  readonly id: string;
  readonly labels: readonly string[];
  /** healthy devices that are not in use */
  readonly free: readonly Device[];
  /** its plugins that are not built in; default: none */
  readonly plugins?: readonly PluginVersion[];
}

export interface Slot {
  readonly workerId: string;
  readonly devices: readonly Device[];
}

/** Memory available to a job, MiB: what is free on a GPU; for a CPU device, its share of the machine. */
export function memoryOf(device: Device): number {
  return device.kind === 'gpu' ? device.freeMemoryMb : device.memoryMb;
}

/** Devices that meet the needs of a job. */
export function suitableDevices(needs: JobNeeds, devices: readonly Device[]): Device[] {
  return devices.filter((device) => device.kind === needs.kind && memoryOf(device) >= needs.memoryMb);
}

export function hasLabels(needs: JobNeeds, labels: readonly string[]): boolean {
  return needs.labels.every((label) => labels.includes(label));
}

/** Returns whether a worker has the pinned plugins of a job. */
export function hasPinnedPlugins(
  pinned: readonly PluginVersion[],
  { plugins = [] }: Pick<FreeWorker, 'plugins'>,
): boolean {
  return listPluginConflicts(pinned, plugins).length === 0;
}

/**
 * Chooses a slot: on the preferred worker if the job fits there, otherwise on the one that would have the fewest free
 * devices left; there, the devices with the least sufficient memory. A job with pinned plugins goes to a worker that
 * has them.
 *
 * @param pinned plugins that the worker must have unchanged
 * @returns null when the job fits nowhere now
 */
export function chooseSlot(
  needs: JobNeeds,
  workers: Iterable<FreeWorker>,
  preferredId: string | null,
  pinned: readonly PluginVersion[] = [],
): Slot | null {
  let best: { readonly worker: FreeWorker; readonly suitable: Device[] } | null = null;
  for (const worker of workers) {
    if (worker.free.length < needs.count || !hasLabels(needs, worker.labels)) continue;
    if (pinned.length > 0 && !hasPinnedPlugins(pinned, worker)) continue;
    const suitable = suitableDevices(needs, worker.free);
    if (suitable.length < needs.count) continue;
    if (worker.id === preferredId) return slotOn(worker, suitable, needs.count);
    if (best === null || worker.free.length < best.worker.free.length) best = { worker, suitable };
  }
  return best === null ? null : slotOn(best.worker, best.suitable, needs.count);
}

function slotOn({ id }: FreeWorker, suitable: readonly Device[], count: number): Slot {
  const tightest = [...suitable].sort((a, b) => memoryOf(a) - memoryOf(b) || a.index - b.index);
  return { workerId: id, devices: tightest.slice(0, count).sort((a, b) => a.index - b.index) };
}
