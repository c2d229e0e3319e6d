import { describe, expect, it } from 'vitest';
import { cpuSlots, gpus } from '../../../../../../test/support/simulated-worker.js';
import { chooseSlot } from './choose-slot.js';

const needs = { kind: 'gpu' as const, count: 1, memoryMb: 0, labels: [] as string[] };
const worker = (id: string, free = gpus(1), labels: string[] = []) => ({ id, labels, free });

describe('the choice of a place for a job that keeps plugins', () => {
  const coin = (sha256: string) => ({ kind: 'environment' as const, id: 'coin', version: '1.0.0', sha256 });
  const having = (id: string, plugins: ReturnType<typeof coin>[], count = 1) => ({
    ...worker(id, gpus(count)),
    plugins,
  });

  it('is a worker that has them, never one with others or none', () => {
    const workers = [having('other', [coin('b')]), having('bare', []), having('same', [coin('a')], 8)];
    expect(chooseSlot(needs, workers, 'other', [coin('a')])?.workerId).toBe('same');
    expect(chooseSlot(needs, workers.slice(0, 2), 'other', [coin('a')])).toBeNull();
    expect(chooseSlot(needs, workers, 'other', [])?.workerId).toBe('other');
  });
});

describe('the choice of a place', () => {
  it('is the worker with the fewest devices left', () => {
    const workers = [worker('large', gpus(8)), worker('small', gpus(2)), worker('middle', gpus(4))];
    expect(chooseSlot(needs, workers, null)?.workerId).toBe('small');
    expect(chooseSlot({ ...needs, count: 3 }, workers, null)?.workerId).toBe('middle');
  });

  it('is the worker that may have the folder already, if the job fits there', () => {
    const workers = [worker('large', gpus(8)), worker('small', gpus(2))];
    expect(chooseSlot(needs, workers, 'large')?.workerId).toBe('large');
    expect(chooseSlot({ ...needs, count: 4 }, workers, 'small')?.workerId).toBe('large');
  });

  it('takes the devices with the least memory that suffices', () => {
    const free = [...gpus(2, 80_000), ...gpus(2, 40_000).map((gpu) => ({ ...gpu, id: `s${gpu.index}` }))];
    const place = chooseSlot({ ...needs, memoryMb: 30_000 }, [worker('a', free)], null);
    expect(place?.devices.map(({ id }) => id)).toEqual(['s0']);
    expect(chooseSlot({ ...needs, memoryMb: 90_000 }, [worker('a', free)], null)).toBeNull();
  });

  it('needs all labels, the kind, and all devices on one worker', () => {
    const workers = [worker('a', gpus(1), ['x']), worker('b', gpus(1), ['x', 'y'])];
    expect(chooseSlot({ ...needs, labels: ['y', 'x'] }, workers, null)?.workerId).toBe('b');
    expect(chooseSlot({ ...needs, labels: ['z'] }, workers, null)).toBeNull();
    expect(chooseSlot({ ...needs, count: 2 }, workers, null)).toBeNull();
    expect(chooseSlot({ ...needs, kind: 'cpu' }, workers, null)).toBeNull();
    expect(chooseSlot({ ...needs, kind: 'cpu' }, [worker('c', cpuSlots(1))], null)?.workerId).toBe('c');
  });

  it('looks at the share of a CPU slot, not at what is free at the moment', () => {
    const free = cpuSlots(1).map((slot) => ({ ...slot, freeMemoryMb: 100 }));
    expect(chooseSlot({ ...needs, kind: 'cpu', memoryMb: 4000 }, [worker('a', free)], null)).not.toBeNull();
  });
});
