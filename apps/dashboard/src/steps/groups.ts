/** @file The groups of some steps, by their part in the update. Pure functions. */
import type { TrajectoryRow } from '@espalier/client';
import { toVisible } from '../format/visible-text.js';

export interface Group {
  readonly key: string;
  readonly step: number;
  readonly group: number;
  /** of its environment in a run of several */
  readonly tag: string | null;
  readonly rows: readonly TrajectoryRow[];
  /** its part in the update of its step; undefined: not recorded */
  readonly share: number | undefined;
  /** of the rewards, divisor n; undefined: fewer than two have one */
  readonly deviation: number | undefined;
  /** what became of it, in words */
  readonly fate: string;
  readonly isTrained: boolean;
}

/** Whether it is one that others are compared with, which no count of a group has. */
export const isGreedyBaseline = ({ outcome }: Pick<TrajectoryRow, 'outcome'>): boolean =>
  outcome === 'greedy-baseline';

/** Those with the largest part first, then those without, by step and number. */
export function toGroups(rows: readonly TrajectoryRow[]): readonly Group[] {
  const found = new Map<string, TrajectoryRow[]>();
  for (const row of rows) {
    const key = `${row.step}/${row.group}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [row]);
    else known.push(row);
  }
  return [...found]
    .map(([key, own]) => toGroup(key, own))
    .sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || a.step - b.step || a.group - b.group);
}

function toGroup(key: string, own: readonly TrajectoryRow[]): Group {
  const rows = [...own].sort((a, b) => a.index - b.index);
  const sampled = rows.filter((row) => !isGreedyBaseline(row));
  const shares = rows.flatMap(({ updateShare }) => updateShare ?? []);
  const { step = 0, group = 0, environmentTag: tag = null } = rows[0] ?? {};
  return {
    key,
    step,
    group,
    tag,
    rows,
    share: shares.length === 0 ? undefined : shares.reduce((sum, share) => sum + share, 0),
    deviation: deviationOf(sampled.flatMap(({ reward }) => reward ?? [])),
    fate: tellFate(sampled),
    isTrained: rows.some(({ outcome }) => outcome === 'trained'),
  };
}

function deviationOf(values: readonly number[]): number | undefined {
  if (values.length < 2) return undefined;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

function tellFate(rows: readonly TrajectoryRow[]): string {
  const words = rows.map(({ outcome, dropped, kept }) =>
    outcome === 'dropped' || (outcome === null && !kept)
      ? dropped === null
        ? 'dropped'
        : `dropped: ${toVisible(dropped.reason.replaceAll('-', ' '))}`
      : outcome === null
        ? 'not recorded'
        : outcome.replaceAll('-', ' '),
  );
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts.size === 1
    ? (words[0] ?? '')
    : [...counts].map(([word, count]) => `${count} ${word}`).join(', ');
}
