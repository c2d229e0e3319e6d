/** @file The report of `train` when a run has ended, and its exit code. */
import type { EventSink, RunEvent } from '@espalier/contracts';
import type { RunSummary } from '@espalier/trainer';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { percentWithInterval } from '../view/numbers.js';
import { showPath } from '../view/show-path.js';

type Validation = Extract<RunEvent, { kind: 'metrics' }>;

/** Remembers validations for the report at the end. */
export function createValidationMemory(): EventSink & { readonly values: readonly Validation[] } {
  const values: Validation[] = [];
  return {
    values,
    emit(event) {
      if (event.kind === 'metrics' && 'validation/success_rate' in event.values) values.push(event);
    },
    flush: () => Promise.resolve(),
  };
}

/** Gives the exit code of a run that ended without an error. */
export function exitCodeOfRun({ outcome }: Pick<RunSummary, 'outcome'>): number {
  const codes = {
    finished: exitCodes.ok,
    'no-signal': exitCodes.failed,
    interrupted: exitCodes.temporary,
  };
  return codes[outcome];
}

export interface RunReport {
  readonly folder: string;
  /** the command that resumes the run */
  readonly resume: string;
  readonly validations: readonly Validation[];
}

/** Prints the gain, where the model is, and, when the run ended early, why and what to do. */
export function reportRun(
  { outcome, message, step, checkpoint }: RunSummary,
  { folder, resume, validations }: RunReport,
  console: Console,
): void {
  const gain = describeGain(validations);
  if (gain !== undefined) console.line(gain);
  console.line(`run ${showPath(folder)}, model ${showPath(checkpoint)}`);
  if (outcome === 'no-signal') console.line(`ended early: ${message}`);
  if (outcome === 'interrupted') console.line(`interrupted at step ${step}; resume with: ${resume}`);
}

/** Success of the first and the last validation; undefined with fewer than two. */
export function describeGain(validations: readonly Validation[]): string | undefined {
  const [first] = validations;
  const last = validations.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  return `success on fixed states: ${describe(first)} → ${describe(last)}`;
}

function describe({ values, step }: Validation): string {
  const number = (name: string): number => values[`validation/${name}`] ?? Number.NaN;
  return `${percentWithInterval(number('success_rate'), number('success_low'), number('success_high'))} at step ${step}`;
}
