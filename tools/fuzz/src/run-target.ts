/**
 * @file Runs one target over many inputs and judges each: no exception but AppError, no more than 250 ms of processor
 * time, and no memory that grows from the first tenth to the last.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isAppError } from '@espalier/contracts';
import type { FuzzTarget } from './fuzz-target.js';
import { createInput } from './mutate.js';
import { createWatchdog } from './watchdog.js';

/** Limit of CPU time per input, in milliseconds. */
export const maxInputMs = 250;
/** Limit of memory growth between the first and the last tenth of the inputs, after garbage collection. */
export const maxGrowthBytes = 8 * 2 ** 20;

export interface FuzzRequest {
  readonly target: FuzzTarget;
  readonly seed: number;
  /** first input */
  readonly from: number;
  readonly inputs: number;
  /** called with each input that breaks a rule */
  readonly onFailure?: (failure: FuzzFailure) => void;
  readonly onProgress?: (done: number) => void;
}

export interface FuzzFailure {
  readonly index: number;
  readonly input: Uint8Array;
  readonly finding: string;
}

export interface FuzzReport {
  readonly target: string;
  readonly seed: number;
  readonly inputs: number;
  /** inputs that were read */
  readonly accepted: number;
  /** inputs that were refused with an AppError */
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

/** Runs the inputs `from … from + inputs - 1`. */
export async function runTarget(request: FuzzRequest): Promise<FuzzReport> {
  const { target, seed, from, inputs, onFailure, onProgress } = request;
  const watchdog = createWatchdog(target.name, seed, 40 * maxInputMs);
  const count = { accepted: 0, refused: 0, failures: 0 };
  const slowest = { ms: 0, index: from };
  const early = from + Math.ceil(inputs / 10);
  const late = from + inputs;
  let before = 0;
  const begin = performance.now();
  const cpuBegin = process.cpuUsage();
  for (let index = from; index < late; index++) {
    if (index === early) before = measureMemory();
    const input = createInput(target, seed, index);
    watchdog.begin(index);
    const { outcome, ms } = judge(target, input);
    watchdog.begin(-1);
    if (ms > slowest.ms) Object.assign(slowest, { ms, index });
    const isSlow = ms > maxInputMs;
    const finding = isSlow ? `took ${ms.toFixed(0)} ms; at most ${maxInputMs} are allowed` : outcome.finding;
    if (outcome.finding === undefined) count[outcome.kind] += 1;
    if (finding !== undefined) {
      count.failures += 1;
      onFailure?.({ index, input, finding });
    }
    if ((index - from) % 1000 === 999) onProgress?.(index - from + 1);
  }
  const growthBytes = Math.max(0, measureMemory() - before);
  const { user, system } = process.cpuUsage(cpuBegin);
  await watchdog.close();
  return {
    cpuSeconds: Number(((user + system) / 1e6).toFixed(1)),
    target: target.name,
    seed,
    inputs,
    ...count,
    growthBytes,
    slowestMs: Number(slowest.ms.toFixed(1)),
    slowestIndex: slowest.index,
    seconds: Number(((performance.now() - begin) / 1000).toFixed(1)),
  };
}

interface Judgement {
  readonly outcome: { readonly kind: 'accepted' | 'refused'; readonly finding?: string };
  readonly ms: number;
}

/** Measures CPU time, so that a busy machine does not look like a hang. */
function judge(target: FuzzTarget, input: Uint8Array): Judgement {
  const begin = process.cpuUsage();
  let outcome: Judgement['outcome'] = { kind: 'accepted' };
  try {
    target.read(input);
  } catch (error) {
    outcome = isAppError(error)
      ? { kind: 'refused' }
      : { kind: 'refused', finding: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  const { user, system } = process.cpuUsage(begin);
  return { outcome, ms: (user + system) / 1000 };
}

/** Bytes in use after collecting garbage twice. */
function measureMemory(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
