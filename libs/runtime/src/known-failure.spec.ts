import { describe, expect, it } from 'vitest';
import { findKnownFailure } from './known-failure.js';

const find = (message: string) => findKnownFailure('run session', new Error(message));

describe('a failure that a message tells of', () => {
  it.each([
    'Failed to allocate memory for requested buffer of size 8388608',
    'std::bad_alloc',
    "infer: [CPU] MatMul node with name 'MatMul_17' can't alloc",
    'CUDA failure 2: out of memory ; GPU=0',
    'CUBLAS failure 3: CUBLAS_STATUS_ALLOC_FAILED ; GPU=0 ; expr=cublasCreate(&handle)',
    'CUDNN failure 4: CUDNN_STATUS_ALLOC_FAILED ; GPU=0',
    'CUDNN failure 5003: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED ; GPU=0',
  ])('is that memory ran out: %s', (message) => {
    expect(find(message)).toMatchObject({
      code: 'runtime.out_of_memory',
      message: `run session: ${message}; lower update.microBatchTokens, or free memory`,
    });
  });

  it('is called likely where WebGPU has a buffer that is none', () => {
    const failure = find(
      'WebGPU validation failed. [Invalid Buffer (unlabeled)] is invalid due to a previous error.',
    );
    expect(failure).toMatchObject({ code: 'runtime.out_of_memory' });
    expect(find('WebGPU validation failed. Too many storage buffers in shader')).toBeUndefined();
  });

  it('is called likely where cuBLAS could not begin', () => {
    const failure = find('CUBLAS failure 1: CUBLAS_STATUS_NOT_INITIALIZED ; GPU=0');
    expect(failure).toMatchObject({ code: 'runtime.out_of_memory' });
    expect(failure?.message).toContain('mostly means that the memory of the GPU is full; lower');
  });

  it.each(['CUBLAS failure 13: CUBLAS_STATUS_EXECUTION_FAILED', 'CUDNN_STATUS_NOT_SUPPORTED'])(
    'is none that is known: %s',
    (message) => expect(find(message)).toBeUndefined(),
  );
});
