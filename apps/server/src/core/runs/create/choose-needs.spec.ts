import type { JobNeeds } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { chooseNeeds, findIdleDevices, validateNeeds } from './choose-needs.js';

const on = (provider: string): Record<string, unknown> => ({ device: { provider } });
const one = { count: 1, memoryMb: 0, labels: [] };
const cpu: JobNeeds = { ...one, kind: 'cpu' };
const gpu: JobNeeds = { ...one, kind: 'gpu' };

describe('what a run asks of a place', () => {
  it('follows from where its models are computed, unless the kind is stated', () => {
    expect([chooseNeeds(undefined, {}), chooseNeeds(undefined, on('cpu'))]).toEqual([cpu, cpu]);
    expect([chooseNeeds(undefined, on('cuda')), chooseNeeds(undefined, on('webgpu'))]).toEqual([gpu, cpu]);
    const stated = { count: 2, memoryMb: 9000, labels: ['big'] };
    expect(chooseNeeds(stated, on('cuda'))).toEqual({ ...stated, kind: 'gpu' });
    expect(chooseNeeds({ ...stated, kind: 'gpu' }, on('cpu'))).toEqual({ ...stated, kind: 'gpu' });
  });

  it('is that of its parent, but of the kind that its own models are computed on', () => {
    const two: JobNeeds = { kind: 'gpu', count: 2, memoryMb: 9000, labels: ['big'] };
    const parent = { needs: two, spec: on('cuda') };
    expect(chooseNeeds(undefined, on('cuda'), parent)).toEqual(two);
    expect(chooseNeeds(undefined, on('cpu'), parent)).toEqual({ ...cpu, labels: ['big'] });
    expect(chooseNeeds(undefined, on('cuda'), { needs: cpu, spec: on('cpu') })).toEqual(gpu);
    expect(chooseNeeds(undefined, on('cpu'), { needs: two, spec: on('cpu') })).toEqual(two);
  });

  it('is refused where no GPU can be seen and one must be', () => {
    expect(() => validateNeeds(cpu, on('cuda'))).toThrow(/needs\.kind is "cpu".*device\.provider is "cuda"/);
    expect(() => validateNeeds(gpu, on('cuda'))).not.toThrow();
    expect(() => validateNeeds(cpu, on('webgpu'))).not.toThrow();
  });

  it('is warned of where GPUs would stay idle', () => {
    const said = (needs: JobNeeds, provider: string): string[] =>
      findIdleDevices(needs, on(provider)).map(({ message }) => message);
    expect(said(gpu, 'cpu')).toEqual([
      'needs: 1 GPU is reserved, but the run trains on the CPU, as device.provider is "cpu"; set device.provider=cuda, or ask for no GPU',
    ]);
    expect(said({ ...gpu, count: 2 }, 'cuda')).toEqual([
      'needs: 2 GPUs are reserved, but a run trains on one of them; ask for one',
    ]);
    expect([said(gpu, 'cuda'), said(gpu, 'webgpu'), said({ ...cpu, count: 2 }, 'cpu')]).toEqual([[], [], []]);
  });
});
