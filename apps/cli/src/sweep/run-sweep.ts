/** @file Trains the runs of a sweep on this machine, a process each; what is finished is not repeated. */
import { fileURLToPath } from 'node:url';
import { createProgress, type JobCounts, outcomeOf, runJobs, stateOf } from '@espalier/sweep';
import type { RunPlan } from './plan-sweep.js';
import type { SweepLedger, SweepRun, SweepRunState } from './sweep-runs.js';

export interface LocalSweepOptions {
  readonly ledger: SweepLedger;
  readonly plans: readonly RunPlan[];
  readonly concurrency: number;
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

const cli = fileURLToPath(new URL('../main.js', import.meta.url));

/** Trains what is left. A run that fails, collapses or has nothing to learn from is recorded, and the rest go on. */
export async function runLocalSweep(
  runs: readonly SweepRun[],
  options: LocalSweepOptions,
): Promise<JobCounts> {
  const { ledger, plans, concurrency, threads, signal, say } = options;
  for (const run of runs) if (stateOf(run) === 'finished') ledger.set(run, { state: endedState(run) });
  const expected = new Map(plans.map(({ run, steps, seconds }) => [run.name, { steps, seconds }]));
  const progress = createProgress({
    write: say,
    parallel: concurrency,
    secondsLeft: (run) => expected.get((run as SweepRun).name)?.seconds ?? Number.NaN,
    now: Date.now,
  });
  return runJobs(runs, {
    cli,
    parallel: concurrency,
    threads,
    signal,
    progress,
    onStart: (run) => ledger.set(run, { state: 'running' }),
    onEnd: (run, end, { lastLine }) =>
      ledger.set(run, end === 'finished' ? { state: endedState(run) } : { state: end, message: lastLine }),
  });
}

/** How a run that has ended has ended. */
export function endedState({ folder }: SweepRun): SweepRunState {
  const outcome = outcomeOf(folder);
  return outcome === 'collapsed' || outcome === 'no-signal' ? outcome : 'finished';
}
