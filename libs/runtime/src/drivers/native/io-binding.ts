/** @file Binds the feeds and outputs of a session to memory: to the caller's own arrays, or to a device's. */
import { setImmediate } from 'node:timers/promises';
import type { DeviceAddress, DeviceMemory } from '../../mirrored-array.js';
import {
  ENTRY_ARRAY,
  type EntryArray,
  type RuntimeTensor,
  type TensorPort,
  writable,
} from '../../runtime-tensor.js';
import { callApart, type Pointer } from '../c-library.js';
import type { RuntimeTensors } from '../driver.js';
import { elementTypes, type OrtApi } from './ort-api.js';

/** A device whose memory mirrored arrays stay in. */
export interface Device {
  readonly memory: DeviceMemory;
  /** the runtime's description of that memory */
  readonly info: Pointer;
  /** default: tensors are at their addresses, and are written in place, on another thread */
  readonly buffers?: DeviceBuffers;
}

/** Where tensors are in a memory whose addresses the runtime cannot count in, one run at a time; sizes in bytes. */
export interface DeviceBuffers {
  read(address: DeviceAddress, size: number): bigint;
  /** A buffer for what a run writes there. */
  write(address: DeviceAddress, size: number): bigint;
  /** Ends a run: what it wrote takes the places of what was there, or, where it failed, what was there stays. */
  end(isDone: boolean): void;
}

export interface IoBinding {
  run(feeds: RuntimeTensors, targets: RuntimeTensors): Promise<RuntimeTensors>;
  free(): void;
}

interface BoundFeed {
  readonly value: Pointer;
  readonly address: EntryArray | bigint;
  readonly shape: readonly number[];
}

/** Creates the binding of a session; runs must not overlap. */
export function createIoBinding(
  api: OrtApi,
  session: Pointer,
  outputs: readonly TensorPort[],
  device: Device | undefined,
): IoBinding {
  const binding = api.receive('CreateIoBinding', session);
  const fed = new Map<string, BoundFeed>();
  const feed = (name: string, tensor: RuntimeTensor): void => {
    const address = sourceOf(tensor, device);
    const before = fed.get(name);
    // an array of the host is copied to a device when it is bound, so it has to be bound again
    const isSame = before !== undefined && isBound(before, address, tensor.shape);
    if (isSame && (device === undefined || typeof address === 'bigint')) return;
    const value = createValue(api, tensor, address, device);
    api.call('BindInput', binding, name, value);
    fed.set(name, { value, address, shape: tensor.shape });
    if (before !== undefined) api.free('ReleaseValue', before.value);
  };
  const isApart = device !== undefined && device.buffers === undefined;
  const compute = async (): Promise<void> => {
    const run = api.raw('RunWithBinding');
    if (device !== undefined) {
      device.memory.synchronize();
      api.call('SynchronizeBoundInputs', binding);
    }
    // on this thread without a device: others do not flush subnormal numbers to zero
    api.check(isApart ? await callApart(run, session, null, binding) : run(session, null, binding));
  };
  return {
    async run(feeds, targets) {
      // sampling is one run after the other: messages and signals come between them
      if (!isApart) await setImmediate();
      const targetValues: Pointer[] = [];
      let isDone = false;
      try {
        for (const [name, tensor] of Object.entries(feeds)) feed(name, tensor);
        api.free('ClearBoundOutputs', binding);
        for (const { name } of outputs) {
          const target = targets[name];
          if (target === undefined) {
            api.call('BindOutputToDevice', binding, name, api.cpuMemory);
            continue;
          }
          const value = createValue(api, target, targetOf(target, device), device);
          targetValues.push(value);
          api.call('BindOutput', binding, name, value);
        }
        await compute();
        isDone = true;
      } finally {
        for (const value of targetValues) api.free('ReleaseValue', value);
        device?.buffers?.end(isDone);
      }
      if (device !== undefined)
        for (const { mirror } of Object.values(targets)) mirror?.array.noteDeviceWrite();
      return readOutputs(api, binding, outputs, targets);
    },
    free() {
      api.free('ReleaseIoBinding', binding);
      for (const { value } of fed.values()) api.free('ReleaseValue', value);
      fed.clear();
    },
  };
}

