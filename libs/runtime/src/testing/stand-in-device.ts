/**
 * @file A device for tests on machines without a GPU: memory of its own, which the JavaScript arrays are not in, computed
 * on by the CPU. It shows that nothing reads a copy that is out of date; what kernels of a GPU compute, it does not show.
 */
import { AppError } from '@espalier/contracts';
import { loadKoffi, type Pointer } from '../drivers/c-library.js';
import { useCuda } from '../drivers/native/cuda.js';
import { openOrtApi, type OrtApi } from '../drivers/native/ort-api.js';
import type { Gpu } from '../drivers/native/create-session.js';
import { createWebgpu } from '../drivers/native/webgpu.js';
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

/** The provider cuda is the stand-in until it is restored. */
export interface StandIn {
  readonly traffic: Traffic;
  restore(): void;
}

/** Makes the provider cuda this device, until it is told to take the GPU again. */
export async function useStandInDevice(): Promise<StandIn> {
  const api = await openOrtApi(packagedLibrary(), 'run npm install');
  const traffic: Traffic = { up: 0, down: 0, copies: 0, arrays: 0, sessions: 0, allocationsLeft: 0 };
  const memory = await createHostMemory(traffic);
  const device = { memory, info: api.cpuMemory };
  return use({ api: countSessions(api, traffic), device, addProvider: () => undefined }, traffic);
}

/** The same with the memory of WebGPU: each tensor has a buffer of its own, and runs write to new ones. */
export async function useStandInBuffers(): Promise<StandIn> {
  const traffic: Traffic = { up: 0, down: 0, copies: 0, arrays: 0, sessions: 0, allocationsLeft: 0 };
  const library = await openOrtApi(packagedLibrary(), 'run npm install');
  const api = countAllocations({ ...library, call: withCopies(library) }, traffic);
  const { device, addProvider } = createWebgpu(api, api.cpuMemory, () => undefined);
  const { memory } = device;
  const upload = memory.upload.bind(memory);
  const download = memory.download.bind(memory);
  memory.upload = (address, values) => {
    traffic.up += values.byteLength;
    upload(address, values);
  };
  memory.download = (address, values) => {
    traffic.down += values.byteLength;
    download(address, values);
  };
  return use({ api: countSessions(api, traffic), device, addProvider }, traffic);
}

function use(gpu: Gpu, traffic: Traffic): StandIn {
  useCuda(gpu);
  return { traffic, restore: () => useCuda(undefined) };
}

/** The runtime copies between devices, not from the CPU to the CPU. */
function withCopies(api: OrtApi): OrtApi['call'] {
  const copy = api.koffi.load('libc.so.6').func('void *memcpy(void *to, void *from, size_t size)');
  return (name, ...args) => {
    if (name !== 'CopyTensors') return api.call(name, ...args);
    const [, [source], [target]] = args as [unknown, [Pointer], [Pointer]];
    const info = api.receive('GetTensorTypeAndShape', source);
    const length = new BigInt64Array(1);
    api.call('GetDimensions', info, length, 1);
    api.free('ReleaseTensorTypeAndShapeInfo', info);
    const [to, from] = [target, source].map((value) => api.receive('GetTensorMutableData', value));
    copy(to, from, Number(length[0]) * Float32Array.BYTES_PER_ELEMENT);
  };
}

/** As WebGPU does, gives a buffer that is none where memory is full; what computes or copies with it fails. */
function countAllocations(api: OrtApi, traffic: Traffic): OrtApi {
  const live = new Set<Pointer>();
  const invalid = new Set<Pointer>();
  let isFailing = false;
  const requireValid = (): void => {
    const fails = isFailing;
    isFailing = false;
    if (fails)
      throw new Error(
        'WebGPU validation failed. [Invalid Buffer (unlabeled)] is invalid due to a previous error.',
      );
  };
  return {
    ...api,
    raw(name) {
      const found = api.raw(name);
      if (name !== 'RunWithBinding') return found;
      return (...args) => {
        requireValid();
        return found(...args);
      };
    },
    receive(name, ...args) {
      if (name === 'CreateTensorWithDataAsOrtValue' && invalid.has(args[1] as Pointer)) isFailing = true;
      const received = api.receive(name, ...args);
      if (name !== 'AllocatorAlloc') return received;
      invalid.delete(received);
      if (isFull(traffic)) invalid.add(received);
      live.add(received);
      traffic.arrays = live.size;
      return received;
    },
    call(name, ...args) {
      if (name === 'RunWithBinding' || name === 'CopyTensors') requireValid();
      api.call(name, ...args);
      // results on the host are freed in the same way
      if (name === 'AllocatorFree') live.delete(args[1] as Pointer);
      traffic.arrays = live.size;
    },
  };
}

/** Counts an allocation; whether it is the one that fails. */
function isFull(traffic: Traffic): boolean {
  if (traffic.allocationsLeft === 0) return false;
  traffic.allocationsLeft -= 1;
  return traffic.allocationsLeft === 0;
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
      if (isFull(traffic))
        throw new AppError('runtime.out_of_memory', "CUDA: allocate: the GPU's memory is full");
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
