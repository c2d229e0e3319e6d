/** @file The trajectories of a run: search, filters and order in the address; new ones are announced, not pushed in. */
import { Term } from '../charts/term.js';
import { useQueryClient } from '@tanstack/react-query';
import type { TrajectoryRow } from '@espalier/client';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { trajectoryQuery, useReadAhead } from '../data/read-ahead.js';
import { useLive } from '../data/use-live.js';
import { formatNumber } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { pageOf } from '../microscope/use-pages.js';
import { ErrorNote, Notice, Waiting } from '../parts/states.js';
import { Text } from '../parts/text.js';
import { openPanel, useAsked, useRescored } from '../rescore/use-rescored.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { keptSearch, readRange } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { RewardHistogram } from '../steps/reward-histogram.js';
import { tellCounts, useFilterCounts } from './filter-chips.js';
import { InFlight } from './in-flight.js';
import { TrajectoryFilters } from './trajectory-filters.js';
import { mostInHistogram, useRewardRows, useTrajectories } from './use-trajectories.js';

const RescorePanel = lazy(() => import('../rescore/rescore-panel.js'));

interface Props {
  readonly runId: string;
  readonly isRunning: boolean;
}

export default function TrajectoryList({ runId, isRunning }: Props) {
  const queries = useQueryClient();
  const [search, setSearch] = useSearch();
  const { list, rows, isFiltered } = useTrajectories(runId);
  const counts = useFilterCounts(runId);
  const added = useAdded(runId);
  const again = useAsked();
  const [isOpened, setOpened] = useState(false);
  const { totals } = useRescored(runId);
  return (
    <div className="stack">
      {isRunning && <InFlight runId={runId} />}
      {again !== null && (
        <Suspense fallback={<Waiting what="the view" />}>
          <RescorePanel runId={runId} takesFocus={isOpened} />
        </Suspense>
      )}
      <TrajectoryFilters runId={runId} />
      <Rewards runId={runId} />
      <div className="row small muted" style={{ minHeight: 30 }}>
        <span>
          {counts.data !== undefined && `${tellCounts(counts.data, readRange(search) ?? everyStep)} fit`}
          {counts.data === undefined &&
            list.data !== undefined &&
            `${rows.length}${list.hasNextPage ? '+' : ''} ${rows.length === 1 && !list.hasNextPage ? 'trajectory' : 'trajectories'}`}
        </span>
        {rows.length > 0 && <AboutNumbers />}
        {added.count > 0 && (
          <button
            onClick={() => {
              added.reset();
              void queries.invalidateQueries({ queryKey: ['trajectories', runId] });
            }}
          >
            {added.count} new: show
          </button>
        )}
        {again === null && rows.length > 0 && (
          <button
            className="plain again"
            onClick={() => {
              setOpened(true);
              setSearch({ again: openPanel });
            }}
          >
            Score again…
          </button>
        )}
      </div>
      {counts.error !== null && <ErrorNote error={counts.error} retry={counts.retry} />}
      {list.error !== null && <ErrorNote error={list.error} retry={() => void list.refetch()} />}
      {list.data === undefined && list.error === null && <Waiting what="trajectories" />}
      {list.data !== undefined && rows.length === 0 && (
        <Notice title={isFiltered ? 'No trajectory fits' : 'No trajectory is stored yet'}>
          <p>
            {isFiltered
              ? 'Change or clear the filters above.'
              : 'They arrive with each step, when its file is stored.'}
          </p>
        </Notice>
      )}
      {rows.length > 0 && (
        <Rows
          runId={runId}
          isOld={list.isPlaceholderData}
          opened={openedWith(search)}
          totals={totals}
          rows={rows}
          onEnd={() => {
            if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
          }}
        />
      )}
    </div>
  );
}

function Rewards({ runId }: { readonly runId: string }) {
  const { isRead, error, retry, rows, fitting, hasMore } = useRewardRows(runId);
  if (error !== null) return <ErrorNote error={error} retry={retry} />;
  // as high as what comes, so that the list does not move
  if (!isRead) return <div className="card reward-histogram" aria-busy="true" />;
  if (rows.length === 0) return null;
  return (
    <RewardHistogram
      rows={rows}
      fitting={fitting}
      subject="Trajectories that fit the rest of the filter"
      note={hasMore ? `the newest ${mostInHistogram}; choose steps for others` : undefined}
    />
  );
}

/** Counts what was stored since the list was read. */
function useAdded(runId: string): { readonly count: number; reset(): void } {
  const { client } = useSession();
  const [count, setCount] = useState(0);
  const [head, setHead] = useState<number>();
  useEffect(() => {
    let isGone = false;
    void client.runs
      .list({ ids: [runId] })
      .then(({ items }) => !isGone && setHead(items[0]?.head))
      .catch(() => undefined); // the list tells why
    return () => {
      isGone = true;
    };
  }, [client, runId]);
  useLive(
    head === undefined ? undefined : runId,
    () => client.live.trajectories(runId, head ?? 0),
    ({ trajectories }) => setCount((old) => old + trajectories.length),
  );
  return { count, reset: () => setCount(0) };
}