/** Where a tensor is read: on the device, or in an array of the host. */
function sourceOf(tensor: RuntimeTensor, device: Device | undefined): EntryArray | bigint {
  const address = addressOf(tensor, device);
  if (address === undefined) return tensor.values;
  return device?.buffers === undefined ? address : device.buffers.read(address, byteLengthOf(tensor));
}

/** Where a tensor is written. */
function targetOf(tensor: RuntimeTensor, device: Device | undefined): EntryArray | bigint {
  const address = addressOf(tensor, device);
  if (address === undefined) return writable(tensor);
  return device?.buffers === undefined ? address : device.buffers.write(address, byteLengthOf(tensor));
}

/** The address of a tensor that stays on the device. */
function addressOf({ mirror }: RuntimeTensor, device: Device | undefined): bigint | undefined {
  if (mirror === undefined || device === undefined) return undefined;
  const start = BigInt(mirror.start * Float32Array.BYTES_PER_ELEMENT);
  return mirror.array.onDevice(device.memory) + start;
}

const byteLengthOf = ({ dtype, shape }: Pick<RuntimeTensor, 'dtype' | 'shape'>): number =>
  shape.reduce((a, b) => a * b, 1) * ENTRY_ARRAY[dtype].BYTES_PER_ELEMENT;

function isBound(before: BoundFeed, address: EntryArray | bigint, shape: readonly number[]): boolean {
  const isSameShape =
    before.shape.length === shape.length && before.shape.every((size, axis) => size === shape[axis]);
  if (!isSameShape || typeof address === 'bigint' || typeof before.address === 'bigint')
    return isSameShape && address === before.address;
  return (
    before.address.buffer === address.buffer &&
    before.address.byteOffset === address.byteOffset &&
    before.address.constructor === address.constructor
  );
}

function createValue(
  api: OrtApi,
  tensor: RuntimeTensor,
  address: EntryArray | bigint,
  device: Device | undefined,
): Pointer {
  const { dtype, shape } = tensor;
  const sizes = BigInt64Array.from(shape, BigInt);
  const info = typeof address === 'bigint' ? device?.info : api.cpuMemory;
  return api.receive(
    'CreateTensorWithDataAsOrtValue',
    info,
    address,
    byteLengthOf(tensor),
    sizes,
    shape.length,
    elementTypes[dtype],
  );
}

/** Copies what has no target to arrays of the host. */
function readOutputs(
  api: OrtApi,
  binding: Pointer,
  outputs: readonly TensorPort[],
  targets: RuntimeTensors,
): RuntimeTensors {
  if (outputs.every(({ name }) => targets[name] !== undefined)) return {};
  const list: Pointer[] = [null];
  const count: (number | bigint)[] = [0];
  api.call('GetBoundOutputValues', binding, api.allocator, list, count);
  const values = api.koffi.decode(list[0] ?? null, 'void *', Number(count[0])) as Pointer[];
  api.call('AllocatorFree', api.allocator, list[0]);
  try {
    return Object.fromEntries(
      outputs.flatMap((port, i): [string, RuntimeTensor][] =>
        targets[port.name] === undefined ? [[port.name, copyValue(api, values[i] ?? null, port)]] : [],
      ),
    );
  } finally {
    for (const value of values) api.free('ReleaseValue', value);
  }
}

function copyValue(api: OrtApi, value: Pointer, { dtype, shape: declared }: TensorPort): RuntimeTensor {
  const shape = shapeOf(api, value, declared.length);
  const values = new ENTRY_ARRAY[dtype](shape.reduce((a, b) => a * b, 1));
  if (values.byteLength > 0) {
    const data = api.receive('GetTensorMutableData', value);
    new Uint8Array(values.buffer).set(new Uint8Array(api.koffi.view(data, values.byteLength)));
  }
  return { dtype, shape, values };
}

function shapeOf(api: OrtApi, value: Pointer, rank: number): number[] {
  const info = api.receive('GetTensorTypeAndShape', value);
  try {
    const sizes = new BigInt64Array(rank);
    if (rank > 0) api.call('GetDimensions', info, sizes, rank);
    return Array.from(sizes, Number);
  } finally {
    api.free('ReleaseTensorTypeAndShapeInfo', info);
  }
}
