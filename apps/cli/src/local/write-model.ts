/** @file Commands that write a model: progress, interruption, and the line that says what was written. */
import { resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import { createInterrupt } from '../interrupt.js';
import { formatDuration } from '../view/eta.js';
import { formatBytes } from '../view/numbers.js';
import { requireUsable } from './run-folder.js';

/** Number formats of the weights of a folder. */
export const modelDtypes = ['float32', 'float16', 'bfloat16'] as const;
export type ModelDtype = (typeof modelDtypes)[number];

interface WriteCalls {
  readonly signal: AbortSignal;
  readonly onProgress: (bytes: number, ofBytes: number) => void;
}

const reportMs = 2000;

/**
 * How much is written and how long the rest takes at the same rate.
 *
 * @param ms since the first byte
 */
export function describeWritten(bytes: number, ofBytes: number, ms: number): string {
  const left = formatDuration((ms * (ofBytes - bytes)) / Math.max(1, bytes));
  return `${formatBytes(bytes)} of ${formatBytes(ofBytes)}, ${left} left`;
}

/** Writes a model with progress on standard error; Ctrl-C stops it and leaves nothing behind. */
export async function writeModel(
  what: string,
  from: string,
  out: string,
  asJson: boolean,
  console: Console,
  work: (calls: WriteCalls) => Promise<void>,
): Promise<void> {
  requireUsable(resolve(out, '..'));
  const interrupt = createInterrupt(console, () => console.note('stopping …'));
  const begin = performance.now();
  let next = begin + reportMs;
  let total = 0;
  try {
    await work({
      signal: interrupt.signal,
      onProgress(bytes, ofBytes) {
        total = ofBytes;
        if (performance.now() < next) return;
        next = performance.now() + reportMs;
        console.note(`${what} ${from}: ${describeWritten(bytes, ofBytes, performance.now() - begin)}`);
      },
    });
  } catch (cause) {
    if (!interrupt.signal.aborted) throw cause;
    throw new AppError('cli.interrupted', `${what} ${from}: interrupted; nothing was written, run it again`, {
      cause,
    });
  } finally {
    interrupt.dispose();
  }
  console.line(
    asJson ? JSON.stringify({ model: out, from, bytes: total }) : `model ${out}  ${formatBytes(total)}`,
  );
}
