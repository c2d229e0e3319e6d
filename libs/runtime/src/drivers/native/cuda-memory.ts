/** @file The memory of an NVIDIA GPU, by the functions of the CUDA runtime. */
import { AppError } from '@espalier/contracts';
import { deviceLost, isLostStatus } from '../../device-lost.js';
import type { DeviceAddress, DeviceMemory } from '../../mirrored-array.js';
import type { CLibrary } from '../c-library.js';

/** cudaErrorMemoryAllocation */
const NO_MEMORY = 2;
const TO_DEVICE = 1;
const TO_HOST = 2;
const ON_DEVICE = 3;

/** Finds the functions. @throws runtime.driver_unavailable when the library is not CUDA's runtime */
export function createCudaMemory({ find }: Pick<CLibrary, 'find'>): DeviceMemory {
  const allocate = find('int cudaMalloc(_Out_ void **address, size_t size)');
  const free = find('int cudaFree(void *address)');
  const zero = find('int cudaMemset(void *address, int value, size_t size)');
  const copyUp = find('int cudaMemcpy(void *to, const void *from, size_t size, int kind)');
  const copyDown = find('int cudaMemcpy(void *to, const void *from, size_t size, int kind)');
  const copyBlocks = find(
    'int cudaMemcpy2D(void *to, size_t toPitch, void *from, size_t fromPitch, size_t width, size_t height, int kind)',
  );
  const getInfo = find('int cudaMemGetInfo(_Out_ size_t *free, _Out_ size_t *total)');
  const synchronize = find('int cudaDeviceSynchronize()');
  const message = find('const char *cudaGetErrorString(int status)');
  const check = (status: unknown, operation: string): void => {
    if (status === 0) return;
    if (status === NO_MEMORY)
      throw new AppError(
        'runtime.out_of_memory',
        `CUDA: ${operation}: the GPU's memory is full; lower update.microBatchTokens or rollout.promptsPerStep, or let fewer programs share the GPU`,
      );
    const finding = `CUDA: ${operation}: ${String(message(status))}`;
    if (isLostStatus(status)) throw deviceLost(finding);
    throw new AppError('runtime.run_failed', finding);
  };
  const total: (number | bigint)[] = [0];
  check(getInfo([0], total), 'ask for its memory');
  return {
    totalBytes: Number(total[0]),
    allocate(size) {
      const out: (DeviceAddress | null)[] = [null];
      // no address is given for nothing
      check(allocate(out, Math.max(size, 1)), `allocate ${size} bytes`);
      return out[0] as DeviceAddress;
    },
    free: (address) => check(free(address), 'free memory'),
    zero: (address, size) => check(zero(address, 0, size), 'clear memory'),
    upload(address, values) {
      check(copyUp(address, values, values.byteLength, TO_DEVICE), 'copy to the device');
    },
    copyBlocks({ from, fromPitch, to, toPitch, width, count }) {
      const status = copyBlocks(to, toPitch, from, fromPitch, width, count, ON_DEVICE);
      check(status, 'copy on the device');
    },
    synchronize: () => check(synchronize(), 'wait for the device'),
    download: (address, values) =>
      check(copyDown(values, address, values.byteLength, TO_HOST), 'copy from the device'),
  };
}
