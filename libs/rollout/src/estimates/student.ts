/**
 * @file The interval of a mean over few independent values, such as seeds: Student 1908, "The probable error of a mean".
 */
import type { Interval } from './bootstrap.js';

/** Two-sided 95 % points by degrees of freedom, from 1. */
const points = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** Estimates the mean with its 95 % interval; of a single value, an interval without bounds. More than 31 values use the point for 30. */
export function studentInterval(values: readonly number[]): Interval {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  if (n === 1) return { mean, low: -Infinity, high: Infinity };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const point = points[Math.min(n - 1, points.length) - 1] as number;
  const half = point * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}
