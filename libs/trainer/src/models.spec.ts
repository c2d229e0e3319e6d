import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, type PolicyModel } from '@espalier/contracts';
import { loadAdapter } from '@espalier/model/adapters';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadFrom, samplingDevice } from './models.js';
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

describe('a checkpoint whose adapter cannot be loaded', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-models-'));
    mkdirSync(join(folder, 'policy'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const loadWith = (load: (folder: string) => void) =>
    loadFrom(folder, {
      policy: { load: async (path: string) => load(path) } as unknown as PolicyModel,
      critics: [],
    });

  it('counts as corrupt, so that the one before it is used', async () => {
    expect(await loadWith(loadAdapter)).toMatch(/there is no .*adapter_config.json/);
    writeFileSync(join(folder, 'policy', 'adapter_config.json'), '[]');
    expect(await loadWith(loadAdapter)).toMatch(/not a JSON object/);
  });

  it('is refused where it belongs to another base: those before it do, too', async () => {
    const mismatch = new AppError('model.adapter_mismatch', 'load adapter: another base');
    const load = (): void => {
      throw mismatch;
    };
    await expect(loadWith(load)).rejects.toBe(mismatch);
  });
});
