/** @file The report of `train` when a run has ended, and its exit code. */
import type { EventSink, RunEvent, RunSpec } from '@espalier/contracts';
import { listValidated } from '@espalier/contracts/mixing';
import type { RunSummary } from '@espalier/trainer';
import { specFile } from '@espalier/trainer/run-folder';
import type { Console } from '../console.js';
import { exitCodes } from '../exit-codes.js';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { costLine, readLedger } from './ledger.js';
import { healthLines, readHealth } from './run-health.js';
import { asTyped } from '../typed-commands.js';
import { percentWithInterval } from '../view/numbers.js';
import { standLines } from '../view/level-lines.js';
import { roleOf } from '../view/tag-table.js';
import { showPath } from '../view/show-path.js';

type Validation = Extract<RunEvent, { kind: 'metrics' }>;

/** Remembers validations and the last iteration for the report at the end. */
export function createValidationMemory(): EventSink & {
  readonly values: readonly Validation[];
  /** the metrics of the newest iteration */
  latest(): Validation['values'];
} {
  const values: Validation[] = [];
  let latest: Validation['values'] = {};
  return {
    values,
    latest: () => latest,
    emit(event) {
      if (event.kind !== 'metrics') return;
      if ('validation/success_rate' in event.values) values.push(event);
      else latest = event.values;
    },
    flush: () => Promise.resolve(),
  };
}

/** Gives the exit code of a run that ended without an error. */
export function exitCodeOfRun({ outcome }: Pick<RunSummary, 'outcome'>): number {
  const codes = {
    finished: exitCodes.ok,
    'no-signal': exitCodes.failed,
    collapsed: exitCodes.failed,
    paused: exitCodes.temporary,
    interrupted: exitCodes.temporary,
  };
  return codes[outcome];
}

export interface RunReport {
  readonly folder: string;
  readonly spec: RunSpec;
  /** the command that resumes the run */
  readonly resume: string;
  readonly validations: readonly Validation[];
  /** metrics of the last iteration */
  readonly latest: Validation['values'];
}

/** Prints the gain, where the model is, and, when the run ended early, why and what to do. */
export function reportRun(
  { outcome, message, step, checkpoint, healthyStep }: RunSummary,
  { folder, spec, resume, validations, latest }: RunReport,
  console: Console,
): void {
  const gain = describeGain(validations);
  if (gain !== undefined) console.line(gain);
  for (const line of generalizationLines(spec, validations)) console.line(line);
  for (const line of standLines(spec, latest)) console.line(line);
  const health = readHealth(folder);
  // a run that never had anything to learn from is not healthy, whatever the monitor saw; its message says what it is
  if (outcome !== 'no-signal' || health?.state !== 'healthy')
    for (const line of healthLines(folder, health)) console.line(line);
  if (health?.state === 'collapsed') console.line(retryLine(folder, spec, healthyStep));
  const cost = costLine(readLedger(folder));
  if (cost !== undefined) console.line(cost);
  console.line(`run ${showPath(folder)}, model ${showPath(checkpoint)}`);
  if (outcome === 'no-signal' || outcome === 'collapsed' || outcome === 'paused')
    console.line(`ended early: ${asTyped(message)}`);
  if (outcome === 'paused') console.line(`resume with: ${resume}`);
  if (outcome === 'interrupted') console.line(`interrupted at step ${step}; resume with: ${resume}`);
}

/** The whole command that goes on after a collapse. */
function retryLine(folder: string, { optimizer }: RunSpec, healthyStep: number | undefined): string {
  const rate = Number((optimizer.learningRate / 10).toPrecision(3));
  const [where, begin] =
    healthyStep === undefined
      ? ['anew', [specFile(showPath(folder))]]
      : ['from its last healthy checkpoint', ['--fork', `${showPath(folder)}@${healthyStep}`]];
  const words = ['train', ...begin, '--set', `optimizer.learningRate=${rate}`];
  return `  ${where}, with other settings, such as: ${[calledAs(), ...words.map(quoteWord)].join(' ')}`;
}

/** Success of the first and the last validation; undefined with fewer than two. */
export function describeGain(validations: readonly Validation[]): string | undefined {
  const [first] = validations;
  const last = validations.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  return `success on fixed states: ${describe(first)} → ${describe(last)}`;
}

/**
 * The generalization table: success in each environment of a run in several, first and last measured, trained ones
 * first. A tag that was never measured says so.
 */
export function generalizationLines(spec: RunSpec, validations: readonly Validation[]): string[] {
  if (validations.length === 0) return [];
  const tagged = listValidated(spec).filter(({ tag }) => tag !== undefined);
  const width = Math.max(0, ...tagged.map(({ tag = '' }) => tag.length));
  return tagged.map(({ tag = '', trained, level }) => {
    const prefix = `tag/${tag}/validation`;
    const measured = validations.filter(({ values }) => `${prefix}/success_rate` in values);
    const [first] = measured;
    const last = measured.at(-1);
    const role = roleOf({ trained, ...(level === undefined ? {} : { level }) });
    const head = `  ${tag.padEnd(width)}  ${role.slice(0, -2)}`;
    if (first === undefined || last === undefined) return `${head}  never measured`;
    if (first === last) return `${head}  ${describe(first, prefix)}`;
    return `${head}  ${describe(first, prefix)} → ${describe(last, prefix)}`;
  });
}

function describe({ values, step }: Validation, prefix = 'validation'): string {
  const number = (name: string): number => values[`${prefix}/${name}`] ?? Number.NaN;
  return `${percentWithInterval(number('success_rate'), number('success_low'), number('success_high'))} at step ${step}`;
}
