/** @file What differs between runs, as a table with a column for each run. */
import type { HealthSummary } from '@espalier/contracts/health';
import { isUnjudged, unjudged } from '../local/run-health.js';
import { cut } from './numbers.js';
import { alignColumns } from './align-columns.js';

/** An option that differs, with its value in each run. */
interface Difference {
  readonly path: string;
  readonly values: readonly unknown[];
}

/** A longer value is cut, so that columns stay beside each other. */
const widest = 40;

/** The options that differ, and the health that each run came to; undefined: nothing was checked. */
export function differenceLines(
  runs: readonly string[],
  differences: readonly Difference[],
  health: readonly (HealthSummary | undefined)[],
): string[] {
  const rows = [
    ...differences.map(({ path, values }) => [path, ...values.map((value) => JSON.stringify(value) ?? '–')]),
    ...(health.every((one) => one === undefined) ? [] : [['health', ...health.map(inWords)]]),
  ];
  if (rows.length === 0) return [];
  return alignColumns([
    ['', ...runs.map(cutFolder)],
    ...rows.map(([path = '', ...cells]) => [path, ...cells.map((cell) => cut(cell, widest))]),
  ]);
}

/** The end of a path tells runs apart. */
const cutFolder = (folder: string): string =>
  folder.length <= widest ? folder : `…${folder.slice(1 - widest)}`;

function inWords(health: HealthSummary | undefined): string {
  if (health === undefined) return '–';
  if (isUnjudged(health)) return unjudged;
  return health.since === 0 ? health.state : `${health.state} since step ${health.since}`;
}
