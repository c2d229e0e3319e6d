/** @file Runs as a table: pure, for people. */
import type { Run, RunDetails } from '@espalier/client';
import { clean, type Console } from '../console.js';
import { formatDuration } from '../view/eta.js';
import { cut, percent } from '../view/numbers.js';
import { alignColumns } from '../view/align-columns.js';

type Colors = Console['colors'];

/** Steps that the present attempt must have done before the rest is estimated. */
const settledSteps = 3;

/** The part of an attempt that its pace is read from. */
export type Paced = Pick<RunDetails['attempts'][number], 'state' | 'jobId' | 'startedAt' | 'startStep'>;

const heads = ['RUN', 'NAME', 'STATE', 'STEP', 'SUCCESS', 'AGE', 'LEFT'] as const;

/**
 * Lays out runs, a line each below a head.
 *
 * @param now     ms since the epoch
 * @param present the attempt that trains now, by run; without one no remaining time is shown
 */
export function runTable(
  runs: readonly Run[],
  now: number,
  colors: Colors,
  present: ReadonlyMap<string, Paced | undefined> = new Map(),
): string[] {
  const rows = runs.map((run) => [
    run.id,
    cut(clean(displayName(run)), 28),
    run.state,
    `${run.step ?? 0}/${run.steps}`,
    percent(successOf(run)),
    formatDuration(now - Date.parse(run.createdAt)),
    timeLeft(run, present.get(run.id), now),
  ]);
  const [head = '', ...lines] = alignColumns([heads, ...rows]);
  return [colors.dim(head), ...lines.map((line, index) => paint(line, runs[index]?.state, colors))];
}

/** What people call a run. */
export const displayName = ({ name, title }: Pick<Run, 'name' | 'title'>): string => title || name;

/** Newest success: of validation where there is one, else of training. */
export function successOf({ latest }: Pick<Run, 'latest'>): number | undefined {
  return latest['validation/success_rate'] ?? latest['rollout/success_rate'] ?? undefined;
}

/** Finds the attempt whose process trains a run now. */
export function presentAttempt({ jobs, attempts }: Pick<RunDetails, 'jobs' | 'attempts'>): Paced | undefined {
  const training = jobs.filter(({ kind }) => kind === 'train').map(({ id }) => id);
  return attempts.findLast(({ state, jobId }) => state === 'running' && training.includes(jobId));
}

/**
 * About how long a running run still takes, from the pace of its present attempt: pauses, and what earlier attempts
 * lost, say nothing about the rest. Empty when the pace is not known yet.
 */
export function timeLeft({ state, step, steps }: Run, present: Paced | undefined, now: number): string {
  if (state !== 'running' || step === null || steps <= step) return '';
  if (typeof present?.startedAt !== 'string' || present.startStep === null) return '';
  const done = step - present.startStep;
  if (done < settledSteps) return '';
  return `~${formatDuration(((now - Date.parse(present.startedAt)) / done) * (steps - step))}`;
}

function paint(line: string, state: string | undefined, colors: Colors): string {
  if (state === 'failed') return colors.red(line);
  if (state === 'running') return colors.green(line);
  return line;
}
