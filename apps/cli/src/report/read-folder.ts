/** @file A run folder as a report reads it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { completeLines, decodeCheckedLine } from '@espalier/files';
import { listTrajectorySteps, readTrajectories } from '@espalier/recorder';
import type { Point, ReportEvent, ReportRun, ValidatedState } from '@espalier/report';
import { loadEvaluation } from '@espalier/trainer';
import { listValidations } from '../local/compare-runs.js';
import { lastStep, readRows, readRunState } from '../local/local-runs.js';
import { readRunSpec, trajectoriesFolder } from '../local/recorded-run.js';
import { loadOrigin } from '../local/run-origin.js';

/**
 * Reads a run folder.
 *
 * @param address what the report calls the folder
 * @throws cli.run_not_found, trainer.corrupt_run, recorder.corrupt_log
 */
export function readFolder(folder: string, key: string, address = folder): ReportRun {
  const spec = readRunSpec(folder);
  const rows = readRows(folder);
  const events = readEvents(folder);
  const end = events.at(-1);
  const trajectories = trajectoriesFolder(folder);
  return {
    key,
    address,
    spec: { ...spec },
    state: readRunState(folder),
    message: end?.kind === 'run-ended' ? end.message : '',
    step: lastStep(folder),
    steps: spec.steps,
    series: toSeries(rows),
    events: events.filter((event): event is ReportEvent => reported.has(event.kind)),
    validations: new Map(
      listValidations(folder)
        .sort((a, b) => a - b)
        .map((step) => [step, readOutcomes(join(folder, runLayout.validationOf(step)))]),
    ),
    origin: loadOrigin(folder),
    trajectorySteps: existsSync(trajectories) ? listTrajectorySteps(trajectories) : [],
    readTrajectories: async (step) => readTrajectories(trajectories, { step }),
  };
}

const reported = new Set(['monitor', 'warning', 'run-ended']);

/** What is logged besides; the newest tells whether the run goes on. */
type LoggedEvent = ReportEvent | { readonly kind: 'run-started' | 'checkpoint' | 'level' };

function readEvents(folder: string): LoggedEvent[] {
  const file = join(folder, runLayout.events);
  if (!existsSync(file)) return [];
  return completeLines(file).flatMap((line) => (decodeCheckedLine(line) as LoggedEvent | undefined) ?? []);
}

function toSeries(rows: ReturnType<typeof readRows>): Record<string, Point[]> {
  const series = new Map<string, Point[]>();
  for (const { step, values } of rows)
    for (const [name, value] of Object.entries(values)) {
      const points = series.get(name);
      if (points === undefined) series.set(name, [[step, value]]);
      else points.push([step, value]);
    }
  return Object.fromEntries(series);
}

/** @throws trainer.corrupt_run */
function readOutcomes(file: string): ValidatedState[] {
  const { outcomes, tags = [] } = loadEvaluation(file);
  const untrained = new Set(tags.flatMap(({ tag, trained }) => (trained ? [] : [tag])));
  return outcomes.map(({ tag, stateSeed, success }) => ({
    tag,
    stateSeed,
    success,
    trained: tag === undefined || !untrained.has(tag),
  }));
}
