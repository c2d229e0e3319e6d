/** @file On memory of this process in place of a GPU's; that kernels of a GPU use it so, webgpu-training.spec.ts of the engine shows. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StandIn, useStandInBuffers } from '../../testing/stand-in-device.js';
import { openCuda } from './cuda.js';
import type { WebgpuMemory } from './webgpu-memory.js';

describe('the memory of WebGPU', () => {
  let standIn: StandIn;
  let memory: WebgpuMemory;
  beforeAll(async () => {
    standIn = await useStandInBuffers();
    memory = (await openCuda()).device.memory as WebgpuMemory;
  });
  afterAll(() => standIn.restore());

  const numbersOf = (address: bigint, length: number): number[] => {
    const values = new Float32Array(length).fill(9);
    memory.download(address, values);
    return [...values];
  };

  it('has what was uploaded, before and after tensors have buffers of their own, and zeros where nothing was', () => {
    const address = memory.allocate();
    expect(numbersOf(address, 2)).toEqual([0, 0]);
    memory.upload(address, Float32Array.of(1, 2, 3, 4));
    const first = memory.read(address, 8);
    expect(memory.read(address + 8n, 8)).not.toBe(first);
    expect(memory.read(address, 8)).toBe(first);
    expect(numbersOf(address, 4)).toEqual([1, 2, 3, 4]);
    memory.upload(address, Float32Array.of(5, 6, 7, 8));
    expect(numbersOf(address, 4)).toEqual([5, 6, 7, 8]);
    memory.free(address);
  });

  it('is zero after it was cleared, whatever a buffer had', () => {
    const address = memory.allocate();
    memory.upload(address, Float32Array.of(1, Number.NaN));
    memory.read(address, 8);
    memory.zero(address);
    expect(numbersOf(address, 2)).toEqual([0, 0]);
    memory.read(address, 8);
    expect(numbersOf(address, 2)).toEqual([0, 0]);
    memory.free(address);
  });

  it('has what a run wrote once it has ended well, and nothing of it when it failed', () => {
    const address = memory.allocate();
    memory.upload(address, Float32Array.of(1, 2));
    const before = memory.read(address, 8);
    memory.end(true);
    const { arrays } = standIn.traffic;
    expect(memory.write(address, 8)).not.toBe(before);
    memory.end(false);
    expect(memory.read(address, 8)).toBe(before);
    expect(numbersOf(address, 2)).toEqual([1, 2]);
    const written = memory.write(address, 8);
    memory.end(true);
    expect(memory.read(address, 8)).toBe(written);
    memory.end(true);
    expect(standIn.traffic.arrays).toBe(arrays);
    memory.free(address);
    expect(standIn.traffic.arrays).toBe(arrays - 1);
  });

  it('keeps no buffer that there was no memory for, and has the numbers when it is asked again', () => {
    const address = memory.allocate();
    memory.upload(address, Float32Array.of(1, 2));
    const { arrays } = standIn.traffic;
    Object.assign(standIn.traffic, { allocationsLeft: 1 });
    expect(() => memory.read(address, 8)).toThrow('Invalid Buffer');
    memory.end(false);
    expect(standIn.traffic.arrays).toBe(arrays);
    memory.read(address, 8);
    memory.end(true);
    expect(numbersOf(address, 2)).toEqual([1, 2]);
    memory.free(address);
  });

  it('keeps none of the buffers that zeros need, where one of them is missing', () => {
    const address = memory.allocate();
    const { arrays } = standIn.traffic;
    for (const failing of [1, 2, 3, 4, 5]) {
      Object.assign(standIn.traffic, { allocationsLeft: failing });
      expect(() => {
        memory.read(address, 8);
        Object.assign(standIn.traffic, { allocationsLeft: 0 });
        throw new Error('none failed');
      }).toThrow(/Invalid Buffer|none failed/);
      memory.end(false);
      expect(standIn.traffic.arrays, String(failing)).toBe(arrays);
    }
    memory.free(address);
  });

  it('gives the beginning of a tensor, and refuses one that lies across two', () => {
    const address = memory.allocate();
    memory.upload(address, Float32Array.of(1, 2, 3, 4));
    const whole = memory.read(address + 8n, 8);
    expect(memory.read(address + 8n, 4)).toBe(whole);
    expect(() => memory.read(address + 8n, 12)).toThrow('a tensor of 8 bytes is asked for with 12');
    expect(() => memory.read(address + 4n, 8)).toThrow('bytes 4 to 12 of an array overlap those from 8');
    expect(() => memory.write(address + 8n, 4)).toThrow('a tensor of 8 bytes is asked for with 4');
    memory.free(address);
    expect(() => memory.read(address, 4)).toThrow('was not allocated');
  });
});
