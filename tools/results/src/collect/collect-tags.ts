/** @file Success in each environment of a run in several, before and after on the same states. */
import { comparePaired, type Evaluation } from '@espalier/trainer';
import { round } from './curves.js';
import type { TagResult } from './result.js';

/** One row for each tag that both evaluations measured; undefined for a run in one environment. */
export function collectTags(start: Evaluation, end: Evaluation): readonly TagResult[] | undefined {
  const rows = start.tags?.flatMap(({ tag, environment, trained, ...before }): TagResult[] => {
    const after = end.tags?.find((one) => one.tag === tag);
    const [first, last] = [before, after].map((one) => {
      const { successRate: success = null, successLow = null, successHigh = null } = one ?? {};
      if (success === null || successLow === null || successHigh === null) return undefined;
      return { success, low: round(successLow), high: round(successHigh) };
    });
    if (first === undefined || last === undefined) return [];
    const [old, now] = [start, end].map(({ outcomes }) => outcomes.filter((one) => one.tag === tag));
    return [
      { tag, environment, trained, start: first, end: last, difference: comparePaired(old ?? [], now ?? []) },
    ];
  });
  return rows === undefined || rows.length === 0 ? undefined : rows;
}
