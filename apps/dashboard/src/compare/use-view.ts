/** @file What the view of comparisons shows, from what is in the address and what was read. */
import type { Run, RunComparison } from '@espalier/client';
import { useIsFetching, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { lineColor, lineDash } from '../charts/line-style.js';
import { toVisible } from '../format/visible-text.js';
import { useSearch } from '../routing/router.js';
import { useSession } from '../session/session-context.js';
import type { NamedLine } from './field-panel.js';
import { applyBrushes, dimensionsOf, labelOf, type Selection } from './selection.js';
import { useGroups, useNumbers, useRunLines } from './use-compared.js';

/** The metrics that a comparison begins with, as far as a run has them. */
export const usualMetrics = new Map([
  ['validation/success_rate', 'Validation success'],
  ['rollout/success_rate', 'Training success'],
  ['rollout/reward_mean', 'Reward'],
  ['rollout/entropy', 'Entropy'],
  ['policy/gradient_norm', 'Gradient norm'],
  ['rollout/response_length', 'Response length'],
]);

/** Metrics that have a chart, and all that the runs have. */
export function useMetrics(runs: readonly Run[]) {
  const [search] = useSearch();
  const known = useMemo(() => [...new Set(runs.flatMap(({ latest }) => Object.keys(latest)))].sort(), [runs]);
  const asked = search.get('metrics');
  const shown = useMemo(() => {
    const given = (asked ?? '').split(',').filter((name) => known.includes(name));
    return given.length > 0
      ? [...new Set(given)]
      : [...usualMetrics.keys()].filter((name) => known.includes(name));
  }, [asked, known]);
  const extra = ['x', 'y'].flatMap((name) => known.filter((one) => one === search.get(name))).join(',');
  const read = useMemo(
    () => [...new Set([...shown, ...extra.split(',').filter((one) => one !== '')])],
    [shown, extra],
  );
  return { known, shown, read };
}

/** Settings and outcomes of all runs, and which runs are within the brushes. */
export function useWithin(runs: readonly Run[], metrics: readonly string[], selection: Selection) {
  const numbers = useNumbers(runs, metrics, selection);
  const { statistic, brushes } = selection;
  const dimensions = useMemo(
    () => (numbers.data === undefined ? [] : dimensionsOf(numbers.data, statistic, metrics)),
    [numbers.data, statistic, metrics],
  );
  const ids = useMemo(() => numbers.data?.runs.map(({ id }) => id) ?? [], [numbers.data]);
  const kept = useMemo(() => applyBrushes(dimensions, brushes, ids.length), [dimensions, brushes, ids]);
  const within = useMemo(() => {
    // nothing is left out, so nothing has to be known before lines are read
    if (Object.keys(brushes).length === 0) return runs;
    const inside = new Set(ids.filter((_, at) => kept[at]));
    return runs.filter(({ id }) => inside.has(id));
  }, [runs, ids, kept, brushes]);
  return { numbers, dimensions, ids, kept, within };
}

/**
 * The groups of the runs within, and the lines of each metric.
 *
 * @param numbers of all runs; they tell the same groups before the curves of the groups are there, unless runs are left out
 */
export function useLines(
  within: readonly Run[],
  shown: readonly string[],
  selection: Selection,
  numbers: RunComparison | undefined,
) {
  const isEach = selection.show === 'runs';
  const isWhole = selection.by === undefined && Object.keys(selection.brushes).length === 0;
  // the lines of runs are read before curves that nobody looks at yet
  const areLinesRead = useIsFetching({ queryKey: ['compared-history'] }) === 0 && numbers !== undefined;
  const groups = useGroups(within, shown, selection, !isEach || !isWhole || areLinesRead);
  const grouped = groups.data ?? (isWhole ? numbers : undefined);
  const names = useMemo(
    () => new Map(within.map((run) => [run.id, toVisible(run.title || run.name)])),
    [within],
  );
  const nameOf = useCallback((id: string): string => names.get(id) ?? id, [names]);
  const groupIndex = useMemo(
    () => new Map(grouped?.groups.flatMap(({ runIds }, group) => runIds.map((id) => [id, group] as const))),
    [grouped],
  );
  const groupOf = useCallback((id: string): number => groupIndex.get(id) ?? 0, [groupIndex]);
  const each = useRunLines(within, shown, selection, groupOf, nameOf);
  const ofGroups = useMemo(
    () => groups.data && groupLines(groups.data, selection, nameOf),
    [groups.data, selection, nameOf],
  );
  return {
    groups,
    nameOf,
    groupOf,
    // not before their colours are known
    lines: !isEach ? ofGroups : grouped === undefined ? undefined : each.lines,
    error: groups.error ?? each.error,
    retry: () => Promise.all([groups.refetch(), each.retry()]),
  };
}

/** Units and formulas of metrics, by the run that has most of them. */
export function useFacts(runs: readonly Run[]) {
  const { client } = useSession();
  const id = useMemo(() => {
    const counted = runs.map((run) => ({ id: run.id, count: Object.keys(run.latest).length }));
    return counted.reduce((most, one) => (one.count > most.count ? one : most), { id: '', count: -1 }).id;
  }, [runs]);
  const { data } = useQuery({
    queryKey: ['metric-names', id],
    queryFn: () => client.metrics.names(id),
    meta: { what: 'units and formulas of metrics' },
  });
  return useMemo(() => new Map(data?.map((one) => [one.name, one])), [data]);
}

function groupLines(
  { groups, metrics }: RunComparison,
  { band, by }: Selection,
  nameOf: (id: string) => string,
): ReadonlyMap<string, readonly NamedLine[]> {
  const labels = groups.map((group) => labelOf(group, by, nameOf));
  return new Map(
    metrics.map(({ name, x, groups: each }) => [
      name,
      each.flatMap(({ group, curve }): NamedLine[] => {
        if (curve === null) return [];
        const [low, high] = band === 'interval' ? [curve.low, curve.high] : [curve.min, curve.max];
        const isSingle = curve.counts.every((count) => count < 2);
        const line = {
          name: labels[group] ?? '',
          color: lineColor(group),
          dash: lineDash(group),
          x,
          y: curve.mean,
        };
        return [isSingle ? line : { ...line, low, high }];
      }),
    ]),
  );
}
