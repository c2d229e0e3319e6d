/** @file The table that compares entries with those of another page, seed by seed, such as bf16 with float32. */
import { studentInterval } from '@espalier/rollout/estimates';
import type { EntryResult, SeedResult } from '../collect/result.js';
import type { Matrix } from '../matrix.js';
import { interval, points, table } from './numbers.js';

/** The section with its table, of the entries that both pages have; empty without any. */
export function comparisonSection(
  { compareWith, entries }: Pick<Matrix, 'compareWith' | 'entries'>,
  results: ReadonlyMap<string, EntryResult>,
  others: readonly EntryResult[],
): string[] {
  if (compareWith === undefined) return [];
  const rows = entries.flatMap((entry) => {
    const result = results.get(entry.name);
    const other = others.find(({ name }) => name === entry.compareWith);
    return result === undefined || other === undefined ? [] : [compareSeeds(result, other)];
  });
  if (rows.length === 0) return [];
  return [
    `## ${compareWith.title}`,
    'Success minus that of the other run with the same seed, at the last iteration that both validated, in points. The interval is ' +
      "Student's over the seeds, 95 %.",
    table(['run', 'compared with', 'at iteration', 'difference by seed', 'mean'], rows),
  ];
}

function compareSeeds(result: EntryResult, other: EntryResult): string[] {
  const compared = result.seeds.flatMap((seed) => {
    const twin = other.seeds.find((one) => one.seed === seed.seed);
    const shared = twin === undefined ? undefined : lastShared(seed, twin);
    return shared === undefined ? [] : [shared];
  });
  const differences = compared.map(({ difference }) => difference);
  const steps = [...new Set(compared.map(({ step }) => String(step)))];
  return [
    `[${result.name}](#${result.name})`,
    `\`${other.name}\``,
    steps.join(', '),
    differences.map(points).join(', '),
    describeMean(differences),
  ];
}

function lastShared(seed: SeedResult, twin: SeedResult): { step: number; difference: number } | undefined {
  for (const { step, success } of seed.validations.toReversed()) {
    const same = twin.validations.find((one) => one.step === step);
    if (same !== undefined) return { step, difference: success - same.success };
  }
  return undefined;
}

/** The mean with its interval; a single value has none. */
function describeMean(values: readonly number[]): string {
  if (values.length === 0) return '';
  const { mean, ...bounds } = studentInterval(values);
  return values.length === 1 ? points(mean) : `${points(mean)} ${interval(bounds)}`;
}
