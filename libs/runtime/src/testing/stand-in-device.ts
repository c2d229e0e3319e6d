/**
 * @file A device for tests on machines without a GPU: memory of its own, which the JavaScript arrays are not in, computed
 * on by the CPU. It shows that nothing reads a copy that is out of date; what kernels of a GPU compute, it does not show.
 */
import { AppError } from '@espalier/contracts';
import { loadKoffi } from '../drivers/c-library.js';
import { useCuda } from '../drivers/native/cuda.js';
import { openOrtApi, type OrtApi } from '../drivers/native/ort-api.js';
import { packagedLibrary } from '../drivers/native/packaged-library.js';
import type { DeviceAddress, DeviceMemory } from '../mirrored-array.js';

/** What a test asks a device. */
export interface Traffic {
  /** bytes that crossed between host and device so far */
  up: number;
  down: number;
  /** copies within the device so far */
  copies: number;
  /** arrays that are allocated now */
  arrays: number;
  /** sessions that were opened so far */
  sessions: number;
  /** allocations until one fails, as on a full GPU; 0: none does */
  allocationsLeft: number;
}

/** Makes the provider cuda this device, until it is told to take the GPU again. */
export async function useStandInDevice(): Promise<{ readonly traffic: Traffic; restore(): void }> {
  const api = await openOrtApi(packagedLibrary(), 'run npm install');
  const traffic: Traffic = { up: 0, down: 0, copies: 0, arrays: 0, sessions: 0, allocationsLeft: 0 };
  const memory = await createHostMemory(traffic);
  useCuda({
    api: countSessions(api, traffic),
    device: { memory, info: api.cpuMemory },
    addProvider: () => undefined,
  });
  return { traffic, restore: () => useCuda(undefined) };
}

function countSessions(api: OrtApi, traffic: Traffic): OrtApi {
  return {
    ...api,
    receive(name, ...args) {
      if (name === 'CreateSessionFromArray') traffic.sessions += 1;
      return api.receive(name, ...args);
    },
  };
}

async function createHostMemory(traffic: Traffic): Promise<DeviceMemory> {
  const koffi = await loadKoffi('native');
  const libc = koffi.load('libc.so.6');
  const malloc = libc.func('void *malloc(size_t size)');
  const free = libc.func('void free(void *address)');
  const memset = libc.func('void *memset(void *address, int value, size_t size)');
  const put = libc.func('void *memcpy(void *to, const void *from, size_t size)');
  const live = new Set<DeviceAddress>();
  return {
    totalBytes: 2 ** 32,
    allocate(size) {
      if (traffic.allocationsLeft > 0) {
        traffic.allocationsLeft -= 1;
        if (traffic.allocationsLeft === 0)
          throw new AppError('runtime.out_of_memory', "CUDA: allocate: the GPU's memory is full");
      }
      const address = malloc(Math.max(size, 1)) as DeviceAddress;
      // not zero, as a device's memory is not
      memset(address, 0xff, size);
      live.add(address);
      traffic.arrays = live.size;
      return address;
    },
    free(address) {
      if (!live.delete(address)) throw new RangeError(`free: ${address} was not allocated`);
      traffic.arrays = live.size;
      free(address);
    },
    zero: (address, size) => void memset(address, 0, size),
    upload(address, values) {
      traffic.up += values.byteLength;
      put(address, values, values.byteLength);
    },
    download(address, values) {
      traffic.down += values.byteLength;
      put(values, address, values.byteLength);
    },
    copyBlocks({ from, fromPitch, to, toPitch, width, count }) {
      traffic.copies += 1;
      for (let i = 0; i < count; i += 1) put(to + BigInt(i * toPitch), from + BigInt(i * fromPitch), width);
    },
    synchronize: () => undefined,
  };
}
