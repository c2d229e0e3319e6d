/** @file The rows of the list of runs; only those in view are in the page. */
import { useQuery } from '@tanstack/react-query';
import { type ColumnDef, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Sparkline } from '../charts/sparkline.js';
import { readLines } from '../data/read-lines.js';
import { hasEnded } from '../data/run-states.js';
import type { RunRow } from '../data/types.js';
import { useNow } from '../data/use-now.js';
import { formatAge, formatMoment, formatNumber, formatSeconds, formatShare } from '../format/numbers.js';
import { toVisible } from '../format/visible-text.js';
import { Badge } from '../parts/badge.js';
import { Text } from '../parts/text.js';
import { Link } from '../routing/link.js';
import { toPath, useSearch } from '../routing/router.js';
import { RunActions } from '../run/actions.js';
import { useSession } from '../session/session-context.js';

interface Extra {
  readonly now: number;
  readonly sparks: ReadonlyMap<string, readonly (number | null)[]>;
  /** undefined: nothing can be done to runs, so none are chosen */
  readonly choice: Choice | undefined;
  onTag(tag: string): void;
}

export interface Choice {
  readonly ids: ReadonlySet<string>;
  toggle(ids: readonly string[], isChosen: boolean): void;
}

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData, TValue> {
    readonly className?: string;
    readonly of?: [TData, TValue];
  }
  interface TableMeta<TData> {
    readonly extra: Extra;
    readonly of?: TData;
  }
}

/** NaN where a metric was reported and is no number, which JSON has as null; undefined: it was not reported. */
const latest = ({ latest: values }: RunRow, ...names: readonly string[]): number | undefined => {
  const value = names.map((name) => values[name]).find((one) => one !== undefined);
  return value === null ? Number.NaN : value;
};

const columns: ColumnDef<RunRow>[] = [
  {
    id: 'state',
    header: ({ table }) => {
      const { choice } = table.options.meta?.extra ?? {};
      const ids = table.options.data.map(({ id }) => id);
      if (choice === undefined) return 'State';
      return (
        <label className="row">
          <input
            type="checkbox"
            aria-label="Choose all that are listed"
            checked={choice.ids.size > 0 && ids.every((id) => choice.ids.has(id))}
            onChange={({ target }) => choice.toggle(ids, target.checked)}
          />
          State
        </label>
      );
    },
    meta: { className: 'state-cell' },
    cell: ({ row: { original: run }, table }) => {
      const { choice } = table.options.meta?.extra ?? {};
      return (
        <span className="row" title={run.message}>
          {choice !== undefined && (
            <input
              type="checkbox"
              aria-label={`Choose ${toVisible(run.title || run.name)}`}
              checked={choice.ids.has(run.id)}
              onChange={({ target }) => choice.toggle([run.id], target.checked)}
            />
          )}
          <Badge of={run.state} />
        </span>
      );
    },
  },
  {
    id: 'name',
    header: 'Run',
    meta: { className: 'name-cell' },
    cell: ({ row: { original: run } }) => (
      <div>
        <div className="name-line">
          <Link href={toPath('runs', run.id)} className="cut">
            <Text of={run.title || run.name} />
          </Link>
          {run.health !== null && run.health !== 'healthy' && <Badge of={run.health} />}
        </div>
        <div className="faint small cut">
          {run.project !== 'default' && (
            <>
              <Text of={run.project} /> ·{' '}
            </>
          )}
          <span className="mono">{run.id}</span>
        </div>
      </div>
    ),
  },
  {
    id: 'progress',
    header: 'Progress',
    meta: { className: 'progress-cell' },
    cell: ({ row: { original: run } }) => (
      <div>
        <div className="small muted">
          {run.step ?? 0} of {run.steps} steps
        </div>
        <div className={`progress ${hasEnded(run.state) ? 'ended' : ''}`}>
          <i
            style={{ width: `${run.steps > 0 ? Math.min(100, ((run.step ?? 0) / run.steps) * 100) : 0}%` }}
          />
        </div>
      </div>
    ),
  },
  {
    id: 'eta',
    header: 'Left',
    meta: { className: 'desk small muted' },
    cell: ({ row: { original: run } }) =>
      run.state === 'running' && run.eta !== null ? formatSeconds(Math.round(run.eta.seconds)) : '',
  },
  {
    id: 'spark',
    header: 'Success',
    meta: { className: 'spark-cell' },
    cell: ({ row: { original: run }, table }) => (
      <Sparkline
        values={table.options.meta?.extra.sparks.get(run.id) ?? []}
        from={0}
        to={1}
        label="success by step"
      />
    ),
  },
  {
    id: 'success',
    header: '',
    meta: { className: 'desk number-cell' },
    cell: ({ row: { original: run } }) =>
      formatShare(latest(run, 'rollout/success_rate', 'validation/success_rate')),
  },
  {
    id: 'reward',
    header: 'Reward',
    meta: { className: 'desk number-cell' },
    cell: ({ row: { original: run } }) => formatNumber(latest(run, 'rollout/reward_mean')),
  },
  {
    id: 'entropy',
    header: 'Entropy',
    meta: { className: 'desk wide number-cell' },
    cell: ({ row: { original: run } }) => formatNumber(latest(run, 'rollout/entropy')),
  },
  {
    id: 'device',
    header: 'Device',
    meta: { className: 'desk wide small muted cut' },
    cell: ({ row: { original: run } }) => {
      const [attempt] = run.attempts.nodes;
      const names = attempt?.hardware?.map(({ name }) => name) ?? attempt?.devices ?? [];
      const name = names[0] ?? run.host ?? '';
      const text = names.length > 1 ? `${names.length} × ${name}` : name;
      return (
        <span
          title={attempt === undefined ? '' : `${toVisible(text)}, worker ${toVisible(attempt.workerName)}`}
        >
          <Text of={text.replaceAll(/\((?:R|TM)\)| Processor$/g, '')} />
        </span>
      );
    },
  },
  {
    id: 'tags',
    header: 'Tags',
    meta: { className: 'desk wide cut' },
    cell: ({ row: { original: run }, table }) =>
      run.tags.map((tag) => (
        <button key={tag} className="tag" onClick={() => table.options.meta?.extra.onTag(tag)}>
          <Text of={tag} />
        </button>
      )),
  },
  {
    id: 'age',
    header: 'Age',
    meta: { className: 'desk small muted number-cell' },
    cell: ({ row: { original: run }, table }) => (
      <span title={formatMoment(run.createdAt)}>
        {formatAge(run.createdAt, table.options.meta?.extra.now ?? 0)}
      </span>
    ),
  },
  {
    id: 'act',
    header: '',
    meta: { className: 'act' },
    cell: ({ row: { original: run } }) => <RunActions run={run} />,
  },
];

