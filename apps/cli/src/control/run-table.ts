/** @file Runs as a table: pure, for people. */
import type { Run } from '@espalier/client';
import type { Console } from '../console.js';
import { formatDuration } from '../view/eta.js';
import { cut, percent } from '../view/numbers.js';

type Colors = Console['colors'];

/** Steps that a run must have done before the rest is estimated. */
const settledSteps = 3;

const heads = ['RUN', 'NAME', 'STATE', 'STEP', 'SUCCESS', 'AGE', 'LEFT'] as const;

/** Lays out runs, a line each below a head. @param now ms since the epoch */
export function runTable(runs: readonly Run[], now: number, colors: Colors): string[] {
  const rows = runs.map((run) => [
    run.id,
    cut(clean(run.name), 28),
    run.state,
    `${Math.max(0, run.step)}/${run.steps}`,
    percent(successOf(run)),
    formatDuration(now - Date.parse(run.createdAt)),
    timeLeft(run, now),
  ]);
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [colors.dim(line(heads)), ...rows.map((row, index) => paint(line(row), runs[index]?.state, colors))];
}

/** Newest success: of validation where there is one, else of training. */
export function successOf({ latest }: Pick<Run, 'latest'>): number | undefined {
  return latest['validation/success_rate'] ?? latest['rollout/success_rate'] ?? undefined;
}

/** About how long a running run still takes, from its pace so far; empty when that says nothing. */
export function timeLeft({ state, step, steps, startedAt }: Run, now: number): string {
  if (state !== 'running' || startedAt === null || step < settledSteps || steps <= step) return '';
  return `~${formatDuration(((now - Date.parse(startedAt)) / step) * (steps - step))}`;
}

function paint(line: string, state: string | undefined, colors: Colors): string {
  if (state === 'failed' || state === 'quarantined') return colors.red(line);
  if (state === 'running') return colors.green(line);
  return line;
}

/** Names come from people and must not steer a terminal. */
export const clean = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ');
