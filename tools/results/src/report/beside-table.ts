/** @file The table that sets entries beside those of another page, seed by seed, as bf16 beside float32. */
import type { EntryResult, SeedResult } from '../collect/result.js';
import type { Matrix } from '../matrix.js';
import { interval, mean, points, table } from './numbers.js';

/** Student's t at 97.5 % for 1 to 10 degrees of freedom; with more seeds the last, which makes the interval a little wide. */
const quantiles = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** The section with its table, of the entries that both pages have; empty without any. */
export function besideSection(
  { beside, entries }: Pick<Matrix, 'beside' | 'entries'>,
  results: ReadonlyMap<string, EntryResult>,
  others: readonly EntryResult[],
): string[] {
  if (beside === undefined) return [];
  const rows = entries.flatMap((entry) => {
    const result = results.get(entry.name);
    const other = others.find(({ name }) => name === entry.beside);
    return result === undefined || other === undefined ? [] : [compareSeeds(result, other)];
  });
  if (rows.length === 0) return [];
  return [
    `## ${beside.title}`,
    'Success minus that of the other run with the same seed, at the last iteration that both validated, in points. The interval is ' +
      "Student's over the seeds, 95 %.",
    table(['run', 'beside', 'at iteration', 'difference by seed', 'mean'], rows),
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
    differences.length === 0 ? '' : `${points(mean(differences))} ${spread(differences)}`.trim(),
  ];
}

function lastShared(seed: SeedResult, twin: SeedResult): { step: number; difference: number } | undefined {
  for (const { step, success } of seed.validations.toReversed()) {
    const same = twin.validations.find((one) => one.step === step);
    if (same !== undefined) return { step, difference: success - same.success };
  }
  return undefined;
}

/** The interval of a mean; empty for a single value, which has none. */
function spread(values: readonly number[]): string {
  if (values.length < 2) return '';
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  const quantile = quantiles[Math.min(values.length - 1, quantiles.length) - 1] ?? Number.NaN;
  const half = quantile * Math.sqrt(variance / values.length);
  return interval({ low: middle - half, high: middle + half });
}
