/** @file What is known of some steps: the trainer's counts, the update's numbers, and the trajectories. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import type { Client, TrajectoryRow } from '@espalier/client';
import { useLive } from '../data/use-live.js';
import { useSearch } from '../routing/router.js';
import type { Range } from '../routing/run-filter.js';
import { useSession } from '../session/session-context.js';
import { type ListFilter, readNarrowing } from '../trajectories/list-filter.js';
import type { FlowSums } from './flow.js';
import { isGreedyBaseline } from './groups.js';

/** More trajectories are not read for one view. */
export const mostRows = 2000;
/** so many steps before are what the change is measured against */
const stepsBefore = 5;
export const firstBefore = (from: number): number => Math.max(1, from - stepsBefore);

/** The numbers of the update, in the order in which it happens. */
export const updateNumbers: readonly (readonly [metric: string, label: string])[] = [
  ['update/loss_tokens', 'Loss tokens'],
  ['credit/advantage_std', 'Deviation of advantages'],
  ['policy/objective', 'Objective'],
  ['policy/gradient_norm', 'Gradient norm'],
  ['policy/clipped_gradient_share', 'Gradients cut to the norm'],
  ['policy/approx_kl', 'KL from the sampler'],
  ['policy/kl_reference', 'KL from the reference'],
  ['policy/entropy', 'Entropy'],
  ['policy/learning_rate', 'Learning rate'],
];

/** A number of the update. */
export type UpdateNumber =
  | { readonly kind: 'value'; readonly mean: number; readonly low: number; readonly high: number }
  | { readonly kind: 'not-finite' };

export interface StepNumbers {
  readonly sums: FlowSums;
  /** steps of the range that have the counts */
  readonly counted: number;
  readonly numbers: ReadonlyMap<string, UpdateNumber>;
}

export const longestRange = 2000;

async function readNumbers(client: Client, runId: string, range: Range): Promise<StepNumbers> {
  const known = (await client.metrics.names(runId)).map(({ name }) => name);
  const wanted = updateNumbers.map(([name]) => name);
  const names = known.filter((name) => name.startsWith('flow/') || wanted.includes(name));
  const part = { fromStep: range.from, toStep: range.to, points: longestRange, times: false, buckets: false };
  const history = names.length === 0 ? [] : await client.metrics.history([runId], names, part);
  const sums = new Map<string, number>();
  const numbers = new Map<string, UpdateNumber>();
  let counted = 0;
  for (const series of history) {
    if (series === null || series.values.length === 0) continue;
    const { name, values } = series;
    if (name === 'flow/trajectories') counted = values.length;
    if (name.startsWith('flow/'))
      sums.set(
        name.slice('flow/'.length),
        values.reduce<number>((sum, value) => sum + (value ?? 0), 0),
      );
    else numbers.set(name, summarize(values));
  }
  return { sums, counted, numbers };
}

function summarize(values: readonly (number | null)[]): UpdateNumber {
  if (values.some((value) => value === null)) return { kind: 'not-finite' };
  const finite = values as readonly number[];
  const mean = finite.reduce((sum, value) => sum + value, 0) / finite.length;
  return { kind: 'value', mean, low: Math.min(...finite), high: Math.max(...finite) };
}

export interface StepRows {
  readonly rows: readonly TrajectoryRow[];
  /** the same without greedy baselines */
  readonly drawn: readonly TrajectoryRow[];
  /** there are no more than these */
  readonly isComplete: boolean;
}

async function readRows(
  client: Client,
  runId: string,
  { from, to }: Range,
  narrowed: ListFilter = {},
): Promise<StepRows> {
  const rows: TrajectoryRow[] = [];
  if ((narrowed.split ?? 'train') !== 'train') return { rows: [], drawn: [], isComplete: true };
  const filter = { ...narrowed, fromStep: from, toStep: to, split: 'train' as const };
  for (let after: string | null = null; ;) {
    const { items, pageInfo } = await client.trajectories.list(runId, filter, {
      first: 500,
      after,
      orderBy: { field: 'step', direction: 'asc' },
    });
    rows.push(...items);
    const isComplete = !pageInfo.hasNextPage;
    if (isComplete || rows.length >= mostRows)
      return { rows, drawn: rows.filter((row) => !isGreedyBaseline(row)), isComplete };
    after = pageInfo.endCursor ?? null;
  }
}

export function useSteps(runId: string, range: Range | undefined) {
  const { client } = useSession();
  const isEnabled = range !== undefined;
  const { from, to } = range ?? { from: 0, to: 0 };
  const numbers = useQuery({
    queryKey: ['step-numbers', runId, from, to],
    queryFn: () => readNumbers(client, runId, { from, to }),
    enabled: isEnabled,
  });
  const rows = useQuery({
    queryKey: ['step-rows', runId, from, to],
    queryFn: () => readRows(client, runId, { from, to }),
    enabled: isEnabled,
  });
  const first = firstBefore(from);
  const before = useQuery({
    queryKey: ['step-rows', runId, first, from - 1],
    queryFn: () => readRows(client, runId, { from: first, to: from - 1 }),
    enabled: isEnabled && from > 1,
  });
  useLateRows(runId, range);
  return { numbers, rows, before };
}

/** the rows of a step arrive one after the other, and are read again together */
const quietMs = 500;

/** Rows are read again when trajectories of their steps are stored after they were read. */
function useLateRows(runId: string, range: Range | undefined): void {
  const { client } = useSession();
  const queries = useQueryClient();
  const timer = useRef<number>();
  const head = useQuery({
    queryKey: ['head', runId],
    queryFn: async () => (await client.runs.list({ ids: [runId] })).items[0]?.head ?? null,
    staleTime: Infinity,
    gcTime: 0,
  }).data;
  useLive(
    typeof head === 'number' ? runId : undefined,
    () => client.live.trajectories(runId, head ?? 0),
    ({ trajectories }) => {
      if (range === undefined) return;
      const first = firstBefore(range.from);
      if (!trajectories.some(({ step }) => step >= first && step <= range.to)) return;
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined;
        void queries.invalidateQueries({ queryKey: ['step-rows', runId] });
      }, quietMs);
    },
  );
}

/** The training trajectories of some steps that fit the filter of the address; undefined: it narrows nothing, or they are read. */
export function useFittingRows(runId: string, range: Range | undefined) {
  const { client } = useSession();
  const [search] = useSearch();
  const filter = useMemo(() => readNarrowing(search), [search]);
  const isFiltered = Object.keys(filter).length > 0;
  const { data, error, refetch } = useQuery({
    queryKey: ['step-rows', runId, range, filter],
    queryFn: () => readRows(client, runId, range ?? { from: 0, to: 0 }, filter),
    enabled: range !== undefined && isFiltered,
  });
  return { isFiltered, rows: isFiltered ? data?.rows : undefined, error, retry: () => void refetch() };
}
