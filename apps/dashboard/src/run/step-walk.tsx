/** @file The trajectories of chosen steps, walked one by one by ↑ and ↓ on the bar of steps, and from step to step where one is open. */
import type { Client, TrajectoryRow } from '@espalier/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type MouseEvent, useEffect, useRef, useState } from 'react';
import { trajectoryQuery } from '../data/read-ahead.js';
import { formatCount, formatNumber } from '../format/numbers.js';
import { ErrorNote } from '../parts/states.js';
import { Link } from '../routing/link.js';
import { navigate, toPath, useSearch, wholeNumber } from '../routing/router.js';
import { keptSearch, type Range } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { readFilter } from '../trajectories/list-filter.js';

/** More of one choice are in the list only. */
const mostWalked = 500;

/** The trajectories of some steps that fit the filter of an address, in the order in which they came. */
const walkedQuery = (client: Client, runId: string, { from, to }: Range, search: URLSearchParams) => {
  const filter = { ...readFilter(search), fromStep: from, toStep: to };
  return {
    queryKey: ['walked', runId, filter],
    queryFn: () =>
      client.trajectories.list(runId, filter, {
        first: mostWalked,
        orderBy: { field: 'step', direction: 'asc' },
      }),
    staleTime: 10_000,
  };
};

const within = (place: number, count: number): number => Math.max(1, Math.min(count, place));

const tellRow = ({ success, reward, turns }: TrajectoryRow): string =>
  `${success ? 'success' : 'no success'}, reward ${formatNumber(reward)}, ${formatCount(turns, 'turn')}`;

/** The place in the address that is walked to among the trajectories of the chosen steps. */
export interface StepWalk {
  /** from 1; undefined: nothing is walked */
  readonly place: number | undefined;
  readonly items: readonly TrajectoryRow[] | undefined;
  readonly hasMore: boolean;
  /** the trajectory at the place */
  readonly row: TrajectoryRow | undefined;
  /** where it opens */
  readonly href: string | undefined;
  /** why they could not be read */
  readonly error: Error | null;
  retry(): void;
  move(by: 1 | -1): void;
  open(): void;
}

/** @param pick chooses the newest step where none is chosen, before the first of its trajectories is walked to */
export function useStepWalk(
  runId: string,
  chosen: Range | undefined,
  lastStep: number,
  pick: (step: number) => void,
): StepWalk {
  const { client } = useSession();
  const [search, setSearch] = useSearch();
  const asked = wholeNumber(search.get('nth'));
  const range = chosen ?? { from: lastStep, to: lastStep };
  const { data, error, refetch } = useQuery({
    ...walkedQuery(client, runId, range, search),
    enabled: asked !== undefined,
  });
  const items = data?.items;
  const place = asked === undefined ? undefined : within(asked, items?.length ?? Infinity);
  const row = items?.[(place ?? 0) - 1];
  const steps = { from: String(range.from), to: String(range.to) };
  const href = row && `${toPath('runs', runId, 'trajectories', row.id)}${keptSearch(search, steps)}`;
  return {
    place,
    items,
    hasMore: data?.pageInfo.hasNextPage === true,
    row,
    href,
    error,
    retry: () => void refetch(),
    move(by) {
      if (chosen === undefined) pick(lastStep);
      setSearch({ nth: String(place === undefined ? 1 : within(place + by, items?.length ?? Infinity)) });
    },
    open() {
      if (href !== undefined) navigate(href);
    },
  };
}

/** Below the bar: the trajectory that is walked to; nothing where none is. Its buttons do what keys do, where there are none. */
export function WalkedRow({ walk }: { readonly walk: StepWalk }) {
  const [, setSearch] = useSearch();
  const { place, items, hasMore, row, href, error, retry, move } = walk;
  if (place === undefined) return null;
  if (error !== null) return <ErrorNote error={error} retry={retry} />;
  return (
    <div className="row small walked" aria-live="polite">
      {items === undefined ? (
        <span className="muted">Reads the trajectories …</span>
      ) : row === undefined || href === undefined ? (
        <span className="muted">No trajectory of these steps fits, or none is stored.</span>
      ) : (
        <>
          <span className="muted">
            {place} of {items.length}
            {hasMore && '+'}
          </span>
          <Link className="mono" href={href}>
            {row.id}
          </Link>
          <span>{tellRow(row)}</span>
          <button aria-label="Trajectory before" disabled={place === 1} onClick={() => move(-1)}>
            ↑
          </button>
          <button aria-label="Trajectory after" disabled={place === items.length} onClick={() => move(1)}>
            ↓
          </button>
          <span className="faint">↑ and ↓ on the bar go on, Enter opens it</span>
        </>
      )}
      <button className="plain" onClick={() => setSearch({ nth: undefined })}>
        Close
      </button>
    </div>
  );
}

