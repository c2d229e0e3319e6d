/** @file Adds up what came of the inputs of a target: outcomes, the slowest, processor time and memory that is kept. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createWatchdog } from './watchdog.js';

/** Limit of memory growth between the first and the last tenth of the inputs, after garbage collection. */
export const maxGrowthBytes = 8 * 2 ** 20;
/** Processor time after which an input that goes on ends the program, in milliseconds. */
export const endlessMs = 10_000;

export interface FuzzFailure {
  readonly index: number;
  /** what is saved */
  readonly input: Uint8Array;
  readonly finding: string;
  /** the inputs that repeat it; only this one if absent */
  readonly again?: { readonly from: number; readonly inputs: number };
}

export interface FuzzRun {
  readonly seed: number;
  /** first input */
  readonly from: number;
  readonly inputs: number;
  /** called with each input that breaks a rule */
  readonly onFailure?: (failure: FuzzFailure) => void;
  readonly onProgress?: (done: number) => void;
  /** processor time after which an input that goes on ends the program, in milliseconds; default {@link endlessMs} */
  readonly limitMs?: number;
}

export interface FuzzReport {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  /** inputs that were read, or actions that were valid */
  readonly accepted: number;
  /** inputs that were refused with an AppError, or actions that were not valid */
  readonly refused: number;
  readonly failures: number;
  /** processor time of the slowest input */
  readonly slowestMs: number;
  readonly slowestIndex: number;
  /** heap and external memory after collection, last tenth minus first */
  readonly growthBytes: number;
  readonly seconds: number;
  /** processor time of all inputs, their making included */
  readonly cpuSeconds: number;
}

/** Whether a report has neither failures nor memory growth. */
export function isClean({ failures, growthBytes }: FuzzReport): boolean {
  return failures === 0 && growthBytes <= maxGrowthBytes;
}

/** Processor time of this process since `begin`, in milliseconds: a busy machine does not look like a hang. */
export function cpuMsSince(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

export interface Tally {
  /** Watches the input that starts now. */
  begin(index: number): void;
  /** Ends the watch. */
  end(): void;
  count(index: number, outcome: 'accepted' | 'refused' | 'neither', ms: number): void;
  fail(failure: FuzzFailure): void;
  close(): Promise<FuzzReport>;
}

/** Starts to count the inputs of a run. */
export function createTally(target: string, run: FuzzRun): Tally {
  const { seed, from, inputs, onFailure, onProgress } = run;
  const watchdog = createWatchdog(target, seed, run.limitMs ?? endlessMs);
  const count = { accepted: 0, refused: 0, neither: 0 };
  const slowest = { ms: 0, index: from };
  const early = from + Math.ceil(inputs / 10);
  let failures = 0;
  let done = 0;
  let before: number | undefined;
  const begin = performance.now();
  const cpuBegin = process.cpuUsage();
  return {
    begin: (index) => watchdog.begin(index),
    end: () => watchdog.begin(-1),
    count: (index, outcome, ms) => {
      count[outcome] += 1;
      if (ms > slowest.ms) Object.assign(slowest, { ms, index });
      done += 1;
      if (before === undefined && index >= early) before = measureMemory();
      if (done % 1000 === 0) onProgress?.(done);
    },
    fail: (failure) => {
      failures += 1;
      onFailure?.(failure);
    },
    close: async () => {
      const last = measureMemory();
      const cpuMs = cpuMsSince(cpuBegin);
      await watchdog.close();
      return {
        target,
        seed,
        inputs: done,
        accepted: count.accepted,
        refused: count.refused,
        failures,
        slowestMs: Number(slowest.ms.toFixed(1)),
        slowestIndex: slowest.index,
        growthBytes: Math.max(0, last - (before ?? last)),
        seconds: Number(((performance.now() - begin) / 1000).toFixed(1)),
        cpuSeconds: Number((cpuMs / 1000).toFixed(1)),
      };
    },
  };
}

/** Bytes in use after collecting garbage, twice: the first time leaves the buffers of what it finds dead in the count. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
