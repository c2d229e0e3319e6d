/** @file What a library's message says beyond that a call failed: the device is lost, or memory is full. */
import { AppError, hasCode, isAppError } from '@espalier/contracts';
import { deviceLost, tellsOfLostDevice } from './device-lost.js';
import { runtimeMessage } from './drivers/provider.js';

/** How the runtimes, CUDA, its libraries and the C++ library report a failed allocation. */
const outOfMemory =
  /failed to allocate|can(?:'t|not) alloc|bad_alloc|bad allocation|out of memory|ALLOC_FAILED|ALLOCATION_FAILED/i;
/**
 * What cuBLAS says on a full GPU when it is needed for the first time, and WebGPU of a buffer that there was no memory for, or
 * that is larger than it allows; seldom it is another fault.
 */
const isLikelyFull = /CUBLAS_STATUS_NOT_INITIALIZED|\[Invalid Buffer\b/;

/** The typed error of such a failure, whether a call threw it or a message tells of it; undefined: another failure. */
export function findKnownFailure(operation: string, cause: unknown): AppError | undefined {
  if (isAppError(cause) && (hasCode(cause, 'runtime.device_lost') || hasCode(cause, 'runtime.out_of_memory')))
    return cause;
  const finding = runtimeMessage(cause);
  if (tellsOfLostDevice(finding)) return deviceLost(`${operation}: ${finding}`, cause);
  const isUnsure = isLikelyFull.test(finding);
  if (!isUnsure && !outOfMemory.test(finding)) return undefined;
  const reading = isUnsure ? ', which mostly means that the memory of the GPU is full' : '';
  return new AppError(
    'runtime.out_of_memory',
    `${operation}: ${finding}${reading}; lower update.microBatchTokens, or free memory`,
    { cause },
  );
}
