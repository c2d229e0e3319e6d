/** @file What a library's message says beyond that a call failed: the device is lost, or memory is full. */
import { AppError, hasCode, isAppError } from '@espalier/contracts';
import { deviceLost, tellsOfLostDevice } from './device-lost.js';
import { runtimeMessage } from './drivers/provider.js';

/** How the runtimes, CUDA and the C++ library report a failed allocation. */
const outOfMemory = /failed to allocate|bad_alloc|bad allocation|out of memory/i;

/** The typed error of such a failure, whether a call threw it or a message tells of it; undefined: another failure. */
export function findKnownFailure(operation: string, cause: unknown): AppError | undefined {
  if (isAppError(cause) && (hasCode(cause, 'runtime.device_lost') || hasCode(cause, 'runtime.out_of_memory')))
    return cause;
  const finding = runtimeMessage(cause);
  if (tellsOfLostDevice(finding)) return deviceLost(`${operation}: ${finding}`, cause);
  if (!outOfMemory.test(finding)) return undefined;
  return new AppError(
    'runtime.out_of_memory',
    `${operation}: ${finding}; lower update.microBatchTokens, or free memory`,
    { cause },
  );
}
