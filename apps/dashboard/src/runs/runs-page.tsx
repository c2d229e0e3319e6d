/** @file All runs, live: search and filters in the address, as many rows as there are. */
import { Term } from '../charts/term.js';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { useRunsAgain } from '../data/run-changes.js';
import { stateGroups, statesOf } from '../data/run-states.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { useSearch } from '../routing/router.js';
import { useMayAct, useSession } from '../session/session-context.js';
import { BulkBar } from './bulk-bar.js';
import { FirstRun } from './first-run.js';
import { RunFilters } from './run-filters.js';
import { RunsTable } from './runs-table.js';

const orders = {
  newest: { field: 'createdAt', direction: 'desc' },
  oldest: { field: 'createdAt', direction: 'asc' },
  name: { field: 'name', direction: 'asc' },
  ended: { field: 'endedAt', direction: 'desc' },
} as const;

const numbers = (
  <Term
    title="each number of a run"
    of={[
      'Run.latest[rollout/success_rate]',
      'Run.latest[rollout/reward_mean]',
      'Run.latest[rollout/entropy]',
      'Run.eta.seconds',
    ]}
  />
);

export function RunsPage() {
  const { client } = useSession();
  const mayAct = useMayAct();
  const [search] = useSearch();
  const filter = useMemo(() => {
    const [text, tag, group, project] = ['text', 'tag', 'group', 'project'].map(
      (name) => search.get(name) ?? '',
    );
    const states = statesOf(search.get('state'));
    return {
      ...(text && { text }),
      ...(tag && { tag }),
      ...(group && { group }),
      ...(project && { project }),
      ...(states && { states: [...states] }),
    };
  }, [search]);
  const order = orders[(search.get('sort') ?? 'newest') as keyof typeof orders] ?? orders.newest;
  const list = useInfiniteQuery({
    queryKey: ['runs', filter, order],
    queryFn: ({ pageParam }) =>
      client.overview.runs(filter, { first: 100, after: pageParam, orderBy: order }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (old) => old,
  });
  useEffect(() => {
    document.title = 'Runs · Espalier';
  }, []);
  const runs = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  useRunsAgain(runs.some(({ state }) => (stateGroups.live as readonly string[]).includes(state)));
  const { chosen, toggle, clear } = useChoice();
  // what another filter hides is not acted on
  const acted = runs.filter(({ id }) => chosen.has(id));
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="stack">
      <div className="row between">
        <h1>Runs {numbers}</h1>
        <span className="row muted small">
          {mayAct && (
            <Link href="/new" className="button primary">
              New run
            </Link>
          )}
          {list.data !== undefined &&
            `${runs.length}${list.hasNextPage ? '+' : ''} ${isFiltered ? 'found' : 'in all'}`}
        </span>
      </div>
      <RunFilters />
      {acted.length > 0 && <BulkBar runs={acted} onClear={clear} />}
      {list.error !== null && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.data === undefined && list.error === null && <Waiting what="runs" />}
      {list.data !== undefined && runs.length === 0 && (
        <div className="card">
          {isFiltered ? (
            <Notice title="No run fits these filters">
              <p>Change the text or the state above, or clear them.</p>
            </Notice>
          ) : (
            <FirstRun mayAct={mayAct} />
          )}
        </div>
      )}
      {runs.length > 0 && (
        <RunsTable
          runs={runs}
          choice={mayAct ? { ids: chosen, toggle } : undefined}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
    </div>
  );
}

/** The runs that are chosen, whatever the list shows. */
function useChoice() {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((ids: readonly string[], isChosen: boolean): void => {
    setChosen((old) => {
      const next = new Set(old);
      for (const id of ids)
        if (isChosen) next.add(id);
        else next.delete(id);
      return next;
    });
  }, []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { chosen, toggle, clear };
}
