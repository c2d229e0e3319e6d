/** @file Runs the matrix: selects entries, runs missing seeds, reports after every seed. */
import { createProgress, type JobCounts, runJobs, stateOf } from '@espalier/sweep';
import { collectEntry } from './collect/collect-entry.js';
import { chooseEntries, type Entry, loadMatrix, type Matrix } from './matrix.js';
import { keepReported } from './report/keep-reported.js';
import { loadReported, saveEntry, saveOverlay, savePages } from './report/save-reports.js';
import { cli, commandOf, type Job, listJobs, requireValidation } from './run/job.js';
import { prepareModels } from './run/prepare-models.js';

export interface ResultsOptions {
  readonly only: readonly string[];
  readonly seeds?: number;
  readonly threads?: number;
  readonly parallel: number;
  readonly out: string;
  readonly docs: string;
  readonly matrix: string;
  readonly note: string;
  readonly list?: boolean;
  readonly report?: boolean;
  /** leaves out seeds that have been reported */
  readonly unreported?: boolean;
  readonly json?: boolean;
  /** two reported entries to draw over each other; empty: none */
  readonly overlay: readonly string[];
}

const nothing: JobCounts = { finished: 0, stopped: 0, failed: 0 };

/**
 * Runs the chosen entries, seeds that are finished left out, and writes the reports.
 *
 * @throws config.unreadable, config.wrong_type, cli.usage before anything is run
 */
export async function runMatrix(options: ResultsOptions, signal: AbortSignal): Promise<JobCounts> {
  const matrix = loadMatrix(options.matrix);
  if (options.overlay.length > 0) {
    process.stdout.write(`${saveOverlay(options.docs, matrix, options.overlay)}\n`);
    return nothing;
  }
  const entries = chooseEntries(matrix, options.only);
  const jobs = chooseJobs(options, matrix, entries);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  if (options.list === true) {
    list(jobs, options.json === true);
    return nothing;
  }
  const report = (of: readonly Entry[]): void => reportEntries(options, matrix, of);
  let counts = nothing;
  if (options.report !== true) {
    jobs.forEach(requireValidation);
    const expected = expectedMinutes(options.docs, matrix);
    const progress = createProgress({
      write: say,
      parallel: options.parallel,
      secondsLeft: (job) => 60 * (expected.get((job as Job).entry.name) ?? (job as Job).entry.minutes),
      now: Date.now,
    });
    const { out, parallel, threads } = options;
    const { isStopped, unready } = await prepareModels(matrix, entries, { out, threads, signal, say });
    if (isStopped) return { ...nothing, stopped: jobs.length };
    const ready = jobs.filter(({ entry }) => !unready.has(entry.name));
    if (unready.size > 0)
      say(`left out, as their model could not be made or measured: ${[...unready].join(', ')}`);
    const ended = await runJobs(ready, {
      cli,
      parallel,
      threads,
      signal,
      progress,
      onEnd: ({ entry }, end) => {
        if (end === 'finished') report([entry]);
      },
    });
    counts = { ...ended, failed: ended.failed + jobs.length - ready.length };
    say(`${counts.finished} finished, ${counts.stopped} stopped, ${counts.failed} failed`);
  }
  report(entries);
  if (options.json === true) {
    const names = new Set(entries.map(({ name }) => name));
    const results = loadReported(options.docs, matrix).filter(({ name }) => names.has(name));
    process.stdout.write(`${JSON.stringify(results)}\n`);
  }
  return counts;
}

function chooseJobs(
  { out, docs, seeds, unreported }: ResultsOptions,
  matrix: Matrix,
  entries: readonly Entry[],
): Job[] {
  const jobs = listJobs(out, entries, seeds);
  if (unreported !== true) return jobs;
  const reported = new Set(
    loadReported(docs, matrix).flatMap((entry) => entry.seeds.map(({ command }) => command)),
  );
  return jobs.filter((job) => !reported.has(commandOf(job)));
}

function list(jobs: readonly Job[], asJson: boolean): void {
  const rows = jobs.map((job) => ({
    name: job.entry.name,
    seed: job.seed,
    state: stateOf(job),
    minutes: job.entry.minutes,
    folder: job.folder,
  }));
  const lines = rows.map(
    ({ name, seed, state, minutes }) =>
      `${name.padEnd(28)} seed ${seed}  ${state.padEnd(11)} at most ${minutes} min`,
  );
  process.stdout.write(`${asJson ? JSON.stringify(rows) : lines.join('\n')}\n`);
}

function reportEntries(
  { out, docs, note, seeds }: ResultsOptions,
  matrix: Matrix,
  entries: readonly Entry[],
): void {
  const reported = new Map(loadReported(docs, matrix).map((one) => [one.name, one]));
  for (const entry of entries) {
    // a rewritten report keeps its note
    const earlier = reported.get(entry.name);
    const kept = note === '' ? (earlier?.note ?? '') : note;
    const result = collectEntry(out, entry, { matrix, seedsAsked: seeds ?? entry.seeds, note: kept });
    if (result !== undefined) saveEntry(docs, keepReported(result, earlier));
  }
  savePages(docs, matrix);
}

/** How long a seed took when it was last reported. */
function expectedMinutes(docs: string, matrix: Matrix): Map<string, number> {
  return new Map(
    loadReported(docs, matrix).map(({ name, seeds }) => [
      name,
      Math.max(...seeds.map(({ wallMinutes }) => wallMinutes)),
    ]),
  );
}
