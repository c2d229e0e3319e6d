import { describe, expect, it } from 'vitest';
import { describeDevices, describeSteps, sentence } from './run-show.command.js';

describe('the steps of an attempt', () => {
  it('are those that it did, and none of before it', () => {
    expect(describeSteps(22, 25)).toBe(', from step 22 to 25');
    expect([describeSteps(22, -1), describeSteps(22, 22)]).toEqual([
      ', no step done after 22',
      ', no step done after 22',
    ]);
    expect([describeSteps(0, -1), describeSteps(null, -1)]).toEqual([', no step done', '']);
  });
});

describe('the devices of an attempt', () => {
  it('are told by their names, and by their ids where those are not known', () => {
    const shared = { id: 'GPU-1', name: 'NVIDIA H200', memoryMb: 143_771 };
    const gpu = { ...shared, kind: 'gpu' as const, threads: 0 };
    const cpu = {
      ...shared,
      id: 'cpu-0',
      kind: 'cpu' as const,
      name: 'EPYC, slot 1 of 1',
      threads: 2,
      memoryMb: 2048,
    };
    expect(describeDevices({ devices: ['GPU-1'], hardware: [gpu] })).toBe(' on NVIDIA H200 (140.4 GiB)');
    expect(describeDevices({ devices: ['cpu-0'], hardware: [cpu] })).toBe(
      ' on EPYC, slot 1 of 1 (2.0 GiB, 2 threads)',
    );
    expect(describeDevices({ devices: ['GPU-1', 'b'], hardware: null })).toBe(' on GPU-1 and b');
    expect(describeDevices({ devices: [], hardware: null })).toBe('');
  });
});

describe('a message on one line', () => {
  it('shows the error of a failure, and how what was printed ends', () => {
    const notes = 'update.criticWarmup changes nothing here: grpo has no critic\n'.repeat(20);
    const error = 'error runtime.provider_unavailable: create session on "cuda": no such device';
    const shown = sentence(`failure 3 of 3: ${error}\nended with exit code 3\n${notes}hint  see --help`);
    expect(shown.startsWith(`failure 3 of 3: ${error} … `)).toBe(true);
    expect(shown).toMatch(/hint {2}see --help$/);
    expect(shown.length).toBeLessThanOrEqual(300);
    expect(shown).not.toContain('\n');
  });
});
