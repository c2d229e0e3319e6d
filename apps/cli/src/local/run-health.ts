/** @file The health of a run as its collapse monitor last recorded it: state, since when, on what evidence, and what to look at next. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunEvent, runLayout } from '@espalier/contracts';
import { describeUnchanged, healthStates, type HealthSummary } from '@espalier/contracts/health';
import { listTrajectorySteps } from '@espalier/recorder';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { showPath } from '../view/show-path.js';
import { readRows } from './local-runs.js';
import { findRecordedSpec, trajectoriesFolder } from './recorded-run.js';

/** Reads the health that a run has come to; undefined where it never changed. */
export function readChangedHealth(folder: string): HealthSummary | undefined {
  return readChanges(folder).at(-1);
}

/** Reads the health of a run; undefined where nothing was checked. */
export function readHealth(folder: string): HealthSummary | undefined {
  const changed = readChangedHealth(folder);
  if (changed !== undefined) return changed;
  const row = readRows(folder).findLast(({ values }) => 'monitor/state' in values);
  const state = healthStates[row?.values['monitor/state'] ?? -1];
  if (row === undefined || state === undefined) return undefined;
  const { every = 1 } = findRecordedSpec(folder)?.monitor ?? {};
  return { state, since: 0, evidence: state === 'healthy' ? describeUnchanged(row.step, every) : '' };
}

/** Whether the monitor has had too few checks to compare anything. */
export const isUnjudged = ({ state, since, evidence }: HealthSummary): boolean =>
  state === 'healthy' && since === 0 && evidence !== '';

/** The health of such a run in a table. */
export const unjudged = 'not judged yet';

/** Changes in a run, and what it began with where it was forked: the end of a run has that, too. */
function readChanges(folder: string): HealthSummary[] {
  const file = join(folder, runLayout.events);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): HealthSummary[] => {
      if (!line.includes('"monitor"') && !line.includes('"run-ended"')) return [];
      try {
        return healthIn(JSON.parse(line) as RunEvent);
      } catch {
        return []; // the last line is being written
      }
    });
}

function healthIn(event: RunEvent): HealthSummary[] {
  if (event.kind === 'monitor') return [{ state: event.state, since: event.step, evidence: event.message }];
  const health = event.kind === 'run-ended' ? event.health : undefined;
  return health === undefined || health.since === 0 ? [] : [health];
}

/** The health in a line; where it is not good, what to look at next in two more. */
export function healthLines(folder: string, health: HealthSummary | undefined): string[] {
  if (health === undefined) return [];
  const { state, since, evidence } = health;
  if (isUnjudged(health)) return [`health: ${evidence}`];
  const when = since === 0 ? '' : ` since step ${since}`;
  const line = `health: ${state}${when}${evidence === '' ? '' : `: ${evidence}`}`;
  if (state === 'healthy') return [line];
  const stored = listTrajectorySteps(trajectoriesFolder(folder));
  // a fork may have been so before its first step
  const step = stored.find((one) => one >= since) ?? stored.at(-1);
  const show = [calledAs(), 'show', quoteWord(showPath(folder)), '--step', String(step)].join(' ');
  return [
    line,
    ...(step === undefined ? [] : [`  what the agent did then: ${show}`]),
    '  what the rules mean, and what a run can do by itself (monitor.onCollapse): docs/learn/collapse.md',
  ];
}
