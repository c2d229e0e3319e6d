/**
 * @file How far raters agree beyond chance: Krippendorff's alpha, α = 1 − D_o / D_e. Krippendorff 2011, "Computing
 * Krippendorff's Alpha-Reliability": coincidence matrix (section C, step 2), the metric differences (step 3), α (step 4).
 *
 * Deviations: none in α. Its interval is the percentile bootstrap over units of Zapf et al. 2016 ("Measuring inter-rater
 * reliability for nominal data – which coefficients and confidence intervals are appropriate?", BMC Medical Research
 * Methodology 16:93); draws in which all values are equal have no α and are left out.
 */
import { createStream } from '@espalier/random';
import { quantile } from './bootstrap.js';

/** What the distance between two values means: names, ranks, or numbers with equal steps. */
export type MeasurementLevel = 'nominal' | 'ordinal' | 'interval';

export interface Agreement {
  /** 1: perfect; 0: as by chance; below 0: less than by chance. null: undefined, since no two ratings differ or none can be paired */
  readonly alpha: number | null;
  /** of the middle 95 % of the draws; null where α or too few draws exist */
  readonly low: number | null;
  readonly high: number | null;
  /** units with at least two ratings, and the ratings in them */
  readonly units: number;
  readonly ratings: number;
}

/** The ratings of a unit; null: missing. */
export type UnitRatings = readonly (number | null)[];

const resamples = 2000;

/** Computes α and its 95 % interval; units with fewer than two ratings say nothing and are left out. */
export function krippendorffAlpha(
  units: readonly UnitRatings[],
  level: MeasurementLevel,
  seed = 0,
): Agreement {
  const rated = units.map((unit) => unit.filter((value) => value !== null));
  const pairable = rated.filter(({ length }) => length >= 2);
  const values = [...new Set(pairable.flat())].sort((a, b) => a - b);
  const indices = pairable.map((unit) => unit.map((value) => values.indexOf(value)));
  const once = pairable.map(() => 1);
  const alpha = alphaOf(indices, once, values, level);
  const interval = alpha === null ? noInterval : bootstrap(indices, values, level, seed);
  return { alpha, ...interval, units: pairable.length, ratings: pairable.flat().length };
}

const noInterval = { low: null, high: null };

function bootstrap(
  units: readonly (readonly number[])[],
  values: readonly number[],
  level: MeasurementLevel,
  seed: number,
): Pick<Agreement, 'low' | 'high'> {
  const stream = createStream(seed);
  const draws: number[] = [];
  for (let draw = 0; draw < resamples; draw++) {
    const times = new Array<number>(units.length).fill(0);
    for (let i = 0; i < units.length; i++) times[stream.int(units.length)]! += 1;
    const alpha = alphaOf(units, times, values, level);
    if (alpha !== null) draws.push(alpha);
  }
  if (units.length < 2 || draws.length < resamples / 2) return noInterval;
  const sorted = Float64Array.from(draws).sort();
  return { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
}

/** α of units that count `times` each; null where the values do not differ. */
function alphaOf(
  units: readonly (readonly number[])[],
  times: readonly number[],
  values: readonly number[],
  level: MeasurementLevel,
): number | null {
  const size = values.length;
  const coincidences = new Float64Array(size * size);
  const totals = new Float64Array(size);
  units.forEach((unit, u) => {
    // o_ck = Σ_u (pairs of c and k in u) / (m_u − 1)
    const weight = times[u]! / (unit.length - 1);
    if (weight === 0) return;
    for (let i = 0; i < unit.length; i++) {
      totals[unit[i]!]! += times[u]!;
      for (let j = 0; j < unit.length; j++) if (i !== j) coincidences[unit[i]! * size + unit[j]!]! += weight;
    }
  });
  const all = totals.reduce((sum, count) => sum + count, 0);
  let observed = 0;
  let expected = 0;
  for (let c = 0; c < size; c++)
    for (let k = c + 1; k < size; k++) {
      const difference = squaredDifference(level, c, k, values, totals);
      observed += coincidences[c * size + k]! * difference;
      expected += totals[c]! * totals[k]! * difference;
    }
  return expected === 0 ? null : 1 - ((all - 1) * observed) / expected;
}

function squaredDifference(
  level: MeasurementLevel,
  c: number,
  k: number,
  values: readonly number[],
  totals: Float64Array,
): number {
  if (level === 'nominal') return 1;
  if (level === 'interval') return (values[c]! - values[k]!) ** 2;
  // (Σ_{g=c..k} n_g − (n_c + n_k) / 2)²
  let ranks = -(totals[c]! + totals[k]!) / 2;
  for (let g = c; g <= k; g++) ranks += totals[g]!;
  return ranks ** 2;
}
