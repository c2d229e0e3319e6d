import { continuedWarmStartSchema } from '@espalier/contracts';
import { describe, expect, it } from 'vitest';
import type { OpenedModel } from '../local/open-model.js';
import { loadRegistry } from '../workspace.js';
import { listDemonstrationRuns, listOpened } from './estimate-warm-start.js';

describe('listOpened', () => {
  it('opens a graph once where it is kept, and again where others took its place', () => {
    const layouts = ['a', 'b', 'a', 'b', 'c', 'a'];
    expect(listOpened(layouts, 16)).toEqual([0, 1, 4]);
    expect(listOpened(layouts, 2)).toEqual([0, 1, 4, 5]);
    expect(listOpened(layouts, 1)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(listOpened(['a', 'a'], 1)).toEqual([0]);
  });
});

describe('listDemonstrationRuns', () => {
  it('computes as the warm start does, on its device', async () => {
    const device = { provider: 'cuda', driver: 'native', precision: 'tf32', threads: 3 };
    const spec = continuedWarmStartSchema.parse({
      model: { path: './there' },
      demonstrations: [{ environment: { use: 'bandit' }, noise: 1 }],
      device,
    });
    const model = {
      choice: { path: './there' },
      limits: { contextLength: 1024, vocabularySize: 512 },
    } as OpenedModel;
    const registry = await loadRegistry({ note: () => undefined });
    const [run] = listDemonstrationRuns(spec, model, { registry, gpuBytes: undefined });
    expect(run?.spec.device).toMatchObject(device);
    expect(run?.spec.model).toEqual({ path: './there' });
  });
});
