import { describe, expect, it } from 'vitest';
import { cpuSlots, gpus } from '../../../../../../test/support/simulated-worker.js';
import { chooseReservedSlot, type WorkerCapacity, withoutReserved } from './choose-reserved-slot.js';

const needs = { kind: 'gpu' as const, count: 4, memoryMb: 0, labels: [] as string[] };
const worker = (id: string, count: number, free: number, labels: string[] = []): WorkerCapacity => ({
  id,
  labels,
  devices: gpus(count),
  free: gpus(free),
});
const choose = (workers: WorkerCapacity[], previous: string | null = null): string | undefined =>
  chooseReservedSlot(needs, workers, [], previous)?.workerId;

describe('where devices are kept', () => {
  it('is where the fewest have to become free', () => {
    expect(choose([worker('a', 8, 1), worker('b', 4, 3), worker('c', 8, 2)])).toBe('b');
  });

  it('stays where it was while nowhere else fewer are missing, so that it comes closer with each that ends', () => {
    const workers = [worker('a', 4, 2), worker('b', 8, 2)];
    expect(choose(workers)).toBe('a');
    expect(choose(workers, 'b')).toBe('b');
    expect(choose([worker('a', 4, 3), worker('b', 8, 2)], 'b')).toBe('a');
  });

  it('is only where the job could be placed at all', () => {
    expect(choose([worker('a', 3, 3)])).toBeUndefined();
    expect(chooseReservedSlot({ ...needs, labels: ['x'] }, [worker('a', 4, 0)], [], null)).toBeNull();
    expect(
      chooseReservedSlot(
        { ...needs, labels: ['x'] },
        [worker('a', 4, 0), worker('b', 4, 0, ['x'])],
        [],
        null,
      ),
    ).toMatchObject({ workerId: 'b' });
    const slots = { id: 's', labels: [], devices: cpuSlots(8), free: [] };
    expect(choose([slots])).toBeUndefined();
  });

  it('counts a busy device by all its memory, a free one by what is free of it', () => {
    const [first, ...others] = gpus(4).map((gpu) => ({ ...gpu, freeMemoryMb: 100 }));
    if (first === undefined) throw new Error('four GPUs expected');
    const large = { ...needs, memoryMb: 40_000 };
    const busy: WorkerCapacity = { id: 'a', labels: [], devices: [first, ...others], free: [] };
    expect(chooseReservedSlot(large, [busy], [], null)).toMatchObject({ workerId: 'a' });
    expect(chooseReservedSlot(large, [{ ...busy, free: [first] }], [], null)).toBeNull();
  });

  it('is one job’s turn after the other for the same devices, and nobody’s turn elsewhere', () => {
    const workers = [worker('a', 4, 1), worker('b', 4, 0), worker('c', 4, 0, ['x'])];
    const first = chooseReservedSlot(needs, workers, [], null);
    if (first === null) throw new Error('a place expected');
    expect(first.workerId).toBe('a');
    expect(chooseReservedSlot({ ...needs, count: 2 }, workers, [first], null)).toBeNull();
    expect(chooseReservedSlot({ ...needs, labels: ['x'] }, workers, [first], null)).toMatchObject({
      workerId: 'c',
    });
  });
});

describe('what is open to others', () => {
  it('is everything but the suitable devices of that one worker', () => {
    const mixed = { id: 'a', labels: [], free: [...gpus(2), ...cpuSlots(1)] };
    const other = { id: 'b', labels: [], free: gpus(1) };
    const kept = [{ workerId: 'a', needs }];
    expect(withoutReserved([mixed, other], kept).map(({ id, free }) => [id, free.length])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(withoutReserved([{ ...mixed, free: gpus(2) }], kept)).toEqual([]);
    const small = { ...mixed, free: gpus(2, 1000) };
    expect(withoutReserved([small], [{ workerId: 'a', needs: { ...needs, memoryMb: 40_000 } }])).toEqual([
      small,
    ]);
  });
});
