/** @file What a worker has to offer at a moment: its GPUs, or slots of its processors. */
import { availableParallelism, cpus, freemem, totalmem } from 'node:os';
import type { Device } from '@espalier/protocol';
import type { Log } from '../log.js';
import type { WorkerOptions } from '../worker-options.js';
import { type GpuWatch, watchGpus } from './watch-gpus.js';

export interface Devices {
  list(): Device[];
  close(): void;
}

const mebibyte = 1024 * 1024;

const processorName = (): string => (cpus()[0]?.model ?? 'unknown processor').trim().slice(0, 150);

/** Divides cores and memory into equal slots. */
export function listSlots(slots: number): Device[] {
  return Array.from({ length: slots }, (_, index): Device => ({
    ...{ id: `cpu-${index}`, kind: 'cpu', index, name: `${processorName()}, slot ${index + 1} of ${slots}` },
    threads: Math.max(1, Math.floor(availableParallelism() / slots)),
    memoryMb: Math.floor(totalmem() / slots / mebibyte),
    freeMemoryMb: Math.floor(freemem() / slots / mebibyte),
    ...{ utilisation: null, powerWatts: null, temperatureCelsius: null, errors: null },
    faults: [],
  }));
}

/** Finds the devices and goes on watching them; resolves with the first readings. */
export async function openDevices(
  { gpus, slots, tempo }: Pick<WorkerOptions, 'gpus' | 'slots' | 'tempo'>,
  log: Log,
): Promise<Devices> {
  const watch: GpuWatch | undefined =
    gpus === 'off' ? undefined : await watchGpus({ sampleMs: tempo.sampleMs, log });
  return {
    list() {
      const found = watch?.list() ?? [];
      return [...found, ...listSlots(slots ?? (found.length > 0 ? 0 : 1))];
    },
    close: () => watch?.close(),
  };
}
