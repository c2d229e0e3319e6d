/** @file The devices that a worker currently offers: its GPUs, or CPU slots. */
import { cpus } from 'node:os';
import { freeMachineBytes, machineBytes, usableThreads } from '@espalier/contracts/values';
import type { Device } from '@espalier/protocol';
import type { Logger } from '../logger.js';
import type { WorkerOptions } from '../worker-options.js';
import { openLoadMeter } from './processor-load.js';
import { type GpuWatch, watchGpus } from './watch-gpus.js';

export interface Devices {
  list(): Device[];
  close(): void;
}

const mebibyte = 1024 * 1024;

const processorName = (): string => (cpus()[0]?.model ?? 'unknown processor').trim().slice(0, 150);

/**
 * Divides cores, or the threads of OMP_NUM_THREADS, and the memory of the machine or container into equal slots.
 *
 * @param utilisation of all processors of the machine
 */
export function listSlots(slots: number, utilisation: number | null = null): Device[] {
  return Array.from({ length: slots }, (_, index): Device => ({
    id: `cpu-${index}`,
    kind: 'cpu',
    index,
    name: `${processorName()}, slot ${index + 1} of ${slots}`,
    threads: Math.max(1, Math.floor(usableThreads() / slots)),
    memoryMb: Math.floor(machineBytes() / slots / mebibyte),
    freeMemoryMb: Math.floor(freeMachineBytes() / slots / mebibyte),
    utilisation,
    powerWatts: null,
    temperatureCelsius: null,
    errors: null,
    faults: [],
  }));
}

/**
 * Returns whether the worker may use a GPU: any, or those that CUDA_VISIBLE_DEVICES lists by their numbers or by the
 * beginnings of their UUIDs. The variable is how schedulers of a machine share out its GPUs.
 */
function isGiven({ id, index }: Device): boolean {
  const listed = process.env['CUDA_VISIBLE_DEVICES']?.split(',').map((entry) => entry.trim());
  if (listed === undefined) return true;
  return listed.some(
    (entry) => entry === String(index) || (entry.startsWith('GPU-') && id.startsWith(entry)),
  );
}

/** Finds the devices and keeps watching them; resolves with the first readings. */
export async function openDevices(
  { gpus, slots, timing }: Pick<WorkerOptions, 'gpus' | 'slots' | 'timing'>,
  log: Logger,
): Promise<Devices> {
  const watch: GpuWatch | undefined =
    gpus === 'off' ? undefined : await watchGpus({ sampleMs: timing.sampleMs, log });
  const hidden = watch?.list().filter((device) => !isGiven(device)) ?? [];
  if (hidden.length > 0)
    log.info(
      { hidden: hidden.map(({ index }) => index) },
      'CUDA_VISIBLE_DEVICES hides GPUs; not offering them',
    );
  const load = openLoadMeter();
  return {
    list() {
      const found = (watch?.list() ?? []).filter((device) => isGiven(device));
      return [...found, ...listSlots(slots ?? (found.length > 0 ? 0 : 1), load())];
    },
    close: () => watch?.close(),
  };
}
