import { describe, expect, it } from 'vitest';
import { samplingDevice } from './models.js';
import { tinySpec } from './testing/tiny-run.js';

const sampled = (device: object) => {
  const { provider, driver, precision, sampling } = samplingDevice({ ...tinySpec().device, ...device });
  return [provider, driver, precision, sampling];
};

describe('what a policy samples on', () => {
  it('needs no library of what it only trains in', () => {
    expect(sampled({ precision: 'bf16' })).toEqual(['cpu', undefined, 'float32', 'float32']);
    expect(sampled({ precision: 'bf16', sampling: 'int8' })).toEqual(['cpu', undefined, 'float32', 'int8']);
    expect(sampled({ driver: 'openvino' })).toEqual(['cpu', undefined, 'float32', 'float32']);
  });

  it('is what was chosen for sampling', () => {
    expect(sampled({ precision: 'bf16', sampling: 'bf16' })).toEqual(['cpu', undefined, 'bf16', 'bf16']);
    expect(sampled({ driver: 'native' })).toEqual(['cpu', 'native', 'float32', 'float32']);
    expect(sampled({ provider: 'cuda', precision: 'tf32' })).toEqual([
      'cuda',
      undefined,
      'float32',
      'float32',
    ]);
  });
});
