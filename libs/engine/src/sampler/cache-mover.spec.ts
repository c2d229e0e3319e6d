import type { RuntimeTensor, SessionOptions } from '@espalier/runtime';
import { expect, it } from 'vitest';
import { CacheMover } from './cache-mover.js';

const tensor = (...values: number[]): RuntimeTensor => ({
  dtype: 'float32',
  shape: [values.length / 2, 2],
  values: Float32Array.from(values),
});

it('moves vectors of the cache and takes new ones, also after it could not be opened', async () => {
  const options: SessionOptions = { driver: 'openvino', provider: 'webgpu' };
  const mover = new CacheMover({ layers: 1, heads: 1, headSize: 2 }, options);
  const source: RuntimeTensor = {
    dtype: 'float32',
    shape: [2, 1, 1, 1, 2],
    values: Float32Array.of(9, 9, 8, 8),
  };
  const moves = {
    fromCache: Int32Array.of(1, 0, 0),
    fromSource: Int32Array.of(0, 0, 0),
    isNew: Uint8Array.of(0, 0, 1),
  };
  const targets = [tensor(0, 0, 0, 0, 0, 0), tensor(0, 0, 0, 0, 0, 0)];
  const move = (): Promise<void> =>
    mover.move([tensor(1, 2, 3, 4), tensor(5, 6, 7, 8)], source, moves, targets);
  await expect(move()).rejects.toMatchObject({ code: 'runtime.driver_unavailable' });
  Object.assign(options, { driver: 'onnxruntime-node', provider: 'cpu' });
  await move();
  expect(targets.map(({ values }) => [...values])).toEqual([
    [3, 4, 1, 2, 9, 9],
    [7, 8, 5, 6, 8, 8],
  ]);
  await mover.dispose();
});
