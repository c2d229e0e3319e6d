/** @file How much memory a training process may use, and what is reported of one that used more. */
import type { Assignment } from '@espalier/protocol';
import { memoryOfGroup } from '@espalier/files';
import type { WorkerOptions } from '../worker-options.js';
import type { AttemptState } from './attempt-folder.js';

export const memoryExceeded = 'worker.memory_exceeded';

/** Returns the limit in MiB: the smaller of the run's and the worker's; 0: none. */
export function memoryLimitOf(
  { spec }: Pick<Assignment, 'spec'>,
  { jobMemoryMb }: Pick<WorkerOptions, 'jobMemoryMb'>,
): number {
  const { memoryMb = 0 } = (spec['device'] ?? {}) as { readonly memoryMb?: number };
  return memoryMb > 0 && jobMemoryMb > 0 ? Math.min(memoryMb, jobMemoryMb) : memoryMb || jobMemoryMb;
}

/** How often the memory of a process is read, ms. */
const readMs = 250;
const bytesPerMb = 2 ** 20;

/** Watches the memory of a group of processes. */
export function createMemoryWatch(limitMb: number): {
  /** Returns what the group uses, if that is more than the limit and it is time to look again. */
  exceededBy(group: number | undefined): AttemptState['exceeded'];
} {
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    exceededBy(group) {
      if (limitMb === 0 || group === undefined || performance.now() - readAt < readMs) return undefined;
      readAt = performance.now();
      const usedMb = Math.ceil((memoryOfGroup(group) ?? 0) / bytesPerMb);
      return usedMb > limitMb ? { usedMb, limitMb } : undefined;
    },
  };
}

/** Describes what was used, the limit and what to do. */
export function describeExceeded(
  { usedMb, limitMb }: NonNullable<AttemptState['exceeded']>,
  { spec }: Pick<Assignment, 'spec'>,
  workerName: string,
): string {
  const { memoryMb } = (spec['device'] ?? {}) as { readonly memoryMb?: number };
  const [setting, remedy] =
    memoryMb === limitMb
      ? ['device.memoryMb', 'raise it']
      : [`jobMemoryMb of worker "${workerName}"`, 'run it on a worker with a higher limit'];
  return `train: the process and its children used ${usedMb} MiB, the limit is ${limitMb} MiB (${setting}); lower update.microBatchTokens, rollout.promptsPerStep or rollout.groupSize, or ${remedy}`;
}
