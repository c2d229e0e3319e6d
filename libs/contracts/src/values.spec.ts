import { availableParallelism, totalmem } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { freeMachineBytes, machineBytes, requestedThreads, usableThreads } from './values.js';

describe('requestedThreads', () => {
  it.each([
    ['1', 1],
    [' 4 ', 4],
    ['8,2', 8],
    ['1000', 256],
    ['', undefined],
    ['0', undefined],
    ['-2', undefined],
    ['many', undefined],
    ['2.5', undefined],
    [undefined, undefined],
  ])('of %j are %j', (value, expected) => {
    expect(requestedThreads({ OMP_NUM_THREADS: value })).toBe(expected);
  });
});

describe('usableThreads', () => {
  afterEach(() => void vi.unstubAllEnvs());

  it('are as many as asked for, or as the system lets this process run on', () => {
    vi.stubEnv('OMP_NUM_THREADS', '3');
    expect(usableThreads()).toBe(3);
    vi.stubEnv('OMP_NUM_THREADS', '');
    expect(usableThreads()).toBe(availableParallelism());
  });
});

describe('machineBytes', () => {
  afterEach(() => void vi.restoreAllMocks());

  it.each([
    ['a container with a limit', 2 ** 31, 2 ** 31],
    ['no limit, which version 1 of control groups gives as a huge number', 2 ** 64, totalmem()],
    ['an unknown limit', 0, totalmem()],
  ])('in %s are those that may be used', (_where, limit, expected) => {
    vi.spyOn(process, 'constrainedMemory').mockReturnValue(limit);
    vi.spyOn(process, 'availableMemory').mockReturnValue(2 ** 60);
    expect(machineBytes()).toBe(expected);
    expect(freeMachineBytes()).toBe(expected);
  });
});