interface TableProps {
  readonly runs: readonly RunRow[];
  readonly choice: Choice | undefined;
  onEnd(): void;
}

export function RunsTable({ runs, choice, onEnd }: TableProps) {
  const now = useNow();
  const [, setSearch] = useSearch();
  const body = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const [top, setTop] = useState(0);
  useEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: runs.length,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollMargin: top,
    getItemKey: (index) => runs[index]?.id ?? index,
  });
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (lastIndex >= runs.length - 20) onEnd();
  }, [lastIndex, runs.length, onEnd]);
  const shown = items.flatMap(({ index }) => runs[index] ?? []);
  const extra: Extra = { now, choice, sparks: useSparks(shown), onTag: (tag) => setSearch({ tag }, true) };
  const table = useReactTable<RunRow>({
    data: runs as RunRow[],
    columns,
    getCoreRowModel: getCoreRowModel(),
    getRowId: ({ id }) => id,
    meta: { extra },
  });
  const { rows } = table.getRowModel();
  return (
    <div className="card table runs" role="table" aria-label="Runs" aria-rowcount={runs.length}>
      {table.getHeaderGroups().map((group) => (
        <div className="line head" role="row" key={group.id}>
          {group.headers.map((header) => (
            <div key={header.id} role="columnheader" className={header.column.columnDef.meta?.className}>
              {flexRender(header.column.columnDef.header, header.getContext())}
            </div>
          ))}
          <div className="phone" />
        </div>
      ))}
      <div className="body" ref={body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <div
              className="line"
              role="row"
              key={key}
              data-run={row.id}
              style={{ transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
            >
              {row.getVisibleCells().map((cell) => (
                <div
                  key={cell.id}
                  role="cell"
                  data-cell={cell.column.id}
                  className={cell.column.columnDef.meta?.className}
                >
                  {flexRender(cell.column.columnDef.cell, cell.getContext())}
                </div>
              ))}
              <div className="phone small muted">
                {formatShare(latest(row.original, 'rollout/success_rate'))} success · reward{' '}
                {formatNumber(latest(row.original, 'rollout/reward_mean'))} ·{' '}
                {formatAge(row.original.createdAt, now)}
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Rows are cards on a narrow screen (runs.css). */
function useRowHeight(): number {
  const narrow = useMemo(() => window.matchMedia('(max-width: 860px)'), []);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const listen = (): void => setNarrow(narrow.matches);
    narrow.addEventListener('change', listen);
    return () => narrow.removeEventListener('change', listen);
  }, [narrow]);
  return isNarrow ? 116 : 52;
}

const sparkPoints = 40;

/** Success by step of the runs in view; those that run are read again as they go on. */
function useSparks(runs: readonly RunRow[]): ReadonlyMap<string, readonly (number | null)[]> {
  const { client } = useSession();
  const ids = runs.map(({ id }) => id);
  const isLive = runs.some(({ state }) => state === 'running');
  const { data } = useQuery({
    queryKey: ['sparks', ids],
    meta: { what: 'success by step' },
    queryFn: async () => {
      const series = await readLines(client, ids, ['rollout/success_rate'], { points: sparkPoints });
      return new Map(series.flatMap((one) => (one === null ? [] : [[one.runId, one.values] as const])));
    },
    enabled: ids.length > 0,
    refetchInterval: isLive ? 4000 : false,
    placeholderData: (old) => old,
  });
  return useMemo(() => data ?? new Map(), [data]);
}
