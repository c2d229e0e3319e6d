import { describe, expect, it } from 'vitest';
import type { DriverSession } from './drivers/driver.js';
import { createCudaMemory } from './drivers/native/cuda-memory.js';
import { Session } from './session.js';

/** A session whose library reports a failure. */
function failing(failure: string | Error): Session {
  const loaded: DriverSession = {
    run: () => Promise.reject(typeof failure === 'string' ? new Error(failure) : failure),
    dispose: () => Promise.resolve(),
  };
  return new Session(loaded, [], []);
}

describe('a device that is lost', () => {
  it.each([
    'CUDA failure 719: unspecified launch failure ; GPU=0 ; hostname=a ; file=cuda_call.cc ; expr=cudaStreamSynchronize(stream_);',
    'CUDA failure 214: uncorrectable ECC error encountered ; GPU=0',
    'CUDA error 700: an illegal memory access was encountered',
    'WebGPU: Device is lost: GPU process crashed',
  ])('is told by a run: %s', async (message) => {
    await expect(failing(message).run({})).rejects.toMatchObject({
      code: 'runtime.device_lost',
      message: expect.stringMatching(
        /^run session: .*; the GPU does not answer this process any more: .* resume from the last checkpoint$/,
      ) as string,
    });
  });

  it.each([
    ['CUDA failure 2: out of memory ; GPU=0', 'runtime.out_of_memory'],
    ['CUDA failure 1: invalid argument ; GPU=0', 'runtime.run_failed'],
    ['the lost of a device', 'runtime.run_failed'],
  ])('is not what is told by %s', async (message, code) => {
    await expect(failing(message).run({})).rejects.toMatchObject({ code });
  });

  it.each([
    [719, 'runtime.device_lost'],
    [46, 'runtime.device_lost'],
    [2, 'runtime.out_of_memory'],
    [1, 'runtime.run_failed'],
  ])('is told by memory whose calls return %i', (status, code) => {
    let answer = 0;
    const find = (prototype: string) => (): unknown =>
      prototype.includes('cudaGetErrorString') ? 'an error' : answer;
    const memory = createCudaMemory({ find });
    answer = status;
    expect(() => memory.synchronize()).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    [719, 'runtime.device_lost'],
    [2, 'runtime.out_of_memory'],
  ])('is told by a run whose feeds are copied there with %i', async (status, code) => {
    let answer = 0;
    const memory = createCudaMemory({ find: () => () => answer });
    answer = status;
    const failure = ((): unknown => {
      try {
        return memory.allocate(8);
      } catch (error) {
        return error;
      }
    })();
    await expect(failing(failure as Error).run({})).rejects.toMatchObject({ code });
  });
});
