/** @file The runs that were forked from a run. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { readAll } from '../data/use-pages.js';
import { useSession } from '../session/session-context.js';
import type { Fork } from './marks.js';

/** More than anybody forks by hand; of more, the newest. */
const most = 1000;

interface Forks {
  readonly forks: readonly Fork[];
  /** what is said where the run has more than these; undefined: it has none */
  readonly cut: string | undefined;
}

export function useForks(runId: string): Forks {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['forks', runId],
    meta: { what: 'the forks of the run' },
    queryFn: () => readAll((page) => client.runs.list({ parentRunId: runId }, page), most),
    refetchInterval: 30_000,
  });
  return useMemo(
    () => ({
      forks: (data?.items ?? []).flatMap((run) =>
        run.parentStep === null ? [] : [{ id: run.id, title: run.title || run.name, step: run.parentStep }],
      ),
      cut:
        data?.isCut === true
          ? `Only the newest ${most.toLocaleString('en')} forks of this run are marked.`
          : undefined,
    }),
    [data],
  );
}
