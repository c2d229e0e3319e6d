/**
 * @file Runs one target over many inputs and judges each: no exception but AppError, no more than 250 ms of processor
 * time, and no memory that grows from the first tenth to the last.
 */
import { isAppError } from '@espalier/contracts';
import type { FuzzTarget } from './fuzz-target.js';
import { createInput } from './mutate.js';
import { cpuMsSince, createTally, type FuzzReport, type FuzzRun } from './tally.js';

/** Limit of CPU time per input, in milliseconds. */
export const maxInputMs = 250;

/** Runs the inputs `from … from + inputs - 1`. */
export async function runTarget(target: FuzzTarget, run: FuzzRun): Promise<FuzzReport> {
  const { seed, from, inputs } = run;
  const tally = createTally(target.name, run);
  for (let index = from; index < from + inputs; index++) {
    const input = createInput(target, seed, index);
    tally.begin(index);
    const { outcome, ms } = judge(target, input);
    tally.end();
    const isSlow = ms > maxInputMs;
    const finding = isSlow ? `took ${ms.toFixed(0)} ms; at most ${maxInputMs} are allowed` : outcome.finding;
    tally.count(index, outcome.finding === undefined ? outcome.kind : 'neither', ms);
    if (finding !== undefined) tally.fail({ index, input, finding });
  }
  return tally.close();
}

interface Judgement {
  readonly outcome: { readonly kind: 'accepted' | 'refused'; readonly finding?: string };
  readonly ms: number;
}

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
  return { outcome, ms: cpuMsSince(begin) };
}
