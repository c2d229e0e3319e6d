/** @file What an evaluation found, as a line of text. */
import type { EvaluationResult } from '@espalier/protocol';
import { percent } from './numbers.js';

type Result = Pick<EvaluationResult, 'successRate' | 'successLow' | 'successHigh' | 'episodes'>;

/** Success with its interval. */
export function describeResult({ successRate, successLow, successHigh, episodes }: Result): string {
  const [low, high] = [successLow, successHigh].map((end) => (100 * end).toFixed(1));
  return `success ${percent(successRate)} [${low}, ${high}] of ${episodes}`;
}
