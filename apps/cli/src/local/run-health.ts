/** @file The health of a run as its collapse monitor last recorded it: state, since when, on what evidence, and what to look at next. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunEvent, runLayout } from '@espalier/contracts';
import { healthStates, type HealthSummary } from '@espalier/contracts/health';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { showPath } from '../view/show-path.js';
import { readRows } from './local-runs.js';

type Change = Extract<RunEvent, { kind: 'monitor' }>;

/** Reads the health that a run has come to; undefined where it never changed. */
export function readChangedHealth(folder: string): HealthSummary | undefined {
  const change = readChanges(folder).at(-1);
  return change && { state: change.state, since: change.step, evidence: change.message };
}

/** Reads the health of a run; undefined where nothing was checked. */
export function readHealth(folder: string): HealthSummary | undefined {
  const changed = readChangedHealth(folder);
  if (changed !== undefined) return changed;
  const row = readRows(folder).findLast(({ values }) => 'monitor/state' in values);
  const state = healthStates[row?.values['monitor/state'] ?? -1];
  return state === undefined ? undefined : { state, since: 0, evidence: '' };
}

function readChanges(folder: string): Change[] {
  const file = join(folder, runLayout.events);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): Change[] => {
      if (!line.includes('"monitor"')) return [];
      try {
        const event = JSON.parse(line) as RunEvent;
        return event.kind === 'monitor' ? [event] : [];
      } catch {
        return []; // the last line is being written
      }
    });
}

/** The health in a line; where it is not good, what to look at next in two more. */
export function healthLines(folder: string, health: HealthSummary | undefined): string[] {
  if (health === undefined) return [];
  const { state, since, evidence } = health;
  const when = since === 0 ? '' : ` since step ${since}`;
  const line = `health: ${state}${when}${evidence === '' ? '' : `: ${evidence}`}`;
  if (state === 'healthy') return [line];
  const show = [calledAs(), 'show', quoteWord(showPath(folder)), '--step', String(since)].join(' ');
  return [
    line,
    `  what the agent did then: ${show}`,
    '  what the rules mean, and what a run can do by itself (monitor.onCollapse): docs/learn/collapse.md',
  ];
}
