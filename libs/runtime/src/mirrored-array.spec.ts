import { describe, expect, it } from 'vitest';
import { type DeviceMemory, MirroredArray } from './mirrored-array.js';

/** A device whose memory is a map, full of 9s where nothing was written. */
function createDevice() {
  const arrays = new Map<bigint, Float32Array>();
  const log: string[] = [];
  const at = (address: bigint): Float32Array => arrays.get(address) as Float32Array;
  const memory: DeviceMemory = {
    totalBytes: 1000,
    allocate(size) {
      const address = BigInt(arrays.size + 1);
      arrays.set(address, new Float32Array(size / 4).fill(9));
      return address;
    },
    free: (address) => void log.push(`free ${address}`),
    zero: (address) => void at(address).fill(0),
    upload: (address, values) => void (log.push('up'), at(address).set(values)),
    download: (address, values) => void (log.push('down'), values.set(at(address))),
    copyBlocks: () => undefined,
    synchronize: () => undefined,
  };
  return { memory, at, log };
}

describe('a mirrored array', () => {
  it('begins as zeros on either side, without a copy', () => {
    const { memory, at, log } = createDevice();
    const array = new MirroredArray(2);
    expect([...at(array.onDevice(memory))]).toEqual([0, 0]);
    expect([...array.read()]).toEqual([0, 0]);
    expect(log).toEqual([]);
  });

  it('crosses the bus once for each change, when the other side asks', () => {
    const { memory, at, log } = createDevice();
    const array = new MirroredArray(2, Float32Array.of(1, 2));
    const address = array.onDevice(memory);
    array.onDevice(memory);
    expect([...at(address)]).toEqual([1, 2]);
    at(address).set([3, 4]);
    array.noteDeviceWrite();
    expect([[...array.read()], [...array.read()]]).toEqual([
      [3, 4],
      [3, 4],
    ]);
    array.write()[0] = 5;
    array.onDevice(memory);
    expect([...at(address)]).toEqual([5, 4]);
    expect(log).toEqual(['up', 'down', 'up']);
  });

  it('is cleared where it is', () => {
    const { memory, at, log } = createDevice();
    const array = new MirroredArray(2, Float32Array.of(1, 2));
    const address = array.onDevice(memory);
    array.clear();
    expect([...at(address)]).toEqual([0, 0]);
    expect([...array.read()]).toEqual([0, 0]);
    const host = new MirroredArray(1, Float32Array.of(7));
    host.clear();
    expect([...host.read()]).toEqual([0]);
    expect(log).toEqual(['up', 'down']);
  });

  it('keeps what the host has when the device is freed, and is uploaded again', () => {
    const { memory, at, log } = createDevice();
    const array = new MirroredArray(1, Float32Array.of(7));
    array.onDevice(memory);
    array.read();
    array.free();
    expect([...array.read()]).toEqual([7]);
    expect([...at(array.onDevice(memory))]).toEqual([7]);
    expect(log).toEqual(['up', 'free 1', 'up']);
  });

  it('is a tensor whose values are fetched when they are read, not when the tensor is made', () => {
    const { memory, at, log } = createDevice();
    const array = new MirroredArray(4);
    const address = array.onDevice(memory);
    at(address).set([1, 2, 3, 4]);
    array.noteDeviceWrite();
    array.read();
    array.noteDeviceWrite();
    const tensor = array.tensor(1, [2]);
    expect(log).toEqual(['down']);
    expect([...tensor.values]).toEqual([2, 3]);
    expect(log).toEqual(['down', 'down']);
  });
});
