/** @file A run with all that it was forked from, and all that was forked from that; kept up to date by what is pushed. */
import type { Checkpoint, Client, Run } from '@espalier/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { readAll } from '../data/use-pages.js';
import { useLive } from '../data/use-live.js';
import type { ShownPart } from '../parts/more.js';
import { settingsOf } from './lines.js';
import { useSession } from '../session/session-context.js';

/** runs that are read at first, and more at a time; each has a question of its own for its checkpoints */
const portion = 100;
/** parents of a run that are gone up to */
const deepest = 50;
/** as many as the server compares: of further runs it is not known which differ in their seed only */
export const mostCompared = 300;

type Twin = Awaited<ReturnType<Client['runs']['twin']>>;

export interface Family {
  readonly rootId: string;
  readonly runs: readonly Run[];
  readonly checkpoints: Readonly<Record<string, readonly Checkpoint[]>>;
  readonly twins: Readonly<Record<string, Twin>>;
  /** runs that differ in their seed only */
  readonly groups: readonly (readonly string[])[];
  /** of each run, what sets it apart from the others, but for the seed */
  readonly settings: Readonly<Record<string, string>>;
  /** why it is not known which runs differ in their seed only, and what sets the others apart; undefined: it is known */
  readonly ungrouped: unknown;
  /** there are more runs than are shown */
  readonly isCut: boolean;
}

async function readFamily(client: Client, runId: string, mostRuns: number): Promise<Family> {
  const first = async (id: string): Promise<Run | undefined> =>
    (await client.runs.list({ ids: [id] })).items[0];
  let root = await first(runId);
  for (let depth = 0; depth < deepest && typeof root?.parentRunId === 'string'; depth++) {
    // one that was deleted, or is of a project that the key does not see
    const above = await first(root.parentRunId);
    if (above === undefined) break;
    root = above;
  }
  if (root === undefined) throw new Error('The run was deleted meanwhile.');
  const runs: Run[] = [root];
  let isCut = false;
  // a generation at a time
  for (let parents: readonly Run[] = runs.slice(); parents.length > 0;) {
    const forks = await Promise.all(
      parents.map(({ id }) => readAll((page) => client.runs.list({ parentRunId: id }, page), mostRuns)),
    );
    const next = forks.flatMap(({ items }) => items);
    parents = next.slice(0, mostRuns - runs.length);
    isCut ||= forks.some((one) => one.isCut) || next.length > parents.length;
    runs.push(...parents);
  }
  const ids = runs.map(({ id }) => id);
  const [stored, twins, compared] = await Promise.all([
    Promise.all(ids.map(async (id) => [id, await client.runs.checkpoints(id)] as const)),
    Promise.all(
      runs
        .filter(({ continues }) => continues)
        .map(async ({ id }) => [id, await client.runs.twin(id)] as const),
    ),
    client.runs.compare(ids.slice(0, mostCompared), { metrics: [] }).then(
      (answer) => ({ answer, error: undefined }),
      (error: unknown) => ({ answer: undefined, error }),
    ),
  ]);
  const { answer, error: ungrouped } = compared;
  const groups = (answer?.groups ?? []).map(({ runIds, seeds }) => (new Set(seeds).size > 1 ? runIds : []));
  return {
    rootId: root.id,
    runs,
    checkpoints: Object.fromEntries(stored),
    twins: Object.fromEntries(twins),
    groups,
    settings: settingsOf(answer?.runs.map(({ id }) => id) ?? [], answer?.differences ?? []),
    ungrouped,
    isCut,
  };
}

export function useFamily(runId: string) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [most, setMost] = useState(portion);
  const family = useQuery({
    queryKey: ['family', runId, most],
    queryFn: () => readFamily(client, runId, most),
    placeholderData: (old) => (old?.runs.some(({ id }) => id === runId) === true ? old : undefined),
  });
  const timer = useRef<number>();
  const isFetching = useRef(false);
  isFetching.current = family.isFetching;
  // a change that comes while the family is read waits until it is, or steady progress would hold it up for ever
  const schedule = (): void => {
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined;
      if (isFetching.current) schedule();
      else void queries.invalidateQueries({ queryKey: ['family', runId] });
    }, 1500);
  };
  useLive(
    runId,
    () => client.runs.changes(),
    (run) => {
      const known = family.data?.runs ?? [];
      if (!known.some(({ id }) => id === run.id || id === run.parentRunId)) return;
      queries.setQueryData(['family', runId, most], (old: Family | undefined) =>
        old === undefined
          ? old
          : { ...old, runs: old.runs.map((one) => (one.id === run.id ? { ...one, ...run } : one)) },
      );
      // checkpoints, twins and new forks are read again, but not for each step
      schedule();
    },
  );
  const known = family.data?.runs.length ?? 0;
  const part: ShownPart = {
    shown: known,
    known,
    total: family.data?.isCut === true ? undefined : known,
    isReading: family.isPlaceholderData,
    showMore: () => setMost(most + portion),
  };
  return { family, part };
}