interface StripProps {
  readonly runId: string;
  /** the open trajectory */
  readonly row: TrajectoryRow;
  /** the view and what else stays from one to the next */
  readonly kept: Readonly<Record<string, string>>;
}

/** Where one is open: a cell for each of its step. ↑ and ↓ go through them, ← and → to the same place of another step. */
export function StepStrip({ runId, row, kept }: StripProps) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [search] = useSearch();
  const [over, setOver] = useState<TrajectoryRow>();
  const { data } = useQuery(walkedQuery(client, runId, { from: row.step, to: row.step }, search));
  const items = data?.items ?? [];
  // the one that was asked for last: further keys go on from it, and an older one that is read later does not open
  const wanted = useRef(row);
  useEffect(() => {
    wanted.current = row;
  }, [row]);
  const placeOf = (id: string): number => items.findIndex((one) => one.id === id);
  const at = placeOf(row.id);
  /** Reads it first, so that the focus stays here. */
  const open = (next: TrajectoryRow | undefined, steps: Readonly<Record<string, string>> = {}): void => {
    if (next === undefined || next.id === wanted.current.id) return;
    wanted.current = next;
    const to = `${toPath('runs', runId, 'trajectories', next.id)}${keptSearch(search, { ...kept, ...steps })}`;
    void queries
      .prefetchQuery(trajectoryQuery(client, runId, next.id))
      .then(() => wanted.current === next && navigate(to, { replace: true }));
  };
  const goToStep = async (step: number): Promise<void> => {
    if (step < 0) return;
    const there = await queries.fetchQuery(walkedQuery(client, runId, { from: step, to: step }, search));
    const next = there.items[within(at + 1, there.items.length) - 1];
    // steps that are chosen go along, as far as only one is
    const isOne = search.has('from') && search.get('from') === search.get('to');
    open(next, isOne ? { from: String(step), to: String(step) } : {});
  };
  const press = (event: KeyboardEvent): void => {
    const { key } = event;
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || !/^Arrow/.test(key)) return;
    event.preventDefault();
    event.stopPropagation();
    const here = placeOf(wanted.current.id);
    if (key === 'ArrowDown') open(items[here + 1]);
    else if (key === 'ArrowUp') open(items[Math.max(0, here - 1)]);
    else void goToStep(row.step + (key === 'ArrowRight' ? 1 : -1)).catch(() => undefined); // stays where it is
  };
  const cellAt = (event: MouseEvent<HTMLElement>): TrajectoryRow | undefined => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return items[Math.floor(((event.clientX - left) / width) * items.length)];
  };
  const shown = over ?? items[at];
  return (
    <div className="step-bar strip">
      <div
        className={`cells ${items.length > 80 ? 'dense' : ''}`}
        role="slider"
        tabIndex={0}
        aria-label="Trajectory of the step"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, items.length)}
        aria-valuenow={Math.max(1, at + 1)}
        aria-valuetext={`${row.id}, ${tellRow(row)}`}
        onKeyDown={press}
        onClick={(event) => open(cellAt(event))}
        onMouseMove={(event) => setOver(cellAt(event))}
        onMouseLeave={() => setOver(undefined)}
      >
        {items.map(({ id, success }) => (
          <i key={id} className={`${success ? 'good' : ''} ${id === row.id ? 'here' : ''}`} />
        ))}
      </div>
      <div className="small muted what">
        <span className="cut">
          {shown === undefined
            ? `Step ${row.step}`
            : `Step ${row.step}, ${items.indexOf(shown) + 1} of ${items.length}${data?.pageInfo.hasNextPage === true ? '+' : ''}: ${shown.id}, ${tellRow(shown)}`}
        </span>
      </div>
    </div>
  );
}
