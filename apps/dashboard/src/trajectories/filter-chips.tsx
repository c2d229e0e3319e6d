/** @file What the address narrows a run to, each part with a click to take it off, and how many trajectories fit. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ErrorNote } from '../parts/states.js';
import { useSession } from '../session/session-context.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import {
  filterNames,
  keptSearch,
  type Range,
  readRange,
  tellRange,
  noFilter,
} from '../routing/run-filter.js';
import type { Shade } from '../run/step-bar.js';
import { readNarrowing, tellFilter } from './list-filter.js';

/** Trajectories of each step: how many fit the filter, and how many there are of its split and environment. */
export interface FilterCounts {
  readonly fit: ReadonlyMap<number, number>;
  readonly all: ReadonlyMap<number, number>;
}

const none = { data: undefined, error: null, retry: () => undefined };

/** Counts what fits the filter of the address; without data where there is none. */
export function useFilterCounts(runId: string) {
  const { client } = useSession();
  const [search] = useSearch();
  const filter = useMemo(() => readNarrowing(search), [search]);
  const isEnabled = Object.keys(filter).length > 0;
  const { data, error, refetch } = useQuery({
    queryKey: ['trajectory-counts', runId, filter],
    queryFn: async (): Promise<FilterCounts> => {
      const { split, environmentTag } = filter;
      const whole = { ...(split && { split }), ...(environmentTag && { environmentTag }) };
      const [fit, all] = await Promise.all([
        client.trajectories.counts(runId, filter),
        client.trajectories.counts(runId, whole),
      ]);
      return {
        fit: new Map(fit.steps.map((step, at) => [Number(step), fit.matching[at] ?? 0])),
        all: new Map(all.steps.map((step, at) => [Number(step), all.matching[at] ?? 0])),
      };
    },
    enabled: isEnabled,
    refetchInterval: 30_000,
  });
  return isEnabled ? { data, error, retry: () => void refetch() } : none;
}

/** The share of each step that fits, for the bar of steps. */
export function shadeOf(counts: FilterCounts | undefined): Shade | undefined {
  if (counts === undefined) return undefined;
  const shares = [...counts.all].map(([step, all]) => [step, (counts.fit.get(step) ?? 0) / all] as const);
  return { words: 'the share of trajectories that fit the filter', values: new Map(shares) };
}

/** Nothing where nothing is chosen. */
export function FilterChips({
  runId,
  counts,
}: {
  readonly runId: string;
  readonly counts: ReturnType<typeof useFilterCounts>;
}) {
  const [search, setSearch] = useSearch();
  const range = readRange(search);
  const rest = filterNames.flatMap((name) => {
    const told = tellFilter(search, name);
    return told === undefined ? [] : [{ name, told }];
  });
  if (range === undefined && rest.length === 0) return null;
  return (
    <div className="row small chips" role="group" aria-label="Chosen">
      {range !== undefined && (
        <button aria-pressed="true" onClick={() => setSearch({ from: undefined, to: undefined })}>
          {tellRange(range)} ✕
        </button>
      )}
      {rest.map(({ name, told }) => (
        <button key={name} aria-pressed="true" onClick={() => setSearch({ [name]: undefined })}>
          {told} ✕
        </button>
      ))}
      {counts.error !== null && <ErrorNote error={counts.error} retry={counts.retry} />}
      {counts.data !== undefined && (
        <Link href={`${toPath('runs', runId, 'trajectories')}${keptSearch(search)}`}>
          {tellCounts(counts.data, range ?? { from: 0, to: Infinity })}
        </Link>
      )}
      {rest.length > 0 && range !== undefined && (
        <button className="plain" onClick={() => setSearch(noFilter)}>
          Clear
        </button>
      )}
    </div>
  );
}

/** Of the steps of a range. */
export function tellCounts({ fit, all }: FilterCounts, { from, to }: Range): string {
  const sum = (counts: ReadonlyMap<number, number>): number =>
    [...counts].reduce((total, [step, count]) => (step >= from && step <= to ? total + count : total), 0);
  return `${sum(fit)} of ${sum(all)} trajectories`;
}