type Totals = NonNullable<ReturnType<typeof useRescored>['totals']>;

const everyStep = { from: 0, to: Infinity };
const rowHeight = 40;
/** A longer one is not read because a pointer rests on it. */
const mostTokensAhead = 20_000;

function Rows({
  runId,
  isOld,
  opened,
  totals,
  rows,
  onEnd,
}: {
  readonly runId: string;
  /** of another filter, until the answer comes */
  readonly isOld: boolean;
  /** what a row opens with: view and colour, as in the address */
  readonly opened: string;
  /** by trajectory, where they were scored again */
  readonly totals: Totals | undefined;
  readonly rows: readonly TrajectoryRow[];
  onEnd(): void;
}) {
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  const items = virtual.getVirtualItems();
  const isTokens = new URLSearchParams(opened).get('view') === 'tokens';
  const readAhead = useReadAhead<TrajectoryRow>(({ id }, queries, client) => {
    void queries.prefetchQuery(trajectoryQuery(client, runId, id));
    if (isTokens) void queries.prefetchQuery(pageOf(client, runId, id, 0));
  });
  const hasTags = rows.some(({ environmentTag }) => environmentTag !== null);
  const columns = columnsOf(hasTags);
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastIndex >= rows.length - 20) onEnd();
  }, [lastIndex, rows.length, onEnd]);
  return (
    <div
      className={`card table trajectories ${isOld ? 'old' : ''} ${hasTags ? 'tagged' : ''}`}
      role="table"
      aria-label="Trajectories"
      aria-busy={isOld}
    >
      <div className="line head" role="row">
        {columns.map(([name, className]) => (
          <div key={name} role="columnheader" className={className}>
            {name}
          </div>
        ))}
      </div>
      <div className="body" ref={body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const cells = cellsOf(
            { runId, row, opened, totals, hasTags },
            readAhead(row, row.tokens > mostTokensAhead),
          );
          return (
            <div
              className="line"
              role="row"
              key={row.id}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              {cells.map((cell, at) => (
                <div key={at} role="cell" className={columns[at]?.[1]}>
                  {cell}
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** A link of a list says how its trajectories open, and keeps the filter for the way back. */
function openedWith(search: URLSearchParams): string {
  const opened = ['view', 'by', 'again'].flatMap((name) => {
    const value = search.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return keptSearch(search, Object.fromEntries(opened));
}

interface RowParts {
  readonly runId: string;
  readonly row: TrajectoryRow;
  readonly opened: string;
  readonly totals: Totals | undefined;
  readonly hasTags: boolean;
}

/** What a row shows, column by column. */
function cellsOf(
  { runId, row, opened, totals, hasTags }: RowParts,
  readAhead: ReturnType<ReturnType<typeof useReadAhead>>,
): ReactNode[] {
  return [
    <Link
      key="id"
      className="mono cut"
      href={`${toPath('runs', runId, 'trajectories', row.id)}${opened}`}
      {...readAhead}
    >
      {row.id}
    </Link>,
    row.step,
    ...(hasTags ? [toVisible(row.environmentTag ?? '')] : []),
    row.success ? <b className="up">success</b> : <span className="muted">no success</span>,
    <>
      {formatNumber(row.reward)}
      {totals?.has(row.id) === true && (
        <div className="small again" title="scored again">
          → {formatNumber(totals.get(row.id))}
        </div>
      )}
    </>,
    row.turns,
    row.tokens,
    row.stopReason,
    <>
      {row.error !== null && <Text of={row.error} />}
      {row.labels.map((label) => (
        <span key={label} className="tag">
          {toVisible(label.replaceAll('-', ' '))}
        </span>
      ))}
    </>,
    row.split === 'train' ? (row.kept ? 'yes' : tellDropped(row.dropped)) : '',
  ];
}

const AboutNumbers = () => (
  <Term
    title="each number of a trajectory"
    of={['Trajectory.step', 'Trajectory.reward', 'Trajectory.turns', 'Trajectory.tokens, sampledTokens']}
  />
);

/** The columns, and how each looks. */
const columnsOf = (hasTags: boolean): readonly (readonly [name: string, className: string])[] => [
  ['Trajectory', 'cut'],
  // the name of a trajectory begins with its step
  ['Step', 'number-cell wide'],
  ...(hasTags ? [['Environment', 'small wide cut'] as const] : []),
  ['Outcome', ''],
  ['Reward', 'number-cell'],
  ['Turns', 'number-cell wide'],
  ['Tokens', 'number-cell wide'],
  ['Ended by', 'small muted wide'],
  ['What went wrong', 'cut small wide'],
  ['Trained on', 'small muted wide cut'],
];

/** Why a group did not enter the batch. */
export function tellDropped(dropped: unknown): string {
  const reason = (dropped as { reason?: unknown } | null)?.reason;
  return typeof reason === 'string' ? `no: ${toVisible(reason.replaceAll('_', ' '))}` : 'no';
}
